"""ImageDecoder (20): the pixels of an encoded image, by Pillow.

The specification asks for an empty image where decoding fails.
"""

from __future__ import annotations

import io

import numpy as np

from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel

_MODES = {"RGB": "RGB", "BGR": "RGB", "Grayscale": "L"}


@kernel("ImageDecoder", since=(20,))
def image_decoder(encoded: Array, *, pixel_format: str) -> Array:
    """``(height, width, channels)`` of uint8 from the bytes of a file."""
    if pixel_format not in _MODES:
        raise KernelError(f"pixel_format is {pixel_format}, but must be one of {', '.join(_MODES)}")
    if encoded.ndim != 1:
        raise KernelError(f"the encoded image has shape {list(encoded.shape)}, but must be 1-D")
    from PIL import Image  # loaded when the first image is decoded

    channels = 1 if pixel_format == "Grayscale" else 3
    try:
        with Image.open(io.BytesIO(encoded.tobytes())) as image:
            pixels: Array = np.array(image.convert(_MODES[pixel_format]), np.uint8)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return np.zeros((0, 0, channels), np.uint8)
    pixels = pixels.reshape(*pixels.shape[:2], channels)
    return pixels[..., ::-1] if pixel_format == "BGR" else pixels
