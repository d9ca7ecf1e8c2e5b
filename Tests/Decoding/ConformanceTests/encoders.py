"""Draws symbols of random contents with encoders from PyPI, one line per symbol, for conformance-lab --drawn.

usage: encoders.py SEED COUNT     COUNT symbols of each kind; the same seed draws the same ones

segno draws QR Code and Micro QR Code, ppf.datamatrix Data Matrix, pdf417gen PDF417, aztec_code_generator Aztec Code, and
zxing-cpp DX film edge.
"""
import random
import sys
from functools import reduce
from operator import xor

import aztec_code_generator
import pdf417gen
import segno
import zxingcpp
from ppf.datamatrix import DataMatrix

UPPER, LOWER, DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"
SIGNS = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
CONTROLS = "".join(map(chr, range(32))) + "\x7f"
LATIN = "".join(map(chr, range(0xA0, 0x100)))
KANJI = "検査済記号漢字日本語泛滌漾濮堯瑤テストあいうアイウ"
ASCII = [UPPER, LOWER, DIGITS, SIGNS, CONTROLS]
# Character sets that segno marks with an ECI (it does not mark ISO 8859-1), with some of their letters.
SCRIPTS = {
    "iso-8859-2": "ąćęłńóśźżAB12 ", "iso-8859-5": "ЖЯфыюAB12 ", "iso-8859-7": "ΑΒΓαβγAB12 ",
    "shift-jis": KANJI + "AB12 ", "windows-1251": "ЖЯфыюЀAB12 ", "windows-1252": "€ŠšŽžAB12 ", "utf-8": "検査Жαé€😀אAB12 ",
}


def mixed(sets, longest):
    text = ""
    count = chance.randint(1, longest if chance.randrange(4) == 0 else min(longest, 40))
    while len(text) < count:
        letters = chance.choice(sets)
        text += "".join(chance.choice(letters) for _ in range(chance.randint(1, chance.choice([1, 2, 3, 8, 24]))))
    return text[:count]


def show(kind, symbology, content, rows, text=None, part=None, scales=(2, 3, 3, 4)):
    text = "-" if text is None else text.encode().hex()
    part = "-" if part is None else " ".join(map(str, part))
    modules = ",".join("".join("1" if module else "0" for module in row) for row in rows)
    print(kind, symbology, content.hex(), text, part, chance.choice(scales), modules, sep="\t")


def mode(text):
    # By default, segno mistakes some pairs of Latin letters and other bytes for kanji that Shift JIS lacks.
    return None if text.isascii() else "byte"


def qr():
    options = {"error": chance.choice("LMQH"), "boost_error": chance.random() < 0.5, "micro": False}
    options["mask"] = chance.choice([None, *range(8)])
    form = chance.randrange(6)
    if form == 0:
        encoding, letters = chance.choice(list(SCRIPTS.items()))
        text = mixed([letters], 60)
        symbol = segno.make(text, eci=True, encoding=encoding, mode="byte", **options)
        show("segno, QR Code with ECI", "qr", text.encode(encoding), symbol.matrix, text)
    elif form == 1:
        text = mixed([KANJI], 60)
        symbol = segno.make(text, mode="kanji", **options)
        show("segno, QR Code of kanji", "qr", text.encode("shift-jis"), symbol.matrix, text)
    elif form == 2:
        text = mixed(chance.choice([[DIGITS], [UPPER, DIGITS], ASCII]), 300)
        count = chance.randint(2, 16)
        if len(text) < count:
            return
        parity = reduce(xor, text.encode())
        share, rest = divmod(len(text), count)
        start = 0
        sequence = segno.make_sequence(text, symbol_count=count, error=options["error"])
        for index, symbol in enumerate(sequence):
            end = start + share + (index < rest)
            show("segno, parts of a message", "qr", text[start:end].encode(), symbol.matrix, part=(index, count, parity))
            start = end
    else:
        text = mixed(chance.choice([[DIGITS], [UPPER, DIGITS, " $%*+-./:"], ASCII, ASCII + [LATIN]]), 400)
        symbol = segno.make(text, encoding="latin-1", mode=mode(text), **options)
        show("segno, QR Code", "qr", text.encode("latin-1"), symbol.matrix)


def micro_qr():
    sets = chance.choice([[DIGITS], [UPPER, DIGITS], ASCII, ASCII + [LATIN]])
    text = mixed(sets, chance.randint(1, 12))
    symbol = segno.make(
        text, encoding="latin-1", mode=mode(text), micro=True, error=chance.choice([None, "L", "M"]))
    show("segno, Micro QR Code", "microqr", text.encode("latin-1"), symbol.matrix)


def data_matrix():
    codec = chance.choice(["ascii", "C40", "text", "X12", "edifact", "all"])
    sets = {
        "X12": [UPPER, DIGITS, " \r*>"], "edifact": [UPPER, DIGITS, SIGNS[:-4].replace("`", "")], "ascii": ASCII + [LATIN],
    }.get(codec, ASCII)
    text = mixed(sets, 200)
    codecs = ["ascii", "C40", "text", "X12", "edifact"] if codec == "all" else [codec]
    symbol = DataMatrix(text, rect=chance.random() < 0.3, codecs=codecs)
    show(f"ppf.datamatrix, {codec}", "datamatrix", text.encode("latin-1"), symbol.matrix)


def pdf417():
    content = mixed(chance.choice([[DIGITS], ASCII, ASCII + [LATIN], [LATIN]]), 300).encode("latin-1")
    rows = pdf417gen.encode(content, columns=chance.randint(1, 12), security_level=chance.randint(0, 6))
    # ISO/IEC 15438 requires at least three modules.
    height = chance.choice([3, 4])
    drawn = ["".join(format(word, "b") for word in row) for row in rows]
    show("pdf417gen", "pdf417", content, [[module == "1" for module in row] for row in drawn for _ in range(height)])


def aztec():
    if chance.randrange(4) == 0:
        encoding = chance.choice(["utf-8", "iso8859-2", "cp1251"])
        text = mixed([{"utf-8": "検査Жαé€אAB12 ", "iso8859-2": "ąćęłńóśźżAB12 ", "cp1251": "ЖЯфыюAB12 "}[encoding]], 40)
        symbol = aztec_code_generator.AztecCode(text, encoding=encoding)
        show("aztec_code_generator with ECI", "aztec", text.encode(encoding), symbol.matrix, text)
    else:
        content = mixed(chance.choice([[DIGITS], ASCII, ASCII + [LATIN]]), 300).encode("latin-1")
        symbol = aztec_code_generator.AztecCode(content, ec_percent=chance.choice([10, 23, 33, 50]))
        show("aztec_code_generator", "aztec", content, symbol.matrix)


def dx_film_edge():
    text = f"{chance.randint(1, 127)}-{chance.randint(0, 15)}"
    if chance.randrange(2) == 0:
        text += f"/{chance.randint(0, 62)}{chance.choice(['', 'A'])}"
    picture = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.DXFilmEdge).to_image(scale=1)
    rows = [[pixel < 128 for pixel in row] for row in memoryview(picture).tolist()]
    show("zxing-cpp, DX film edge", "dx-film-edge", text.encode(), rows, scales=(3, 4, 6))


chance = random.Random(int(sys.argv[1]))
for draw in (qr, micro_qr, data_matrix, pdf417, aztec, dx_film_edge):
    for _ in range(int(sys.argv[2])):
        try:
            draw()
        except ValueError:
            pass  # Contents that a symbol has no room for, or an encoder no character for.
