"""libreticle by ctypes: the structs and functions of reticle.h, with the same names."""

from __future__ import annotations

import ctypes
import pathlib
from typing import Any

ABI_VERSION = 1

_file = pathlib.Path(__file__).with_name("libreticle.so.1")
try:
    library = ctypes.CDLL(str(_file))
except OSError as error:
    raise ImportError(
        f"{_file} cannot be loaded: {error}. Install the wheel that is made for this machine; it needs Linux with glibc 2.17 or newer."
    ) from error


class Settings(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("symbologies", ctypes.c_uint64),
        ("voted_symbologies", ctypes.c_uint64),
        ("work_limit", ctypes.c_int64),
        ("effort", ctypes.c_int32),
        ("add_ons", ctypes.c_int32),
        ("composite", ctypes.c_int32),
        ("voted_reading_count", ctypes.c_int32),
        ("assumed_eci", ctypes.c_int32),
        ("code39_full_ascii", ctypes.c_int32),
        ("msi_check", ctypes.c_int32),
        ("msi_keeps_check_digits", ctypes.c_int32),
        ("code11_check", ctypes.c_int32),
        ("code11_keeps_check_digits", ctypes.c_int32),
        ("codabar_keeps_start_and_stop", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("checks", ctypes.c_uint8 * 64),
        ("length_min", ctypes.c_uint8 * 64),
        ("length_max", ctypes.c_uint8 * 64),
    ]


class Region(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int32) for name in ("x", "y", "width", "height")]


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]


class Outcome(ctypes.Structure):
    _fields_ = [
        ("symbol_count", ctypes.c_size_t),
        ("located_count", ctypes.c_size_t),
        ("work_units", ctypes.c_int64),
        ("work_limit", ctypes.c_int64),
        ("limits", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class Symbol(ctypes.Structure):
    _fields_ = [
        ("symbology", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
        ("aim", ctypes.c_char * 4),
        ("add_on_byte_count", ctypes.c_uint8),
        ("confidence", ctypes.c_uint8),
        ("line_count", ctypes.c_uint8),
        ("reserved", ctypes.c_uint8),
        ("corrected_codeword_count", ctypes.c_uint32),
        ("segment_count", ctypes.c_uint32),
        ("bytes", ctypes.c_void_p),
        ("byte_count", ctypes.c_size_t),
        ("corners", Point * 4),
        ("part_index", ctypes.c_int32),
        ("part_count", ctypes.c_int32),
        ("part_id", ctypes.c_uint64),
    ]


class Located(ctypes.Structure):
    _fields_ = [
        ("symbology", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("corners", Point * 4),
        ("module", ctypes.c_double),
    ]


class Text(ctypes.Structure):
    _fields_ = [
        ("text", ctypes.c_void_p),
        ("text_byte_count", ctypes.c_size_t),
        ("hri", ctypes.c_void_p),
        ("hri_byte_count", ctypes.c_size_t),
        ("flags", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("needed_byte_count", ctypes.c_size_t),
    ]


OK = 0
BUFFER_TOO_SMALL = 23
NO_MEMORY = 24

SYMBOL_GS1 = 1
SYMBOL_INVERTED = 2
SYMBOL_MIRRORED = 4
SYMBOL_COMPONENT = 8
SYMBOL_COMPONENT_UNREAD = 16
SYMBOL_PART = 32
TEXT_EXACT = 1
TEXT_LINK = 2

_size, _pointer, _status = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int32
_functions: list[tuple[str, Any, list[Any]]] = [
    ("reticle_abi_version", ctypes.c_uint32, []),
    ("reticle_version", ctypes.c_char_p, []),
    ("reticle_status_text", ctypes.c_char_p, [_status]),
    ("reticle_symbology_name", ctypes.c_char_p, [ctypes.c_int32]),
    ("reticle_symbology_title", ctypes.c_char_p, [ctypes.c_int32]),
    ("reticle_symbologies", ctypes.c_uint64, []),
    ("reticle_settings_init", _status, [ctypes.POINTER(Settings), _size]),
    ("reticle_workspace_size", _size, [_size]),
    ("reticle_workspace_make", _status, [_pointer, _size, _size, ctypes.POINTER(_pointer)]),
    ("reticle_begin_sequence", _status, [_pointer]),
    (
        "reticle_decode",
        _status,
        [
            _pointer, _pointer, _size, _size, _size, ctypes.POINTER(Region), ctypes.POINTER(Settings), ctypes.POINTER(Outcome),
            _size,
        ],
    ),
    ("reticle_get_symbol", _status, [_pointer, _size, ctypes.POINTER(Symbol), _size]),
    ("reticle_get_located", _status, [_pointer, _size, ctypes.POINTER(Located), _size]),
    ("reticle_get_text", _status, [_pointer, _size, _pointer, _size, ctypes.POINTER(Text), _size]),
]
for _name, _result, _arguments in _functions:
    _function = getattr(library, _name)
    _function.restype, _function.argtypes = _result, _arguments

if library.reticle_abi_version() != ABI_VERSION:
    raise ImportError(f"{_file} has another ABI than this package. Install the whole wheel again.")
