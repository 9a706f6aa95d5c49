"""The ONNX backend interface on the NumPy kernels: ``import shapeinfer.backend as backend; backend.run_model(...)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import onnx
from onnx.backend.base import Backend, BackendRep, namedtupledict

from shapeinfer.kernels import KernelError
from shapeinfer.session import Session


class ShapeinferRep(BackendRep):
    """A model prepared to run."""

    def __init__(self, model: onnx.ModelProto, **options: Any) -> None:
        self._session = Session(model, seed=options.get("seed"))

    def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:
        """The outputs, a tuple with names, of a run on inputs by position, by name, or on a single one.

        Raises:
            KernelError: as :meth:`shapeinfer.Session.run`.
        """
        names = self._session.input_names
        if isinstance(inputs, Mapping):
            given = dict(inputs)
        else:
            values = inputs if isinstance(inputs, (list, tuple)) else [inputs]
            if len(values) > len(names):
                raise KernelError(f"{len(values)} values for {len(names)} inputs", code="R703")
            given = dict(zip(names, values, strict=False))
        found = self._session.run(given)
        result: tuple[Any, ...] = namedtupledict("Outputs", self._session.output_names)(*found)
        return result


class ShapeinferBackend(Backend):
    """Runs models on the CPU."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> bool:
        """Whether every operator of the model can be run on the device."""
        if not cls.supports_device(device):
            return False
        try:
            Session(model)
        except KernelError:
            return False
        return True

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **options: Any) -> ShapeinferRep:
        """The model prepared to run any number of times.

        Raises:
            KernelError: when it has an operator that cannot be run.
            ValueError: for a device that is not supported.
        """
        _check_device(device)
        return ShapeinferRep(model, **options)

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **options: Any) -> tuple[Any, ...]:
        """Prepares a model and runs it once."""
        return cls.prepare(model, device, **options).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Sequence[Any] | Mapping[str, Any],
        device: str = "CPU",
        outputs_info: Sequence[tuple[Any, tuple[int, ...]]] | None = None,
        **options: Any,
    ) -> tuple[Any, ...]:
        """Runs one node, at the operator set ``opset_version`` or the newest one."""
        _check_device(device)
        names = list(dict.fromkeys(filter(None, node.input)))
        given = dict(inputs) if isinstance(inputs, Mapping) else dict(zip(names, inputs, strict=True))
        model = onnx.ModelProto(ir_version=onnx.IR_VERSION)
        version = options.get("opset_version", onnx.defs.onnx_opset_version())
        model.opset_import.add(domain="", version=version)
        if node.domain not in ("", "ai.onnx"):
            model.opset_import.add(domain=node.domain, version=options.get("domain_version", 1))
        model.graph.name = "node"
        model.graph.node.add().CopyFrom(node)
        model.graph.input.extend(onnx.ValueInfoProto(name=name) for name in names)
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in node.output if name)
        return ShapeinferRep(model).run(given)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether it is the CPU."""
        return device.upper().partition(":")[0] == "CPU"


def _check_device(device: str) -> None:
    if not ShapeinferBackend.supports_device(device):
        raise ValueError(f"device {device} is not supported, only CPU")


is_compatible = ShapeinferBackend.is_compatible
prepare = ShapeinferBackend.prepare
run_model = ShapeinferBackend.run_model
run_node = ShapeinferBackend.run_node
supports_device = ShapeinferBackend.supports_device
