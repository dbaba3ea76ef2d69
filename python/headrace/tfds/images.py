"""Decodes encoded images with Pillow."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headrace.errors import DataError, needed
from headrace.tfds.layout import Leaf


def check_pillow() -> None:
    """Raises MissingPackageError unless Pillow is installed."""
    needed("PIL.Image", "decode_images", "Pillow")


# Pillow's modes by number of channels.
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def decode(data: bytes, leaf: Leaf) -> NDArray[Any]:
    """Returns the pixels, [height, width, channels], in the leaf's type.

    Raises:
        DataError: the bytes are not an image that Pillow can decode.
    """
    import PIL.Image

    try:
        with PIL.Image.open(io.BytesIO(data)) as image:
            return _pixels(image, leaf)
    except Exception as error:  # Pillow raises many types of errors for damaged data
        raise DataError(
            f'feature "{leaf.path}" is not an image that can be decoded: {error}',
            feature=leaf.path,
        ) from error


def _pixels(image: Any, leaf: Leaf) -> NDArray[Any]:
    channels = leaf.pixels[-1] if leaf.pixels else 3
    if leaf.pixel_dtype == "float32":
        # The four bytes of an RGBA pixel are the bytes of one float.
        pixels = np.ascontiguousarray(np.asarray(image.convert("RGBA")))
        return pixels.view("<f4").astype(np.float32)
    if leaf.pixel_dtype == "uint16":
        pixels = np.asarray(image)
        return pixels.astype(np.uint16).reshape(*pixels.shape[:2], -1)
    mode = _MODES.get(channels)
    pixels = np.asarray(image if mode is None else image.convert(mode))
    return pixels.reshape(*pixels.shape[:2], -1)
