"""Reads barcodes in pictures.

    import reticle

    for symbol in reticle.read("label.png"):
        print(symbol.symbology, symbol.text)
"""

from __future__ import annotations

import ctypes
import dataclasses
import mmap
import os
import threading
from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _library, _pictures
from ._library import library as _c

if TYPE_CHECKING:
    import numpy
    import PIL.Image

    Picture = Union[str, os.PathLike[str], PIL.Image.Image, numpy.ndarray, memoryview]

__all__ = [
    "DEFAULT_SYMBOLOGIES", "Error", "Located", "Part", "Point", "Reader", "Rect", "SYMBOLOGIES", "Settings", "Symbol", "Symbols",
    "__version__", "read",
]

__version__: str = _c.reticle_version().decode()


class Error(ValueError):
    """The library refuses an argument; the message says why and what helps."""


class Point(NamedTuple):
    """A place in pixels: (0, 0) is the centre of the top left pixel, y grows downwards."""

    x: float
    y: float


class Rect(NamedTuple):
    """A rectangle of whole pixels."""

    left: int
    top: int
    width: int
    height: int


@dataclasses.dataclass(frozen=True)
class Part:
    """The place of a symbol in a message that is spread over several."""

    #: From 0.
    index: int
    #: 0 if the symbol does not say.
    count: int
    #: The number that all symbols of the message share.
    id: int


class _Corners:
    corners: Tuple[Point, Point, Point, Point]

    @property
    def rect(self) -> Rect:
        """The pixels around the corners."""
        xs, ys = [round(p.x) for p in self.corners], [round(p.y) for p in self.corners]
        return Rect(min(xs), min(ys), max(xs) - min(xs) + 1, max(ys) - min(ys) + 1)


@dataclasses.dataclass(frozen=True)
class Symbol(_Corners):
    """A symbol that was read."""

    #: The id, such as "ean13" or "databar-limited".
    symbology: str
    #: The text; an add-on follows the main symbol after a space, FNC1 between GS1 element strings is U+001D.
    text: str
    #: The message as encoded.
    bytes: bytes
    #: Without quiet zone, from the symbol's own top left clockwise as it is meant to be seen.
    corners: Tuple[Point, Point, Point, Point]
    #: The AIM symbology identifier, such as "]E0".
    aim: str
    #: The human-readable interpretation of a GS1 symbol, such as "(01)09501101530003(17)140704", or the number of an Italian medicine.
    hri: Optional[str]
    is_gs1: bool
    #: Whether the text is a URL.
    is_link: bool
    #: Whether every byte was part of a character; otherwise the text contains U+FFFD.
    is_exact: bool
    #: Whether the symbol is light on dark.
    is_inverted: bool
    is_mirrored: bool
    #: Whether the component of a GS1 Composite symbol was read: "read", "unread", or None for a symbol without a component.
    component: Optional[str]
    part: Optional[Part]
    #: 1 to 100; 100 means that nothing was corrected and nothing was near a limit.
    confidence: int

    @property
    def title(self) -> str:
        """The symbology's name for people, such as "GS1 DataBar Limited"."""
        return _TITLES[self.symbology]


@dataclasses.dataclass(frozen=True)
class Located(_Corners):
    """A symbol that was found but not read."""

    #: The symbology that it looks like; None for bars, which do not reveal it.
    symbology: Optional[str]
    corners: Tuple[Point, Point, Point, Point]
    #: The width of a module in pixels, for bars an estimate.
    module: float


class Symbols(List[Symbol]):
    """The symbols of a picture, in order of discovery."""

    #: Symbols that were found but not read.
    located: List[Located]
    #: Whether all candidates were tried before the effort's work was spent.
    is_complete: bool
    #: The work that the picture cost. Equal pixels and settings cost the same on every machine.
    work_units: int


_NUMBERS = {
    _c.reticle_symbology_name(number).decode(): number for number in range(64) if _c.reticle_symbologies() >> number & 1
}
_NAMES = {number: name for name, number in _NUMBERS.items()}
_TITLES: Mapping[str, str] = {name: _c.reticle_symbology_title(number).decode() for name, number in _NUMBERS.items()}

