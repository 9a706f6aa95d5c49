from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from shapeinfer import RulePackError, loader, registry

DROP_LAST = '''
from shapeinfer.rule import Context, Result, TensorType, codes, rule


@rule("DropLast", since=(1,), domain="com.example")
def drop_last(ctx: Context) -> Result:
    """The first input without its last dim."""
    return TensorType(ctx.elem(0), ctx.shape(0)[:-1])
'''
MODEL = '<ir_version: 10, opset_import: ["" : 21, "com.example" : 1]> g (float[N, 3] x) => (y) { BODY }'


def pack(directory: Path, **files: str) -> Path:
    """A directory with these modules."""
    directory.mkdir(exist_ok=True)
    for name, text in files.items():
        (directory / f"{name}.py").write_text(dedent(text))
    return directory


def checked(directory: Path, body: str = "y = com.example.DropLast (x)", then: str = "") -> str:
    """Checks a model with a pack in an interpreter of its own, since what is registered stays; prints what came out."""
    script = f"""
import onnx.parser, shapeinfer
m = onnx.parser.parse_model({MODEL.replace("BODY", body)!r})
report = shapeinfer.check(m, rules=[{str(directory)!r}])
print(report.values["y"].type if "y" in report.values else "nothing")
for d in report.diagnostics:
    print(d)
{then}
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_rule_for_an_operator_of_a_custom_domain(tmp_path: Path) -> None:
    assert checked(pack(tmp_path / "rules", drop=DROP_LAST)) == "float[N]"


def test_the_rule_in_the_readme(tmp_path: Path) -> None:
    readme = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
    (text,) = [block for block in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "@rule" in block]
    assert checked(pack(tmp_path / "rules", drop=text)) == "float[N]"


def test_a_pack_is_a_package_whose_modules_see_each_other(tmp_path: Path) -> None:
    helpers = "def without_last(shape):\n    return shape[:-1]\n"
    text = DROP_LAST.replace("from shapeinfer.rule", "from .helpers import without_last\nfrom shapeinfer.rule")
    files = {"drop": text.replace("ctx.shape(0)[:-1]", "without_last(ctx.shape(0))"), "helpers": helpers}
    assert checked(pack(tmp_path / "plain", **files)) == "float[N]"
    assert checked(pack(tmp_path / "package", __init__='"""Rules."""', **files)) == "float[N]"


def test_a_pack_is_loaded_once(tmp_path: Path) -> None:
    directory = pack(tmp_path / "rules", drop=DROP_LAST)
    again = f'print(shapeinfer.check(m, rules=[{str(directory)!r}]).values["y"].type)'
    assert checked(directory, then=again) == "float[N]\nfloat[N]"


def test_a_schema_gives_names_and_types(tmp_path: Path) -> None:
    text = """
    from shapeinfer.rule import FormalParameter, OperatorSchema, TypeConstraint, register_operator, rule

    register_operator(
        OperatorSchema(
            domain="com.example",
            name="Twice",
            since_version=1,
            inputs=(FormalParameter(name="data", type_str="T"),),
            outputs=(FormalParameter(name="doubled", type_str="T"),),
            type_constraints=(TypeConstraint(name="T", types=("tensor(int64)",)),),
        )
    )


    @rule("Twice", since=(1,), domain="com.example")
    def twice(ctx):
        return ctx.shape("data") * 2
    """
    out = checked(pack(tmp_path / "rules", twice=text), body="y = com.example.Twice (x)")
    assert out.splitlines()[0] == "int64[N, 3, N, 3]"
    assert "type-not-allowed" in out


def test_a_pack_can_define_codes(tmp_path: Path) -> None:
    text = """
    from shapeinfer.rule import Severity, define, rule

    NEVER = define("X901", "never-right", Severity.ERROR, "{op} is never right", explanation="It is never right.")


    @rule("Never", since=(1,), domain="com.example")
    def never(ctx):
        ctx.fail(NEVER)
    """
    out = checked(pack(tmp_path / "rules", never=text), body="y = com.example.Never (x)")
    assert "error X901 never-right" in out
    assert "Never is never right" in out


def test_a_rule_that_fails_is_a_note(tmp_path: Path) -> None:
    text = DROP_LAST.replace("return TensorType", "raise KeyError('slip')\n    return TensorType")
    out = checked(pack(tmp_path / "rules", drop=text))
    assert "note G213 internal-fault" in out
    assert "KeyError: 'slip'" in out


def test_a_rule_that_returns_nonsense_is_a_note(tmp_path: Path) -> None:
    text = DROP_LAST.replace("return TensorType(ctx.elem(0), ctx.shape(0)[:-1])", "return 'float'")
    assert "note G213 internal-fault" in checked(pack(tmp_path / "rules", drop=text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def rule(:\n", "SyntaxError"),
        ("import no_such_module\n", "ModuleNotFoundError"),
        ("raise RuntimeError('out of order')\n", "out of order"),
        ("from shapeinfer.rule import nothing_of_the_kind\n", "ImportError"),
        ("import sys\nsys.exit(3)\n", "SystemExit"),
    ],
    ids=["syntax", "import", "raise", "name", "exit"],
)
@pytest.mark.parametrize("module", ["broken", "__init__"])
def test_a_broken_pack_is_one_clear_finding(tmp_path: Path, module: str, text: str, words: str) -> None:
    directory = pack(tmp_path / "rules", **{module: text})
    out = checked(directory)
    assert out.splitlines()[0] == "nothing"
    assert "error U801 bad-option" in out
    assert words in out
    assert str(directory) in out


def test_a_broken_pack_stays_broken_when_asked_again(tmp_path: Path) -> None:
    directory = pack(tmp_path / "rules", broken="raise RuntimeError('out of order')\n")
    again = f"print(shapeinfer.check(m, rules=[{str(directory)!r}]).errors[0])"
    assert checked(directory, then=again).count("out of order") == 2


def test_a_second_rule_for_an_operator_version_is_refused(tmp_path: Path) -> None:
    text = DROP_LAST.replace('"DropLast", since=(1,), domain="com.example"', '"Squeeze", since=(13,)')
    out = checked(pack(tmp_path / "rules", squeeze=text))
    assert "U801" in out
    assert "Squeeze-13 has a rule already" in out


def test_a_rule_for_two_versions() -> None:
    key = ("com.example.test", "Twice", 1)
    try:
        registry.rule("Twice", since=(1,), domain="com.example.test")(lambda ctx: None)
        with pytest.raises(ValueError, match="Twice-1 has a rule already"):
            registry.rule("Twice", since=(2, 1), domain="com.example.test")(lambda ctx: None)
    finally:
        for version in (1, 2):
            registry._rules.pop((*key[:2], version), None)


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RulePackError, match="is no directory of rules"):
        loader.load_packs([tmp_path / "absent"])
    (tmp_path / "file.py").write_text(DROP_LAST)
    with pytest.raises(RulePackError, match="is no directory of rules"):
        loader.load_packs([tmp_path / "file.py"])


def test_an_empty_directory_adds_nothing(tmp_path: Path) -> None:
    before = dict(registry.registered())
    loader.load_packs([tmp_path])
    assert dict(registry.registered()) == before


def test_the_projects_own_rules_are_found() -> None:
    assert (loader.own_pack() / "squeeze.py").is_file()


def test_nothing_imports_the_rules_statically() -> None:
    root = Path(loader.__file__).parent
    for file in root.rglob("*.py"):
        for line in file.read_text(encoding="utf-8").splitlines():
            assert not line.strip().startswith(("import shapeinfer.rules", "from shapeinfer.rules")), file
