"""Facts about the repository itself: who imports whom, what is public, and that papers and practice agree."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from onnx import defs

import shapeinfer
from shapeinfer import kernels, loader, registry, rule, schema

ROOT = Path(__file__).resolve().parent.parent
ENGINE = sorted((ROOT / "shapeinfer").rglob("*.py"))
RULES = sorted((ROOT / "rules").glob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")

LINES = 450
RULE_LINES = 250
DATA = "ms_schemas_"
"""Rule files that only hold tables of what operators take and give."""

ORDER = """
    collector dims types kernels type_sets schema signature schema_diff schema_text diagnostics catalogue values
    scope attributes recorder context registry rule requirements symbols options graph external given loader operators
    typecheck folding memo sources walk naming engine write annotate_inner annotate claims irmodel modelio report
    render formats config feeds lint contract session observed reproduce runtimes verify witness backend api
    cli_common cli_run cli_lint cli_contract cli __main__
""".split()
"""The modules of the engine, from the ground up: each may import only those before it."""

PUBLIC = """
    Condition Diagnostic InferenceError KernelError Mismatch ModelError OptionError Report RulePackError RunReport
    Session Severity ValueReport VerifyReport __version__ check infer_shapes run verify
""".split()


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports when it runs, in full; relative ones begin with a dot."""
    yield from _imports(ast.parse(path.read_text(encoding="utf-8")).body)


