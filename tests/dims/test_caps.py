from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeinfer import dims
from shapeinfer.dims import BroadcastError
from tests.support import requirements, type_of

N, M = dims.symbol("N"), dims.symbol("M")


def test_caps_of_a_min() -> None:
    assert dims.caps(N, dims.minimum(N, 512)) == (512,)
    assert dims.caps(N, N) is None
    assert dims.caps(M, dims.minimum(N, 512)) is None
    assert dims.caps(3, N) is None


@given(st.integers(0, 6), st.integers(1, 5), st.integers(0, 4))
def test_a_size_broadcasts_to_itself_against_its_capped_form(n: int, cap: int, k: int) -> None:
    capped = dims.minimum(N, cap)
    above_zero = dims.add(N, dims.mul(k, dims.sub(1, dims.minimum(N, 1))))
    for other in (capped, above_zero):
        assert dims.broadcast(N, other) is N
        try:
            assert dims.broadcast(n, dims.evaluate(other, {"N": n})) == n
        except BroadcastError:
            continue


@pytest.mark.parametrize("rows", [2, 512])
def test_a_table_of_positions_limits_the_length(rows: int) -> None:
    text = f"""g (float[S, 4] x, float[{rows}, 4] t) => (y) <int64[1] z = {{0}}> {{
        e = Shape <end = 1> (x) p = Slice (t, z, e) y = Add (x, p)
    }}"""
    assert type_of(text) == "float[S, 4]"
    assert requirements(text) == [f"S <= {rows}"]
