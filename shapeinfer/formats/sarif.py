"""SARIF 2.1.0, the format of code scanning services.

The models mirror the parts of the published schema that are used: the names, which of them must be there, and what
they may hold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from shapeinfer.catalogue import example
from shapeinfer.diagnostics import Severity, defined_codes
from shapeinfer.report import Diagnostic, Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
Level = Literal["none", "note", "warning", "error"]
Index = Annotated[int, Field(ge=-1)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class Message(_Model):
    """Text, and the same in Markdown."""

    text: str
    markdown: str | None = None


class Configuration(_Model):
    """How severe a rule is by default."""

    level: Level


class ReportingDescriptor(_Model):
    """A rule: what a code means."""

    id: str
    name: str
    short_description: Message
    full_description: Message
    default_configuration: Configuration
    help: Message


class ToolComponent(_Model):
    """The program that made the log."""

    name: str
    version: str
    semantic_version: str | None = None
    rules: tuple[ReportingDescriptor, ...] = ()


class Tool(_Model):
    """The program, and its extensions, of which there are none."""

    driver: ToolComponent


class ArtifactLocation(_Model):
    """A file, as a URI reference."""

    uri: str
    index: Index | None = None


class Region(_Model):
    """A part of a file. A model is binary; viewers want a line all the same."""

    start_line: Annotated[int, Field(ge=1)] = 1


class PhysicalLocation(_Model):
    """A place in a file."""

    artifact_location: ArtifactLocation
    region: Region = Region()


class LogicalLocation(_Model):
    """A place in a model: the node."""

    name: str | None = None
    fully_qualified_name: str
    kind: str = "object"


class Location(_Model):
    """A place, in the file and in the model."""

    physical_location: PhysicalLocation
    logical_locations: tuple[LogicalLocation, ...] = ()


class Result(_Model):
    """A finding."""

    rule_id: str
    rule_index: Index
    level: Level
    message: Message
    locations: tuple[Location, ...]
    partial_fingerprints: dict[str, str]


class Artifact(_Model):
    """A file that was looked at."""

    location: ArtifactLocation


class Invocation(_Model):
    """Whether the program could do its work."""

    execution_successful: bool


class Run(_Model):
    """One run of the program."""

    tool: Tool
    invocations: tuple[Invocation, ...]
    artifacts: tuple[Artifact, ...]
    results: tuple[Result, ...]
    column_kind: Literal["utf16CodeUnits", "unicodeCodePoints"] = "unicodeCodePoints"


class Log(_Model):
    """The whole file."""

    schema_: str = Field(default=SCHEMA, alias="$schema")
    version: Literal["2.1.0"] = "2.1.0"
    runs: tuple[Run, ...]


def render(reports: Sequence[Report]) -> str:
    """The reports as one SARIF log."""
    return log(reports).model_dump_json(by_alias=True, exclude_none=True, indent=2)


def log(reports: Sequence[Report]) -> Log:
    """The reports as one run; the rules are the codes that were used."""
    used = sorted({found.code for report in reports for found in (*report.diagnostics, *report.lints)})
    index = {code: i for i, code in enumerate(used)}
    uris = list(dict.fromkeys(uri(report.model) for report in reports))
    files = [ArtifactLocation(uri=(at := uri(report.model)), index=uris.index(at)) for report in reports]
    results = [
        _result(found, file, index)
        for report, file in zip(reports, files, strict=True)
        for found in (*report.diagnostics, *report.lints)
    ]
    driver = ToolComponent(name="shapeinfer", version=_version(), rules=tuple(map(_rule, used)))
    run = Run(
        tool=Tool(driver=driver),
        invocations=(Invocation(execution_successful=all(_readable(report) for report in reports)),),
        artifacts=tuple(Artifact(location=ArtifactLocation(uri=each)) for each in uris),
        results=tuple(results),
    )
    return Log(runs=(run,))


def uri(path: str) -> str:
    """A path as a URI reference; an absolute one as a file URI."""
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(pure.as_posix())


def _readable(report: Report) -> bool:
    return not any(
        found.code.startswith(("M", "U")) and found.severity is Severity.ERROR for found in report.diagnostics
    )


def _version() -> str:
    try:
        return version("shapeinfer")
    except PackageNotFoundError:  # a bare checkout on the path
        return "0+unknown"


def _rule(id: str) -> ReportingDescriptor:
    code = defined_codes()[id]
    help = code.explanation + (f"\n\n{code.hint}" if code.hint else "")
    markdown = help
    for title, text in (("Bad", code.bad), ("Good", code.good)):
        if text:
            markdown += f"\n\n**{title}**\n\n```\n{example(text)}\n```"
    return ReportingDescriptor(
        id=id,
        name="".join(part.capitalize() for part in code.name.split("-")),
        short_description=Message(text=code.name.replace("-", " ")),
        full_description=Message(text=code.explanation),
        default_configuration=Configuration(level=code.severity.value),
        help=Message(text=help, markdown=markdown),
    )


def _result(found: Diagnostic, file: ArtifactLocation, index: dict[str, int]) -> Result:
    text = "\n".join(part for part in (f"{found.where}: {found.message}", *found.sources, found.hint) if part)
    place = "/".join(found.where.split(" / "))
    fingerprint = hashlib.sha256("\0".join((found.code, place, found.message)).encode()).hexdigest()
    logical = LogicalLocation(name=found.node or found.op or None, fully_qualified_name=place)
    return Result(
        rule_id=found.code,
        rule_index=index[found.code],
        level=found.severity.value,
        message=Message(text=text),
        locations=(Location(physical_location=PhysicalLocation(artifact_location=file), logical_locations=(logical,)),),
        partial_fingerprints={"shapeinfer/v1": fingerprint},
    )
