"""Pictures of labels for the lab's camera, drawn by `reticle generate`."""
import random
import struct
import subprocess
import zlib
from pathlib import Path

# The camera's picture: as small as an EAN-13 with two pixels per module permits.
WIDTH, HEIGHT = 240, 180
# Frames per second.
RATE = 5
COUNTER = 130
KINDS = {"qr": 3, "datamatrix": 4, "ean13": 2, "code128": 2}


def grey(data):
    """The size and the rows of a PNG with 8 bits of grey."""
    place, compressed = 8, b""
    width = height = 0
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            if (depth, colour) != (8, 0):
                raise ValueError("not a PNG with 8 bits of grey")
        compressed += body if kind == b"IDAT" else b""
        place += length + 12
    raw, rows, above = zlib.decompress(compressed), [], bytes(width)
    for row in range(height):
        start = row * (width + 1)
        line = bytearray(raw[start + 1:start + 1 + width])
        unfilter(raw[start], line, above)
        rows.append(bytes(line))
        above = line
    return width, height, rows


def unfilter(kind, line, above):
    """Undoes a row's filter (PNG, third edition, 9.2) in place; one byte is one pixel."""
    for x in range(len(line)):
        left, up, corner = line[x - 1] if x else 0, above[x], above[x - 1] if x else 0
        if kind == 1:
            line[x] = (line[x] + left) & 255
        elif kind == 2:
            line[x] = (line[x] + up) & 255
        elif kind == 3:
            line[x] = (line[x] + (left + up) // 2) & 255
        elif kind == 4:
            guess = left + up - corner
            line[x] = (line[x] + min((left, up, corner), key=lambda value: abs(guess - value))) & 255


def picture(png=None):
    """A PGM of the camera's size: a label in the middle of the counter, or the counter alone."""
    rows = [bytearray([COUNTER]) * WIDTH for _ in range(HEIGHT)]
    if png is not None:
        width, height, label = grey(png)
        left, top = (WIDTH - width) // 2, (HEIGHT - height) // 2
        for y, line in enumerate(label):
            rows[top + y][left:left + width] = line
    return b"P5 %d %d 255\n" % (WIDTH, HEIGHT) + b"".join(rows)


def texts(seed, count):
    """That many different texts, as (symbology, text)."""
    draw = random.Random(f"labels {seed}")
    numbers = draw.sample(range(100000, 1000000), count)
    kinds = list(KINDS)
    return [(kinds[place % len(kinds)], text(kinds[place % len(kinds)], number)) for place, number in enumerate(numbers)]


def text(symbology, number):
    if symbology == "ean13":
        digits = f"400123{number:06}"
        return digits + str(-sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10)
    return f"B{number}" if symbology == "code128" else f"ART-{number}"


def draw_all(program, seed, count, folder):
    """Writes the pictures; the texts, in the order of the files label-0.pgm, label-1.pgm, …"""
    labels = texts(seed, count)
    for number, (symbology, content) in enumerate(labels):
        png = Path(folder, "label.png")
        subprocess.run(
            [program, "generate", "--symbology", symbology, "--scale", str(KINDS[symbology]), content, "-o", png], check=True,
            capture_output=True)
        Path(folder, f"label-{number}.pgm").write_bytes(picture(png.read_bytes()))
        png.unlink()
    Path(folder, "counter.pgm").write_bytes(picture())
    return [content for _, content in labels]