def _imports(body: Iterable[ast.AST]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            if module == "shapeinfer":
                yield from (f"shapeinfer.{alias.name}" for alias in node.names)
            else:
                yield module
        else:
            yield from _imports(ast.iter_child_nodes(node))


# --------------------------------------------------------------------------------------------------------- imports


@pytest.mark.parametrize("path", RULES, ids=name_of)
def test_a_rule_file_imports_the_rule_api_and_its_siblings_alone(path: Path) -> None:
    for module in imports(path):
        top = module.split(".")[0]
        assert module == "shapeinfer.rule" or top in ("", "numpy") or top in sys.stdlib_module_names, module


@pytest.mark.parametrize("path", [p for p in ENGINE if p.parent.name == "kernels"], ids=name_of)
def test_kernels_share_nothing_with_the_rules(path: Path) -> None:
    for module in imports(path):
        top = module.split(".")[0]
        own = module in ("shapeinfer", "shapeinfer.kernels") or module.startswith("shapeinfer.kernels.")
        assert own or top in ("numpy", "ml_dtypes", "onnx", "google", "PIL") or top in sys.stdlib_module_names, module


@pytest.mark.parametrize("path", ENGINE, ids=name_of)
def test_imports_go_one_way(path: Path) -> None:
    parts = path.relative_to(ROOT / "shapeinfer").with_suffix("").parts
    if parts[0] == "__init__":
        return
    below = ORDER[: ORDER.index(parts[0])]
    for module in imports(path):
        steps = module.split(".")
        if steps[0] == "shapeinfer" and len(steps) > 1:
            assert steps[1] in (*below, parts[0]), f"{parts[0]} imports {module}"


def test_every_module_has_its_place_in_the_order() -> None:
    there = {p.relative_to(ROOT / "shapeinfer").with_suffix("").parts[0] for p in ENGINE} - {"__init__"}
    assert there == set(ORDER)


def test_only_dims_knows_sympy() -> None:
    for path in ENGINE:
        if path.parent.name != "dims":
            assert not [m for m in imports(path) if m.split(".")[0] == "sympy"], path


@pytest.mark.parametrize(
    "use",
    [
        "shapeinfer.check(m)",
        "shapeinfer.infer_shapes(m)",
        "shapeinfer.run(m, {'x': numpy.ones((1, 2, 3), 'float32')})",
        "import shapeinfer.cli",
        "import shapeinfer.rule",
    ],
)
def test_without_symbols_sympy_is_not_loaded(use: str) -> None:
    script = f"""
import sys, numpy, onnx.parser, shapeinfer
m = onnx.parser.parse_model('''<ir_version: 10, opset_import: ["" : 21]>
g (float[1, 2, 3] x) => (float[2, 3] y) <int64[1] a = {{0}}> {{ r = Relu (x) s = Add (r, x) y = Squeeze (s, a) }}''')
{use}
assert "sympy" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ----------------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("path", [*ENGINE, *RULES, *TESTS], ids=name_of)
def test_a_file_can_be_read_in_one_sitting(path: Path) -> None:
    count = len(path.read_text(encoding="utf-8").splitlines())
    limit = RULE_LINES if path.parent.name == "rules" and not path.name.startswith(DATA) and path in RULES else LINES
    assert count <= limit


@pytest.mark.parametrize("path", [*ENGINE, *RULES], ids=name_of)
def test_a_file_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_nothing_evaluates_text() -> None:
    for path in [*ENGINE, *RULES]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if called == "loads":
                    assert ast.unparse(node.func) == "json.loads", f"{path}: {called}"
                assert called not in ("eval", "exec", "sympify", "parse_expr"), f"{path}: {called}"


# ----------------------------------------------------------------------------------------------------------- rules


def known_versions() -> set[tuple[str, str, int]]:
    return {(s.domain, s.name, s.since_version) for s in defs.get_all_schemas_with_history()}


def test_every_operator_version_of_onnx_has_exactly_one_rule() -> None:
    # a second registration of a version is refused, so having one is having exactly one
    loader.load_own_rules()
    known = {(schema.plain_domain(s.domain), s.name, s.since_version) for s in defs.get_all_schemas_with_history()}
    assert len(known) > 650
    assert known - registry.registered().keys() == set()


def test_every_rule_is_for_an_operator_version_that_there_is() -> None:
    loader.load_own_rules()
    known = known_versions()
    for domain, op, version in [*registry.registered(), *registry._value_rules]:
        # an operator of another domain need not have a schema: its rule says all that is known of it
        there = (domain, op, version) in known or version in (schema.versions(op, domain) or (version,))
        assert there, f"{domain} {op}-{version}"


def test_every_kernel_is_for_an_operator_version_that_there_is() -> None:
    loader.load_own_rules()
    known = known_versions()
    for key in kernels.registered():
        domain, op, version = key
        assert key in known or version in schema.versions(op, domain), key


def test_every_rule_says_how_the_shape_follows() -> None:
    loader.load_own_rules()
    for key, function in registry.registered().items():
        assert inspect.getdoc(function), key


# ---------------------------------------------------------------------------------------------------------- public


def test_the_public_names() -> None:
    assert sorted(shapeinfer.__all__) == sorted(PUBLIC)


@pytest.mark.parametrize("name", sorted(set(shapeinfer.__all__) - {"__version__"}))
def test_a_public_name_is_documented(name: str) -> None:
    thing = getattr(shapeinfer, name)
    assert inspect.getdoc(thing)
    for attribute, value in vars(thing).items() if inspect.isclass(thing) else ():
        if inspect.isfunction(value) and not attribute.startswith(("_", "model_")):
            assert inspect.getdoc(value), f"{name}.{attribute}"


def test_the_rule_api_is_all_there() -> None:
    for name in rule.__all__:
        assert hasattr(rule, name)


def test_the_package_is_typed() -> None:
    assert (ROOT / "shapeinfer" / "py.typed").is_file()


# ---------------------------------------------------------------------------------------------- papers and practice


def shell_blocks() -> list[str]:
    return [block.strip() for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)]


def test_the_readme_has_one_command_to_try_it_and_one_to_test_it() -> None:
    blocks = shell_blocks()
    assert len(blocks) == 2
    assert all("\n" not in block for block in blocks)


def test_continuous_integration_runs_the_readmes_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert script[-1] == shell_blocks()[1]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert ".ci/run" in workflow


def test_the_readme_names_every_command_and_the_functions() -> None:
    for name in ("check", "infer", "run", "verify", "schema", "diff", "explain"):
        assert f"`shapeinfer {name}" in README
    for name in ("infer_shapes", "check", "run", "Report", "Session"):
        assert f"shapeinfer.{name}" in README


def test_the_readmes_links_and_files_are_there() -> None:
    for path in re.findall(r"`((?:notebooks|rules|tests|\.ci)/[\w./]*)`", README):
        assert (ROOT / path).exists(), path
