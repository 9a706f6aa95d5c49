"""Decision trees: many trees walked down by many rows at once, one level at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError

MODES: Final = (
    "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"
)  # fmt: skip
"""The comparisons, in the order of their numbers; leaves have the number after them."""
LEAF: Final = 7
MEMBER: Final = 6
_AT_ONCE: Final = 1 << 19  # pairs of a row and a tree


@dataclass(frozen=True, slots=True)
class Forest:
    """Nodes of all trees in one list.

    Attributes:
        features: the column that each node looks at.
        thresholds: what the entry is compared with.
        modes: how, as :data:`MODES` numbers it.
        yes, no: the node that comes next.
        missing_yes: whether NaN counts as true.
        roots: the first node of each tree.
        members: for each node the row of ``membership`` that says which of ``candidates`` it accepts.
    """

    features: Array
    thresholds: Array
    modes: Array
    yes: Array
    no: Array
    missing_yes: Array
    roots: Array
    members: Array | None = None
    membership: Array | None = None
    candidates: Array | None = None

    def leaves(self, x: Array) -> Array:
        """The leaf of each tree, ``[N, trees]``, that each row of ``x`` comes to.

        Raises:
            KernelError: when there are fewer features than a node asks for, or the nodes make a circle.
        """
        inner = self.features[self.modes != LEAF]
        if inner.size and not (inner.min() >= 0 and inner.max() < x.shape[1]):
            raise KernelError(f"nodes ask for feature {inner.max()} of {x.shape[1]}")
        step = max(1, _AT_ONCE // max(self.roots.size, 1))
        parts = [self._walk(x[begin : begin + step]) for begin in range(0, x.shape[0], step)]
        return np.concatenate(parts) if parts else np.zeros((0, self.roots.size), dtype=np.intp)

    def _walk(self, x: Array) -> Array:
        at = np.tile(self.roots, x.shape[0])
        lines = np.repeat(np.arange(x.shape[0]), self.roots.size)
        active = np.flatnonzero(self.modes[at] != LEAF)
        for _ in range(self.modes.size + 1):
            if not active.size:
                return at.reshape(x.shape[0], self.roots.size)
            nodes = at[active]
            values = x[lines[active], self.features[nodes]]
            following = np.where(self._holds(nodes, values), self.yes[nodes], self.no[nodes])
            at[active] = following
            active = active[self.modes[following] != LEAF]
        raise KernelError("the nodes of a tree make a circle")

    def _holds(self, nodes: Array, values: Array) -> Array:
        modes, thresholds = self.modes[nodes], self.thresholds[nodes]
        result = np.zeros(nodes.size, dtype=bool)
        for mode in np.unique(modes).tolist():
            which = slice(None) if (modes == mode).all() else modes == mode
            if mode == MEMBER:
                result[which] = self._contains(nodes[which], values[which])
            else:
                result[which] = _COMPARE[mode](values[which], thresholds[which])
        if values.dtype.kind == "f":
            result |= np.isnan(values) & self.missing_yes[nodes]
        return result

    def _contains(self, nodes: Array, values: Array) -> Array:
        if self.members is None or self.membership is None or self.candidates is None or not self.candidates.size:
            return np.zeros(nodes.size, dtype=bool)
        at = np.minimum(np.searchsorted(self.candidates, values), self.candidates.size - 1)
        return np.asarray(self.membership[self.members[nodes], at] & (self.candidates[at] == values))


_COMPARE: Final = (np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal)


@dataclass(frozen=True, slots=True)
class Votes:
    """What the leaves contribute: for the node ``i``, the entries ``starts[i]`` up to ``starts[i + 1]``."""

    starts: Array
    targets: Array
    weights: Array

    def gathered(self, leaves: Array, count: int, how: str, dtype: np.dtype[Any]) -> Array:
        """The votes of each row's leaves, ``[N, trees]``, put together for each target, ``[N, count]``.

        Args:
            how: SUM, AVERAGE, MIN or MAX; a target without votes gets 0.
        """
        if self.targets.size and not (self.targets.min() >= 0 and self.targets.max() < count):
            raise KernelError(f"a weight is for target {self.targets.max()} of {count}")
        flat = leaves.reshape(-1)
        lengths = self.starts[flat + 1] - self.starts[flat]
        owners = np.repeat(np.repeat(np.arange(leaves.shape[0]), leaves.shape[1]), lengths)
        ends = np.cumsum(lengths)
        entries = np.arange(owners.size) + np.repeat(self.starts[flat] - (ends - lengths), lengths)
        cells, weights = owners * count + self.targets[entries], self.weights[entries]
        size = leaves.shape[0] * count
        if how in ("SUM", "AVERAGE"):
            total = np.bincount(cells, weights, size) / (max(leaves.shape[1], 1) if how == "AVERAGE" else 1)
        elif how in ("MIN", "MAX"):
            total = np.full(size, np.inf if how == "MIN" else -np.inf)
            (np.minimum if how == "MIN" else np.maximum).at(total, cells, weights)
            total[np.isinf(total)] = 0
        else:
            raise KernelError(f"there is no aggregate function {how!r}")
        return total.reshape(leaves.shape[0], count).astype(dtype)


def votes_of(nodes: Array, targets: Array, weights: Array, count: int) -> Votes:
    """Votes ordered by node, of which there are ``count``."""
    order = np.argsort(nodes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=count))])
    return Votes(starts, targets[order], weights[order])


def parallel(**lists: Sequence[Any] | Array) -> None:
    """Refuses lists that are not of one length."""
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        raise KernelError("lists differ in length: " + ", ".join(f"{n} {length}" for n, length in lengths.items()))
