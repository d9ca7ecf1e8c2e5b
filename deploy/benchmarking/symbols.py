"""Symbols of random contents, printed by zint: a printer that none of the readers comes with."""
import importlib.machinery
import importlib.util
import random
import subprocess
import sys
from pathlib import Path

from readers import RETAIL
from rules import expanded

# The number by which zint knows a symbology.
ZINT = {
    "ean13": 13, "upca": 34, "code128": 20, "code39": 8, "itf": 3, "databar": 29, "pdf417": 55, "datamatrix": 71, "qr": 58,
    "microqr": 97, "rmqr": 145, "aztec": 92, "maxicode": 57,
}
# Pixels per module of a printed symbol.
DOTS = 10
# Modules of paper around the symbol: at least what any of the standards asks for.
QUIET = {"matrix": 4, "bars": 11}
CHECKED = RETAIL | {"itf14", "databar", "databar-limited"}


def load_limits():
    """deploy/limits, which knows what is drawn of each symbology."""
    loader = importlib.machinery.SourceFileLoader("limits", str(Path(__file__).resolve().parent.parent / "limits"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("limits", loader))
    loader.exec_module(module)
    return module


def printed_text(symbology, content):
    """The content with the check digit that the printer added, computed here: a reader's answer is no truth."""
    if symbology not in CHECKED:
        return content
    body = content
    if symbology == "upce":
        body = expanded(content + "0")[:-1]
    total = sum(int(digit) * (3 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(body)))
    prefix = "01" if symbology.startswith("databar") else ""
    return prefix + content + str(-total % 10)


def contents(symbology, count, seed):
    """Contents of a symbology, drawn at random; a seed repeats them."""
    limits = load_limits()
    limits.chance = random.Random(f"{seed} {symbology}")
    return [limits.content_of(symbology) for _ in range(count)]


def printed(symbology, content, height=None):
    """A symbol on paper, 8-bit grey (0 ink, 255 paper), DOTS pixels per module; `height` is that of bars, in modules."""
    import cv2
    import numpy
    # A hexagon of MaxiCode is as wide as ten of zint's pixels, a module of others as wide as two.
    scale = DOTS // 10 if symbology == "maxicode" else DOTS // 2
    command = ["zint", "-b", str(ZINT[symbology]), f"--scale={scale}", "--notext", "--filetype=PNG", "--direct", "-d", content]
    command += [f"--height={height}"] if height else []
    try:
        drawing = subprocess.run(command, capture_output=True, check=True).stdout
    except FileNotFoundError:
        sys.exit(f"{Path(sys.argv[0]).name}: nothing was measured: zint is missing: apt-get install zint")
    symbol = cv2.imdecode(numpy.frombuffer(drawing, numpy.uint8), cv2.IMREAD_GRAYSCALE)
    ink = numpy.argwhere(symbol < 128)
    (top, left), (bottom, right) = ink.min(0), ink.max(0) + 1
    quiet = DOTS * QUIET["matrix" if kind(symbology) == "matrix" else "bars"]
    return cv2.copyMakeBorder(symbol[top:bottom, left:right], quiet, quiet, quiet, quiet, cv2.BORDER_CONSTANT, value=255)


def kind(symbology):
    """By which goals a symbology is measured: "retail", "linear" (the rows of PDF417 too), or "matrix"."""
    if symbology in RETAIL:
        return "retail"
    return "linear" if symbology in ("code128", "code39", "itf", "databar", "pdf417") else "matrix"
