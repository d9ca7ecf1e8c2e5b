"""What reading costs: times by content, times by size and number of symbols, and memory."""
import concurrent.futures
import math
import random
import string
from pathlib import Path

import cv2
import numpy

from camera import FULL_WELL, View, exposed, share_of_paper
from quantities import QUICK_SYMBOLOGIES, SYMBOLOGIES
from rules import is_same
from scanning import ScanProcess
from symbols import contents, printed, printed_text

# A camera's frame, columns and rows.
FRAME = 1280, 720
# Pictures on which other readers are timed: too few for the slowest of a thousand.
OTHERS = 100
CONTRAST = 0.75


def page_of_print(light, chance):
    """Lines of random words, as on a leaflet."""
    rows, columns = light.shape
    ink = numpy.full((rows, columns), 255, numpy.uint8)
    y = 20
    while y < rows:
        size = chance.choice((0.4, 0.5, 0.7, 1.0))
        words = " ".join("".join(chance.choices(string.ascii_letters, k=chance.randrange(2, 10))) for _ in range(40))
        cv2.putText(ink, words, (chance.randrange(4, 40), y), cv2.FONT_HERSHEY_SIMPLEX, size, 0, 1 if size < 1 else 2, cv2.LINE_AA)
        y += int(34 * size) + 4
    numpy.minimum(light, ink.astype(numpy.float32) / 255, out=light)


def place(light, symbol, chance):
    """A symbol's light somewhere on the frame."""
    rows, columns = symbol.shape
    if rows > light.shape[0] or columns > light.shape[1]:
        return
    y, x = chance.randrange(light.shape[0] - rows + 1), chance.randrange(light.shape[1] - columns + 1)
    light[y:y + rows, x:x + columns] = symbol


def drawn(chance, papers, view):
    return share_of_paper(chance.choice(papers), view, chance)


# Contents of a frame: (what it shows, electrons at the highest level, a function that draws on it).
CONTENTS = {
    "empty": ("plain paper", FULL_WELL, lambda light, chance, papers: None),
    "print": ("a page of print without a barcode", FULL_WELL, lambda light, chance, papers: page_of_print(light, chance)),
    "clean": ("one symbol, 4 pixels per module, at any angle", FULL_WELL, lambda light, chance, papers: place(
        light, drawn(chance, papers, View(rotation=chance.uniform(0, 360))), chance)),
    "noisy": ("one symbol, 2.5 pixels per module, at any angle, ten times the gain", FULL_WELL / 10, lambda light, chance, papers: place(
        light, drawn(chance, papers, View(module=2.5, rotation=chance.uniform(0, 360), defocus=0.5)), chance)),
    "blurred": ("one symbol, 4 pixels per module, blurred beyond reading", FULL_WELL, lambda light, chance, papers: place(
        light, drawn(chance, papers, View(rotation=chance.uniform(0, 360), defocus=5)), chance)),
    "busy": ("a page of print with four symbols, 3 pixels per module", FULL_WELL, lambda light, chance, papers: [
        page_of_print(light, chance),
        *(place(light, drawn(chance, papers, View(module=3, rotation=chance.uniform(-5, 5))), chance) for _ in range(4))]),
}


def pictures(name, count, papers, seed):
    _, full_well, draw = CONTENTS[name]
    for number in range(count):
        chance = random.Random(f"{seed} {name} {number}")
        light = numpy.ones(FRAME[::-1], numpy.float32)
        draw(light, chance, papers)
        yield exposed(light, CONTRAST, numpy.random.default_rng(chance.getrandbits(64)), full_well)


def processor_seconds(process):
    """The processor time of all threads of a process, as the kernel counts it."""
    return sum(int(path.read_text().split()[0]) for path in Path(f"/proc/{process.pid}/task").glob("*/schedstat")) / 1e9


def seconds_of(reader, pixels):
    """Seconds of decoding. Reticle reports the clock's time; its processor time counts where that is less, as others were running."""
    if not isinstance(reader, ScanProcess):
        return reader.read(pixels, False)[1]
    before = processor_seconds(reader.process)
    seconds = reader.read(pixels, False)[1]
    return min(seconds, processor_seconds(reader.process) - before)


