"""python -m reticle FILE...: reads the barcodes in picture files, one line per code."""

from __future__ import annotations

import argparse
import json
import os
import sys
import unicodedata
from typing import Any, Dict, List, Optional

import reticle


def _safe(text: str) -> str:
    """Text that has no effect on a terminal and stays on its line."""
    names = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}

    def escaped(character: str) -> str:
        if character in names:
            return names[character]
        if unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp", "Cs") or character in "\u200c\u200d":
            return character
        return f"\\x{ord(character):02x}" if ord(character) < 0x80 else f"\\u{{{ord(character):x}}}"

    return "".join(map(escaped, text))


def _decimal(value: float) -> Any:
    """A coordinate in hundredths, rounded to the nearest."""
    hundredths = (int(value * 65536) * 100 + 32768) >> 16
    return hundredths // 100 if hundredths % 100 == 0 else hundredths / 100


def answer(symbol: reticle.Symbol) -> Dict[str, Any]:
    """A symbol as `reticle scan --format json` writes it."""
    code: Dict[str, Any] = {"symbology": symbol.symbology, "aim": symbol.aim, "text": symbol.text}
    if symbol.component == "unread":
        code["component"] = "unread"
    if symbol.hri is not None:
        code["hri"] = symbol.hri
    if symbol.is_link:
        code["link"] = True
    code["bytes_hex"] = symbol.bytes.hex()
    if symbol.part is not None:
        code["part"] = {"id": str(symbol.part.id), "position": symbol.part.index + 1}
        if symbol.part.count > 0:
            code["part"]["total"] = symbol.part.count
    code["corners"] = [[_decimal(point.x), _decimal(point.y)] for point in symbol.corners]
    return code


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m reticle",
        description="Reads the barcodes in picture files.",
        epilog="Exit status: 0 if a code was found, 1 if none was, 2 if a file could not be read, 64 for wrong usage, 74 if an answer could "
        "not be written.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a picture file")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="one line per code, or one per file")
    parser.add_argument("--symbologies", metavar="a,b", help=f"out of {', '.join(reticle.SYMBOLOGIES)}, or all")
    parser.add_argument("--effort", choices=("still", "frame"), default="still")
    parser.add_argument("--addons", choices=("ignore", "read", "require"), default="ignore")
    parser.add_argument("--version", action="version", version=f"reticle {reticle.__version__}")
    try:
        options = parser.parse_args(arguments)
        reader = reticle.Reader(options.symbologies, options.effort, add_ons=options.addons)
    except SystemExit as end:
        return 64 if end.code else 0
    except ValueError as error:
        print(f"reticle: {error}", file=sys.stderr)
        return 64
    try:
        return _answer_all(reader, options)
    except BrokenPipeError:
        # The reader of the answers has gone; the interpreter must not flush the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 74


def _answer_all(reader: reticle.Reader, options: argparse.Namespace) -> int:
    has_code = has_failure = False
    for file in options.files:
        try:
            reader.begin_sequence()
            symbols = reader.read(file)
        except (OSError, ValueError, reticle.Error) as error:
            has_failure = True
            if options.format == "json":
                print(json.dumps({"file": file, "error": str(error)}))
            print(f"reticle: {_safe(file)}: {_safe(str(error))}", file=sys.stderr)
            continue
        has_code = has_code or bool(symbols)
        if options.format == "json":
            print(json.dumps({"file": file, "codes": [answer(symbol) for symbol in symbols]}, separators=(",", ":")))
        else:
            for symbol in symbols:
                print(f"{_safe(file)}\t{symbol.symbology}\t{_safe(symbol.hri or symbol.text)}")
    sys.stdout.flush()
    return 2 if has_failure else 0 if has_code else 1


if __name__ == "__main__":
    sys.exit(main())