#: The ids of all symbologies.
SYMBOLOGIES: Tuple[str, ...] = tuple(_NUMBERS)


def _check(status: int) -> None:
    if status != _library.OK:
        message = _c.reticle_status_text(status).decode()
        raise (MemoryError if status == _library.NO_MEMORY else Error)(message)


def _defaults() -> _library.Settings:
    settings = _library.Settings()
    _check(_c.reticle_settings_init(ctypes.byref(settings), ctypes.sizeof(settings)))
    return settings


#: The symbologies that are looked for unless others are named.
DEFAULT_SYMBOLOGIES: Tuple[str, ...] = tuple(name for name, number in _NUMBERS.items() if _defaults().symbologies >> number & 1)


def _number(name: str) -> int:
    number = _NUMBERS.get(name.strip().lower()) if isinstance(name, str) else None
    if number is None:
        raise ValueError(f"there is no symbology {name!r}; there are {', '.join(SYMBOLOGIES)}")
    return number


def _bits(names: Union[str, Iterable[str]]) -> int:
    names = names.split(",") if isinstance(names, str) else list(names)
    if not names:
        raise ValueError(f"no symbology is named; there are {', '.join(SYMBOLOGIES)}")
    if names == ["all"]:
        return int(_c.reticle_symbologies())
    bits = 0
    for name in names:
        bits |= 1 << _number(name)
    return bits


def _choice(field: str, value: str, choices: Mapping[str, int]) -> int:
    if value not in choices:
        raise ValueError(f"{field} is {value!r}; give one of {', '.join(choices)}")
    return choices[value]


def _int32(field: str, value: int) -> int:
    # ctypes would cut off what does not fit.
    if not isinstance(value, int) or not -(1 << 31) <= value < 1 << 31:
        raise ValueError(f"{field} is {value!r}; give a number of at most 31 bits")
    return value


_EFFORTS = {"still": 0, "frame": 1}
_ADD_ONS = {"ignore": 0, "read": 1, "require": 2}
_COMPOSITE = {"wait": 0, "ignore": 1}
_CHECKS = {"none": 0, "verify": 1, "drop": 2}
_FULL_ASCII = {"detect": 0, "never": 1, "always": 2}
_MSI_CHECKS = {"none": 0, "mod10": 1, "mod10-mod10": 2, "mod11": 3, "mod11-mod10": 4}
_CODE11_CHECKS = {"either": 0, "none": 1, "one": 2, "two": 3}


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings beyond those of `read`, with the names of the configuration's keys below `decoder`."""

    #: "wait" reads the component above a GS1 Composite's linear symbol, too; "ignore" reads the linear symbol alone.
    composite: str = "wait"
    #: By symbology: "none", "verify" or "drop", for the optional check characters of Code 39, Codabar and the codes 2 of 5.
    checks: Mapping[str, str] = dataclasses.field(default_factory=dict)
    #: By symbology: the permitted length of a linear symbology's text, or the least and the greatest.
    lengths: Mapping[str, Union[int, Tuple[int, int]]] = dataclasses.field(default_factory=dict)
    #: "detect", "never" or "always"
    code39_full_ascii: str = "detect"
    #: "none", "mod10", "mod10-mod10", "mod11" or "mod11-mod10"
    msi_check: str = "mod10"
    msi_keeps_check_digits: bool = True
    #: "either", "none", "one" or "two"
    code11_check: str = "either"
    code11_keeps_check_digits: bool = True
    codabar_keeps_start_and_stop: bool = True
    #: The ECI assignment number of bytes whose symbol declares no character set, such as 26 for UTF-8.
    assumed_eci: Optional[int] = None
    #: At effort "frame": the symbologies that are read in some frames before they are kept while their pixels stay the same, so
    #: that the readings can be compared; None for those with a weak check character or none.
    voted_symbologies: Optional[Iterable[str]] = None
    #: At effort "frame": the number of these frames.
    voted_reading_count: int = 2
    #: At effort "frame": work units that a frame may cost; 0 for the least.
    work_limit: int = 0

    def _apply(self, settings: _library.Settings) -> None:
        settings.composite = _choice("composite", self.composite, _COMPOSITE)
        for name, check in self.checks.items():
            settings.checks[_number(name)] = _choice(f"the check of {name}", check, _CHECKS)
        for name, length in self.lengths.items():
            least, most = (length, length) if isinstance(length, int) else length
            if not (0 <= least <= 255 and 0 <= most <= 255):
                raise ValueError(f"the length of {name} is {length}; give numbers up to 255")
            settings.length_min[_number(name)], settings.length_max[_number(name)] = least, most
        settings.code39_full_ascii = _choice("code39_full_ascii", self.code39_full_ascii, _FULL_ASCII)
        settings.msi_check = _choice("msi_check", self.msi_check, _MSI_CHECKS)
        settings.code11_check = _choice("code11_check", self.code11_check, _CODE11_CHECKS)
        settings.msi_keeps_check_digits = bool(self.msi_keeps_check_digits)
        settings.code11_keeps_check_digits = bool(self.code11_keeps_check_digits)
        settings.codabar_keeps_start_and_stop = bool(self.codabar_keeps_start_and_stop)
        settings.assumed_eci = -1 if self.assumed_eci is None else _int32("assumed_eci", self.assumed_eci)
        if self.voted_symbologies is not None:
            names = list(self.voted_symbologies)
            settings.voted_symbologies = _bits(names) if names else 0
        settings.voted_reading_count = _int32("voted_reading_count", self.voted_reading_count)
        settings.work_limit = _int32("work_limit", self.work_limit)


