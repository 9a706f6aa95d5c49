from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeinfer import dims
from shapeinfer.dims import DimSyntaxError, parse, text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("3", "3"),
        ("-3", "-3"),
        ("N", "N"),
        ("  N+1 ", "N + 1"),
        ("-N + 3", "3 - N"),
        ("- -N", "N"),
        ("+N", "N"),
        ("2*-3", "-6"),
        ("N - M - 1", "N - M - 1"),
        ("8//3//2", "1"),
        ("7 % 4 * 2", "6"),
        ("-7//2", "-4"),
        ("-(7//2)", "-3"),
        ("-2**2", "-4"),
        ("N**2", "N**2"),
        ("(N + 1)**2", "(N + 1)**2"),
        ("N**0", "1"),
        ("floor(H/2 - 1/2) + 1", "(H + 1)//2"),
        ("ceiling(N/2)", "(N + 1)//2"),
        ("ceil(0.5*N)", "(N + 1)//2"),
        ("floor(N*0.5 + 0.5)", "(N + 1)//2"),
        ("Max(1, ceiling(N*0.25))", "max((N + 3)//4, 1)"),
        ("Min(N, M)", "min(M, N)"),
        ("max(N)", "N"),
        ("Mod(N, 4)", "N % 4"),
        ("FloorDiv(N + 3, 4)", "(N + 3)//4"),
        ("CeilDiv(N, 4)", "(N + 3)//4"),
        ("floor(N/M)", "N//M"),
        ("N*(M + 1)/(M + 1)", "N"),
        ("4*N/2", "2*N"),
        ("N/2 + N/2", "N"),
        ("N/M*M", "N"),
        ("floor(N/2/3)", "N//6"),
        ("(N/2)//3", "N//6"),
        ("N//0.5", "2*N"),
        ("max(N/2, M/2)*2", "max(M, N)"),
        ("broadcast(A, B, 1)", "broadcast(A, B)"),
        ("`a b` + 1", "`a b` + 1"),
        ("`a``b` + 1", "`a``b` + 1"),
        ("x.2 + unk__3:0", "unk__3:0 + x.2"),
        ("max + 1", "max + 1"),
        ("N.__class__ + 1", "N.__class__ + 1"),
    ],
)
def test_reads(source: str, expected: str) -> None:
    assert text(parse(source)) == expected


@pytest.mark.parametrize(
    "source",
    [
        "",
        " ",
        "N +",
        "* N",
        "2N",
        "N M",
        "(N",
        "N)",
        "()",
        "a.",
        "1e5",
        "N/2",
        "1/2",
        "0.5",
        "N/M",
        "N//0",
        "N % 0",
        "N/(M - M)",
        "max()",
        "max(N,)",
        "floor(N, M)",
        "Mod(N)",
        "Mod(N/2, 2)",
        "max(N/M, 1)",
        "broadcast(2, 3)",
        "sin(N)",
        "N**M",
        "N**-1",
        "N**0.5",
        "N**2**3",
        "N**65",
        "λ + 1",
        "N & 1",
        "``",
        "`N",
        "N\0",
        "__import__('os')",
        "[N]",
        "N if N else 1",
    ],
)
def test_rejects(source: str) -> None:
    with pytest.raises(DimSyntaxError):
        parse(source)


HOSTILE = {
    "brackets": "(" * 4000,
    "closed brackets": "(" * 2000 + "N" + ")" * 2000,
    "functions": "floor(" * 500 + "N" + ")" * 500,
    "signs": "-" * 4000 + "N",
    "divisions": "N" + "//M" * 340,
    "remainders": "N" + "%M" * 500,
    "powers": "(((((9**64)**64)**64)**64)**64)**64",
    "powers of a name": "(((N**64)**64)**64)**64",
    "a power of a sum": "floor((" + "+".join("abcdefgh") + ")**64/2)",
    "a product of sums": "floor(" + "*".join(f"(a{i}+b{i})" for i in range(90)) + "/2)",
    "fractions": "+".join(f"a{i}/b{i}" for i in range(100)),
    "a minimum of many": "min(" + ",".join(f"a{i}" for i in range(400)) + ")",
    "digits": "9" * 4000,
    "a long sum": "+".join(f"a{i}" for i in range(500)),
    "a long text": "N+" * 100_000 + "N",
    "quotes": "`" * 4001,
    "decimals": "0." + "3" * 4000 + "*N",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_read_or_rejected_and_nothing_else(source: str) -> None:
    try:
        text(parse(source))
    except DimSyntaxError:
        return


def test_an_error_shows_a_long_text_in_part() -> None:
    with pytest.raises(DimSyntaxError) as caught:
        parse("(" * 4000)
    assert len(str(caught.value)) < 200


@given(st.text(alphabet="NMx0129.:+-*/%(), `mainflor", max_size=40))
def test_any_text_is_read_or_rejected(source: str) -> None:
    try:
        dim = parse(source)
    except DimSyntaxError:
        return
    assert type(dim) is int or dims.is_symbolic(dim)
