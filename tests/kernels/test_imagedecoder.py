from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shapeinfer.kernels import KernelError, call, find

PIXELS = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3) * 4


def encoded(kind: str = "PNG") -> NDArray[np.uint8]:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(PIXELS).save(file, kind)
    return np.frombuffer(file.getvalue(), np.uint8)


def decode(data: NDArray[np.uint8], pixel_format: str = "RGB") -> NDArray[Any]:
    kernel = find("", "ImageDecoder", 20)
    assert kernel is not None
    result: NDArray[Any] = call(kernel, [data], {"pixel_format": pixel_format})[0]
    return result


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "PPM"])
def test_lossless_formats_give_the_pixels(kind: str) -> None:
    np.testing.assert_array_equal(decode(encoded(kind)), PIXELS)
    np.testing.assert_array_equal(decode(encoded(kind), "BGR"), PIXELS[..., ::-1])


def test_grayscale_has_one_channel() -> None:
    assert decode(encoded(), "Grayscale").shape == (4, 5, 1)


def test_what_is_no_image_gives_an_empty_one() -> None:
    assert decode(np.zeros(10, np.uint8)).shape == (0, 0, 3)
    assert decode(encoded()[:20], "Grayscale").shape == (0, 0, 1)


def test_faults() -> None:
    with pytest.raises(KernelError, match="pixel_format is HSV"):
        decode(encoded(), "HSV")
    with pytest.raises(KernelError, match="must be 1-D"):
        decode(encoded().reshape(1, -1))