class Reader:
    """A decoder with memory of its own, for many pictures with the same settings, or for the frames of a camera.

    With effort "frame", it keeps what it saw from one frame to the next. One thread at a time may use a reader; the interpreter's
    lock is free while it decodes.
    """

    #: The first memory fits a Full HD picture.
    _FIRST_PIXEL_COUNT = 1920 * 1080

    def __init__(
        self,
        symbologies: Union[str, Iterable[str], None] = None,
        effort: str = "still",
        *,
        add_ons: str = "ignore",
        settings: Optional[Settings] = None,
    ) -> None:
        self._settings = _defaults()
        if symbologies is not None:
            self._settings.symbologies = _bits(symbologies)
        self._settings.effort = _choice("effort", effort, _EFFORTS)
        self._settings.add_ons = _choice("add_ons", add_ons, _ADD_ONS)
        (settings or Settings())._apply(self._settings)
        self._pixel_count = 0
        self._memory: Any = None
        self._workspace = ctypes.c_void_p()
        self._buffer = ctypes.create_string_buffer(4096)

    def begin_sequence(self) -> None:
        """Forgets what was in view: the next frame begins a new sequence."""
        if self._workspace:
            _check(_c.reticle_begin_sequence(self._workspace))

    def read(
        self, image: "Picture", *, region: Optional[Tuple[int, int, int, int]] = None, channels: str = "bgr"
    ) -> Symbols:
        """The symbols of a picture, or of the next frame; see `reticle.read`."""
        picture = _pictures.luma(image, channels)
        self._make_room(picture.width * picture.height)
        part = None if region is None else _library.Region(*(_int32("region", number) for number in region))
        outcome = _library.Outcome()
        _check(
            _c.reticle_decode(
                self._workspace, picture.address, picture.width, picture.height, picture.stride,
                None if part is None else ctypes.byref(part), ctypes.byref(self._settings), ctypes.byref(outcome),
                ctypes.sizeof(outcome),
            )
        )
        symbols = Symbols(self._symbol(index) for index in range(outcome.symbol_count))
        symbols.located = [self._located(index) for index in range(outcome.located_count)]
        symbols.is_complete = outcome.limits == 0
        symbols.work_units = outcome.work_units
        return symbols

    def _make_room(self, pixel_count: int) -> None:
        if pixel_count <= self._pixel_count:
            return
        room = max(pixel_count, self._FIRST_PIXEL_COUNT)
        size = _c.reticle_workspace_size(room)
        if not size:
            raise Error(f"The picture has {pixel_count} pixels, and the decoder reads up to 67108864. Reduce it.")
        # Pages that no picture needs are never touched, and a forked process has its own.
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._memory = ctypes.c_char.from_buffer(memory)
        _check(_c.reticle_workspace_make(ctypes.addressof(self._memory), size, room, ctypes.byref(self._workspace)))
        self._pixel_count = room

    def _symbol(self, index: int) -> Symbol:
        symbol, text = _library.Symbol(), _library.Text()
        _check(_c.reticle_get_symbol(self._workspace, index, ctypes.byref(symbol), ctypes.sizeof(symbol)))
        arguments = ctypes.byref(text), ctypes.sizeof(text)
        status = _c.reticle_get_text(self._workspace, index, self._buffer, len(self._buffer), *arguments)
        if status == _library.BUFFER_TOO_SMALL:
            self._buffer = ctypes.create_string_buffer(text.needed_byte_count)
            status = _c.reticle_get_text(self._workspace, index, self._buffer, len(self._buffer), *arguments)
        _check(status)
        flags = symbol.flags
        component = (
            "read" if flags & _library.SYMBOL_COMPONENT
            else "unread" if flags & _library.SYMBOL_COMPONENT_UNREAD
            else None
        )
        return Symbol(
            symbology=_NAMES[symbol.symbology],
            text=ctypes.string_at(text.text, text.text_byte_count).decode(),
            bytes=ctypes.string_at(symbol.bytes, symbol.byte_count) if symbol.byte_count else b"",
            corners=_corners(symbol.corners),
            aim=symbol.aim.decode(),
            hri=ctypes.string_at(text.hri, text.hri_byte_count).decode() if text.hri else None,
            is_gs1=bool(flags & _library.SYMBOL_GS1),
            is_link=bool(text.flags & _library.TEXT_LINK),
            is_exact=bool(text.flags & _library.TEXT_EXACT),
            is_inverted=bool(flags & _library.SYMBOL_INVERTED),
            is_mirrored=bool(flags & _library.SYMBOL_MIRRORED),
            component=component,
            part=Part(symbol.part_index, symbol.part_count, symbol.part_id) if flags & _library.SYMBOL_PART else None,
            confidence=symbol.confidence,
        )

    def _located(self, index: int) -> Located:
        located = _library.Located()
        _check(_c.reticle_get_located(self._workspace, index, ctypes.byref(located), ctypes.sizeof(located)))
        return Located(_NAMES.get(located.symbology), _corners(located.corners), located.module)


