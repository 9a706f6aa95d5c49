"""DepthToSpace and SpaceToDepth."""

from __future__ import annotations

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("DepthToSpace", since=(1, 11, 13, 28))
def depth_to_space(input: Array, *, blocksize: int, mode: str = "DCR") -> Array:
    """Blocks of the channels moved to height and width; ``mode`` says which part of the channel index is the block."""
    n, c, h, w = _image(input, blocksize, mode)
    if c % blocksize**2:
        raise KernelError(f"{c} channels are not divisible by {blocksize**2}")
    depth = c // blocksize**2
    if mode == "DCR":
        blocks = input.reshape(n, blocksize, blocksize, depth, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        blocks = input.reshape(n, depth, blocksize, blocksize, h, w).transpose(0, 1, 4, 2, 5, 3)
    return blocks.reshape(n, depth, h * blocksize, w * blocksize)


@kernel("SpaceToDepth", since=(1, 13, 28))
def space_to_depth(input: Array, *, blocksize: int, mode: str = "DCR") -> Array:
    """Blocks of height and width moved to the channels, the reverse of DepthToSpace."""
    n, c, h, w = _image(input, blocksize, mode)
    if h % blocksize or w % blocksize:
        raise KernelError(f"{h}x{w} is not divisible by the blocksize {blocksize}")
    blocks = input.reshape(n, c, h // blocksize, blocksize, w // blocksize, blocksize)
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return blocks.transpose(order).reshape(n, c * blocksize**2, h // blocksize, w // blocksize)


def _image(data: Array, blocksize: int, mode: str) -> tuple[int, int, int, int]:
    if data.ndim != 4:
        raise KernelError(f"the input must be [N, C, H, W], not of shape {shape_text(data.shape)}")
    if blocksize < 1:
        raise KernelError(f"blocksize is {blocksize}")
    if mode not in ("DCR", "CRD"):
        raise KernelError(f"there is no mode {mode!r}")
    n, c, h, w = data.shape
    return n, c, h, w
