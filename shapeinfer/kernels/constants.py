"""Works out once, before the first run, what depends on stored values alone."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.nodes import check_types
from shapeinfer.kernels.plan import Plan, Step
from shapeinfer.kernels.registry import call

BYTES: Final = 1 << 31
"""So much is kept at most of what was worked out, for each graph."""


def remaining(plan: Plan) -> tuple[Step, ...]:
    """The steps that are left for each run; the outputs of the others are kept with the plan's stored values.

    For runs in which every input that has a default keeps it.
    A step that fails, that draws random numbers, or whose outputs are no tensors or too large is left as it is.
    """
    if plan.remaining is None:
        fixed = set(plan.stored())
        left, room = [], BYTES
        for step in plan.steps:
            made = _outputs(plan, step) if fixed.issuperset(step.uses) else None
            size = sum(array.nbytes for array in made) if made is not None else 0
            if made is None or size > room:
                left.append(step)
                continue
            room -= size
            for name, array in zip(step.outputs, made, strict=True):
                if name:
                    plan.keep(name, array)
                    fixed.add(name)
        plan.remaining = tuple(left)
        plan.forget({name for step in left for name in step.uses} | set(plan.outputs))
    return plan.remaining


def _outputs(plan: Plan, step: Step) -> list[Any] | None:
    if step.kernel is None or step.signature is None or step.fault is not None or "rng" in step.kernel.needs:
        return None
    arguments = [plan.initializer(name) if name else None for name in step.inputs]
    try:
        check_types(step.signature, arguments)
        made = call(step.kernel, arguments, step.attributes, outputs=len(step.outputs))
    except KernelError:
        return None  # it fails again when it is its turn, if that ever comes
    return made if all(isinstance(each, np.ndarray) for each in made) else None