def _corners(points: Any) -> Tuple[Point, Point, Point, Point]:
    a, b, c, d = (Point(point.x, point.y) for point in points)
    return a, b, c, d


_thread = threading.local()


def read(
    image: "Picture",
    symbologies: Union[str, Iterable[str], None] = None,
    effort: str = "still",
    *,
    add_ons: str = "ignore",
    region: Optional[Tuple[int, int, int, int]] = None,
    channels: str = "bgr",
    settings: Optional[Settings] = None,
) -> Symbols:
    """The symbols in a picture.

    - image: the name of a picture file; a Pillow image; a NumPy array of rows and columns, and 1, 3 or 4 channels; or a buffer
      of rows, such as memoryview(pixels).cast("B", (height, width)). Pixels that are partly transparent are seen over white.
    - symbologies: ids such as ["ean13", "qr"] or "ean13,qr"; "all" for `SYMBOLOGIES`; None for `DEFAULT_SYMBOLOGIES`.
    - effort: "still" for all that helps a single picture, "frame" for as much as one camera frame may cost.
    - add_ons: "read" reports the add-on beside an EAN or UPC symbol, "require" only symbols that have one.
    - region: left, top, width and height of the part to read. Corners stay in the pixels of the whole picture.
    - channels: the order of an array's colours, "bgr" as OpenCV has them or "rgb".

    Each thread that calls this keeps memory for its largest picture. Use a `Reader` for the frames of a camera.
    """
    reader = Reader(symbologies, effort, add_ons=add_ons, settings=settings)
    earlier = getattr(_thread, "reader", None)
    if earlier is not None:
        reader._memory, reader._workspace, reader._pixel_count = earlier._memory, earlier._workspace, earlier._pixel_count
        reader.begin_sequence()
    try:
        return reader.read(image, region=region, channels=channels)
    finally:
        _thread.reader = reader