def times(options, bench):
    """Sorted seconds by content and reader."""
    names = QUICK_SYMBOLOGIES if options.quick else SYMBOLOGIES
    papers = [paper for symbology in names for _, paper in bench.symbols(symbology)[:5]]

    def of(name):
        seconds = {reader: [] for reader in bench.makers}
        for number, pixels in enumerate(pictures(name, options.pictures, papers, options.seed)):
            for reader, taken in seconds.items():
                if number == 0:
                    # A reader takes its memory at its first picture.
                    bench.reader(reader).read(pixels, False)
                if reader.startswith("reticle") or number < OTHERS:
                    taken.append(seconds_of(bench.reader(reader), pixels))
        return {reader: sorted(taken) for reader, taken in seconds.items()}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return dict(zip(CONTENTS, pool.map(of, CONTENTS)))


def percentile(seconds, share):
    """The least time within which at least `share` of the pictures are read; None if no picture lies beyond it."""
    if len(seconds) * (1 - share) < 1:
        return None
    return seconds[math.ceil(share * len(seconds)) - 1]


# Megapixels of pictures with one symbol, and numbers of symbols in the largest picture.
SIZES, NUMBERS = (0.3, 1, 2, 4, 8, 12, 16), (1, 10, 25, 50, 100, 200)
BAR_HEIGHT = 25
# Symbologies of the page, whose symbols fit two hundred times.
PAGE_SYMBOLOGIES = ("ean13", "code128", "datamatrix", "qr")


def page_of_symbols(megapixels, number, seed):
    """A picture of 4:3 with symbols of 3 pixels per module side by side, and their texts."""
    rows = round((megapixels * 1e6 * 3 / 4) ** 0.5)
    light = numpy.ones((rows, rows * 4 // 3), numpy.float32)
    chance = random.Random(f"{seed} page")
    drawn = {symbology: contents(symbology, number, seed) for symbology in PAGE_SYMBOLOGIES}
    texts, x, y, tallest = [], 0, 0, 0
    for index in range(number):
        symbology = PAGE_SYMBOLOGIES[index % len(PAGE_SYMBOLOGIES)]
        content = drawn[symbology][index]
        height = BAR_HEIGHT if symbology in ("ean13", "code128") else None
        symbol = share_of_paper(printed(symbology, content, height), View(module=3), chance)
        if x + symbol.shape[1] > light.shape[1]:
            x, y, tallest = 0, y + tallest, 0
        light[y:y + symbol.shape[0], x:x + symbol.shape[1]] = symbol[: light.shape[0] - y]
        x, tallest = x + symbol.shape[1], max(tallest, symbol.shape[0])
        texts.append((printed_text(symbology, content), symbology))
    return texts, exposed(light, CONTRAST, numpy.random.default_rng(chance.getrandbits(64)))


def scale(options, bench):
    """Rows of megapixels, symbols, how many of them were read, and the least seconds of five, for each effort."""
    sizes, numbers = ((0.3, 1), (1, 4)) if options.quick else (SIZES, NUMBERS)
    rows = []
    for megapixels, number in [(size, 1) for size in sizes] + [(sizes[-1], number) for number in numbers[1:]]:
        texts, pixels = page_of_symbols(megapixels, number, options.seed)
        for effort in ("reticle", "reticle-frame"):
            found, _ = bench.reader(effort).read(pixels, False)
            read = sum(any(is_same(text, data, forms, symbology) for data, forms, _ in found) for text, symbology in texts)
            rows.append({"megapixels": megapixels, "symbols": number, "read": read, "effort": effort,
                         "seconds": min(seconds_of(bench.reader(effort), pixels) for _ in range(5))})
    return rows


def memory(options, bench):
    """Rows of megapixels and the most memory, in MB, that `reticle scan` had of the machine, for each effort."""
    rows = []
    for megapixels in ((0.3, 1) if options.quick else SIZES):
        _, pixels = page_of_symbols(megapixels, 1, options.seed)
        most = {}
        for effort in ("still", "frame"):
            reader = ScanProcess(options.program, effort)
            reader.read(pixels, False)
            most[effort] = reader.most_memory
            reader.stop()
        rows.append({"megapixels": megapixels, **most})
    return rows
