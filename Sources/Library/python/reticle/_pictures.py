"""Pictures of all kinds as rows of 8-bit luma, with the arithmetic of `reticle scan`."""

from __future__ import annotations

import os
from typing import Any, NamedTuple


class Luma(NamedTuple):
    """Rows of luma in memory that `owner` keeps."""

    address: int
    width: int
    height: int
    stride: int
    owner: Any


def luma(image: Any, channels: str) -> Luma:
    """The luma of a picture; see `reticle.read`."""
    if channels not in ("bgr", "rgb"):
        raise ValueError(f"channels is {channels!r}; give 'bgr' or 'rgb'")
    if isinstance(image, (str, os.PathLike)):
        return _of_file(image)
    if hasattr(image, "getbands") and hasattr(image, "convert"):
        return _of_pillow(image)
    if hasattr(image, "__array_interface__") or hasattr(image, "__array__"):
        return _of_numpy(image, channels)
    return _of_buffer(image)


def _of_file(path: str | os.PathLike[str]) -> Luma:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("Picture files are read with Pillow: pip install pillow") from error
    with Image.open(path) as image:
        if image.format == "JPEG" and image.mode == "RGB":
            # The luma that the file stores: no conversion from colours, which would change it.
            image.draft("L", image.size)
        return _of_pillow(image)


def _of_pillow(image: Any) -> Luma:
    from PIL import ImageChops

    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa"):
        image = image.convert("LA" if image.mode in ("LA", "La") else "RGBA")
        grey = image.getchannel("L") if image.mode == "LA" else image.convert("RGB").convert("L")
        # Over white.
        image = ImageChops.invert(ImageChops.multiply(ImageChops.invert(grey), image.getchannel("A")))
    elif image.mode == "I" or image.mode.startswith("I;16"):
        # 16 bits per pixel.
        image = image.convert("I").point(lambda value: value * (1 / 257) + 0.5).convert("L")
    elif image.mode == "F":
        raise TypeError("The picture's pixels are fractions; convert it to mode L first")
    elif image.mode in ("LAB", "HSV", "CMYK"):
        image = image.convert("RGB").convert("L")
    elif image.mode != "L":
        image = image.convert("L")
    width, height = image.size
    return _of_bytes(image.tobytes(), width, height)


def _of_bytes(pixels: bytes, width: int, height: int) -> Luma:
    import ctypes

    # A view of the bytes, which lives as long as they do.
    address = ctypes.cast(ctypes.c_char_p(pixels), ctypes.c_void_p).value or 0
    return Luma(address, width, height, width, pixels)


def _of_numpy(image: Any, channels: str) -> Luma:
    import numpy

    array = numpy.asarray(image)
    if array.dtype == numpy.bool_:
        array = array.astype(numpy.uint8) * 255
    elif array.dtype == numpy.uint16:
        array = ((array.astype(numpy.uint32) * 255 + 32895) >> 16).astype(numpy.uint8)
    elif array.dtype != numpy.uint8:
        raise TypeError(
            f"The array holds {array.dtype}; give uint8, uint16 or bool, such as (255 * array).clip(0, 255).astype('uint8')"
        )
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim == 3 and array.shape[2] in (3, 4):
        planes = array.astype(numpy.uint32)
        red, blue = (2, 0) if channels == "bgr" else (0, 2)
        grey = (19595 * planes[:, :, red] + 38470 * planes[:, :, 1] + 7471 * planes[:, :, blue] + 32768) >> 16
        if array.shape[2] == 4:
            grey = 255 - (2 * (255 - grey) * planes[:, :, 3] + 255) // 510
        array = grey.astype(numpy.uint8)
    if array.ndim != 2:
        raise TypeError(f"The array's shape is {array.shape}; give rows and columns, and 1, 3 or 4 channels if any")
    if array.size == 0:
        raise ValueError("The picture has no pixel")
    if array.strides[1] != 1 or array.strides[0] < array.shape[1]:
        array = numpy.ascontiguousarray(array)
    return Luma(array.ctypes.data, array.shape[1], array.shape[0], array.strides[0], array)


def _of_buffer(image: Any) -> Luma:
    try:
        view = memoryview(image)
    except TypeError as error:
        raise TypeError(
            f"{type(image).__name__} is not a kind of picture; give a file's name, a Pillow image, a NumPy array, or a buffer of rows"
        ) from error
    if view.shape is None or view.ndim != 2 or view.format not in ("B", "b", "c"):
        raise TypeError("The buffer has no rows of bytes; give memoryview(pixels).cast('B', (height, width))")
    height, width = view.shape
    return _of_bytes(view.tobytes(), width, height)
