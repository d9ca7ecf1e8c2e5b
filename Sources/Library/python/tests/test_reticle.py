"""The Python package reads what `reticle scan` reads, from every kind of picture.

RETICLE_COMMAND is the command that draws and judges, RETICLE_PICTURES a folder of further pictures, RETICLE_INTERPRETER a program
that starts this interpreter, if its own file cannot be started. Run with pytest.
"""

from __future__ import annotations

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

import pytest

import reticle
from reticle.__main__ import answer, main

Image = pytest.importorskip("PIL.Image")
numpy = pytest.importorskip("numpy")

COMMAND = os.environ["RETICLE_COMMAND"]
INTERPRETER = os.environ.get("RETICLE_INTERPRETER", sys.executable)
LABELS = [
    ("ean13", "4006381333931", []),
    ("qr", "https://example.org/reticle", []),
    ("code128", "(01)09521234543213(10)AB", ["--gs1"]),
    ("datamatrix", "検査済み ✓", []),
]


@pytest.fixture(scope="session")
def labels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    for symbology, text, options in LABELS:
        file = str(folder / f"{symbology}.png")
        subprocess.run([COMMAND, "generate", text, "--symbology", symbology, "--scale", "4", "-o", file, *options], check=True)
    return folder


def scanned(files, *options):
    """What the command says of each file."""
    result = subprocess.run([COMMAND, "scan", "--format", "json", *options, *map(str, files)], capture_output=True, text=True)
    assert result.returncode in (0, 1), result.stderr
    return [json.loads(line)["codes"] for line in result.stdout.splitlines()]


def test_every_label_is_read_as_the_command_reads_it(labels):
    files = sorted(labels.iterdir())
    expected = scanned(files)
    assert [len(codes) for codes in expected] == [1] * len(LABELS)
    for file, codes in zip(files, expected):
        assert [answer(symbol) for symbol in reticle.read(file)] == codes


def test_pictures_of_other_people_are_read_as_the_command_reads_them():
    if "RETICLE_PICTURES" not in os.environ:
        pytest.skip("RETICLE_PICTURES names no pictures")
    files = sorted(file for file in pathlib.Path(os.environ["RETICLE_PICTURES"]).iterdir() if file.suffix in (".pgm", ".png"))
    assert files
    for file, codes in zip(files, scanned(files)):
        assert [answer(symbol) for symbol in reticle.read(file)] == codes, file


def test_a_symbol_has_all_that_is_known_of_it(labels):
    (symbol,) = reticle.read(labels / "code128.png")
    assert symbol.symbology == "code128" and symbol.title == "Code 128" and symbol.aim == "]C1"
    assert symbol.text == "010952123454321310AB" and symbol.bytes == b"010952123454321310AB"
    assert symbol.hri == "(01)09521234543213(10)AB" and symbol.is_gs1 and symbol.is_exact and not symbol.is_link
    assert symbol.part is None and symbol.component is None and 0 < symbol.confidence <= 100
    left, top, width, height = symbol.rect
    with Image.open(labels / "code128.png") as image:
        assert 0 < left and 0 < top and left + width < image.width and top + height < image.height
    assert len(symbol.corners) == 4 and symbol.corners[0].x < symbol.corners[1].x
    assert reticle.read(labels / "qr.png")[0].is_link


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "LA", "P", "1", "CMYK", "YCbCr", "HSV", "LAB", "I", "I;16"])
def test_pillow_images_of_every_mode_are_read(labels, mode):
    with Image.open(labels / "qr.png") as image:
        image = image.convert("L")
        if mode in ("I", "I;16"):
            wide = numpy.asarray(image).astype(numpy.uint16) * 257
            image = Image.fromarray(wide) if mode == "I;16" else Image.fromarray(wide.astype(numpy.int32))
        else:
            image = (image.convert("RGB") if mode in ("HSV", "LAB", "CMYK", "YCbCr") else image)
            if mode == "LAB":
                from PIL import ImageCms

                image = ImageCms.profileToProfile(
                    image, ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), outputMode="LAB")
            else:
                image = image.convert(mode)
        before = image.mode
        assert [symbol.text for symbol in reticle.read(image)] == ["https://example.org/reticle"]
        assert image.mode == before, "the caller's image is changed"


def test_a_transparent_background_is_white(labels):
    with Image.open(labels / "qr.png") as image:
        grey = image.convert("L")
    black = Image.new("L", grey.size, 0)
    clear = Image.merge("LA", (black, grey.point(lambda value: 255 - value)))
    assert reticle.read(clear)[0].text == "https://example.org/reticle"
    assert not reticle.read(clear)[0].is_inverted


def test_numpy_arrays_of_every_kind_are_read(labels):
    with Image.open(labels / "ean13.png") as image:
        grey = numpy.asarray(image.convert("L"))
    colours = numpy.stack([grey, grey, grey], axis=2)
    wide = numpy.zeros((grey.shape[0], grey.shape[1] + 37), numpy.uint8)
    wide[:, : grey.shape[1]] = grey
    arrays = [
        grey, grey[:, :, None], colours, numpy.dstack([colours, numpy.full_like(grey, 255)]), grey > 127,
        grey.astype(numpy.uint16) * 257, wide[:, : grey.shape[1]], numpy.asfortranarray(grey),
        numpy.repeat(numpy.repeat(grey, 2, 0), 2, 1)[::2, ::2], numpy.rot90(grey), grey[::-1, ::-1],
    ]
    for array in arrays:
        assert [symbol.text for symbol in reticle.read(array)] == ["4006381333931"], (array.shape, array.dtype, array.strides)


def test_colours_are_weighted_in_the_order_of_the_channels():
    from reticle import _pictures

    pixel = numpy.array([[[255, 0, 0]]], numpy.uint8)
    import ctypes

    values = [ctypes.string_at(_pictures.luma(pixel, order).address, 1)[0] for order in ("bgr", "rgb")]
    assert values == [29, 76]


def test_buffers_of_rows_need_neither_numpy_nor_pillow(labels, tmp_path):
    with Image.open(labels / "ean13.png") as image:
        grey = image.convert("L")
        file = tmp_path / "pixels"
        file.write_bytes(grey.tobytes())
    program = (
        "import sys\n"
        "sys.modules['numpy'] = sys.modules['PIL'] = None\n"
        "import reticle\n"
        f"pixels = open({str(file)!r}, 'rb').read()\n"
        f"print(reticle.read(memoryview(pixels).cast('B', ({grey.height}, {grey.width})))[0].text)\n"
    )
    assert subprocess.run([INTERPRETER, "-c", program], capture_output=True, text=True).stdout == "4006381333931\n"


def test_symbologies_region_and_add_ons_choose(labels):
    file = labels / "ean13.png"
    assert reticle.read(file, "qr") == []
    assert len(reticle.read(file, "qr,ean13")) == len(reticle.read(file, ["ean13"])) == len(reticle.read(file, "all")) == 1
    assert reticle.read(file, add_ons="require") == []
    (symbol,) = reticle.read(file)
    left, top, width, height = symbol.rect
    assert reticle.read(file, region=(0, 0, left + width // 2, 10_000)) == []
    (again,) = reticle.read(file, region=(1, 1, 10_000, 10_000))
    assert abs(again.corners[0].x - symbol.corners[0].x) < 1


def test_settings_choose(labels, tmp_path):
    file = str(tmp_path / "code39.png")
    subprocess.run([COMMAND, "generate", "RET-417", "--symbology", "code39", "--scale", "4", "-o", file], check=True)
    assert reticle.read(file)[0].text == "RET-417"
    assert reticle.read(file, settings=reticle.Settings(checks={"code39": "verify"})) == []
    assert reticle.read(file, settings=reticle.Settings(lengths={"code39": 6})) == []
    assert len(reticle.read(file, settings=reticle.Settings(lengths={"code39": (6, 8)}))) == 1


def test_a_reader_keeps_what_it_saw_of_a_sequence(labels):
    reader = reticle.Reader(effort="frame")
    first, *_, last = [reader.read(labels / "qr.png") for _ in range(4)]
    assert first == last and len(first) == 1
    # A symbol whose pixels stay the same is not read again.
    assert last.work_units < first.work_units
    reader.begin_sequence()
    assert reader.read(labels / "qr.png").work_units == first.work_units


def test_what_was_found_but_not_read_is_located(labels):
    with Image.open(labels / "qr.png") as image:
        grey = numpy.asarray(image.convert("L")).copy()
    height, width = grey.shape
    # The finder patterns stay; noise replaces most of the rest.
    noise = numpy.random.default_rng(1).integers(0, 2, (height // 4, width // 4), numpy.uint8).repeat(4, 0).repeat(4, 1) * 255
    third = height * 2 // 5
    grey[third:, third:][: noise.shape[0], : noise.shape[1]] = noise[: height - third, : width - third]
    symbols = reticle.read(grey)
    assert symbols == [] and [located.symbology for located in symbols.located] == ["qr"]
    assert symbols.located[0].module > 1


def test_threads_read_at_the_same_time(labels):
    files = sorted(labels.iterdir()) * 20
    expected = [reticle.read(file)[0].text for file in files]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert list(pool.map(lambda file: reticle.read(file)[0].text, files)) == expected


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"symbologies": "ean12"}, "there is no symbology 'ean12'; there are ean13"),
        ({"symbologies": []}, "no symbology is named"),
        ({"effort": "fast"}, "give one of still, frame"),
        ({"add_ons": "yes"}, "give one of ignore, read, require"),
        ({"channels": "rbg"}, "give 'bgr' or 'rgb'"),
        ({"region": (0, 0, 0, 1)}, "shares no pixel"),
        ({"region": (1 << 32, 0, 1, 1)}, "at most 31 bits"),
        ({"settings": reticle.Settings(lengths={"ean13": 13})}, "lengths"),
        ({"settings": reticle.Settings(lengths={"itf": 300})}, "up to 255"),
        ({"settings": reticle.Settings(checks={"code39": "maybe"})}, "give one of none, verify, drop"),
        ({"settings": reticle.Settings(assumed_eci=1_000_000)}, "999999"),
    ],
)
def test_a_wrong_argument_is_refused_with_its_remedy(labels, arguments, words):
    with pytest.raises(ValueError, match="(?s).*" + words.replace("(", r"\(")):
        reticle.read(labels / "qr.png", **arguments)
    assert len(reticle.read(labels / "qr.png")) == 1


@pytest.mark.parametrize("image", [3, None, b"abc", numpy.zeros((4, 4)), numpy.zeros((2, 3, 2), numpy.uint8), Image.new("F", (4, 4))])
def test_what_is_no_picture_is_refused(image):
    with pytest.raises(TypeError):
        reticle.read(image)


def test_sizes_beyond_the_decoder_are_refused():
    with pytest.raises(ValueError, match="no pixel"):
        reticle.read(numpy.zeros((0, 4), numpy.uint8))
    with pytest.raises(reticle.Error, match="16384 pixels"):
        reticle.read(numpy.zeros((1, 16385), numpy.uint8))
    with pytest.raises(reticle.Error, match="67108864"):
        reticle.read(numpy.lib.stride_tricks.as_strided(numpy.zeros(1, numpy.uint8), (1 << 14, 1 << 13), (0, 1)))


def test_the_module_answers_as_the_command_does(labels, tmp_path, capsys):
    files = [str(file) for file in sorted(labels.iterdir())]
    assert main(files) == 0
    expected = subprocess.run([COMMAND, "scan", *files], capture_output=True, text=True).stdout
    assert capsys.readouterr().out == expected
    assert main(["--format", "json", *files]) == 0
    assert [json.loads(line)["codes"] for line in capsys.readouterr().out.splitlines()] == scanned(files)
    empty = str(tmp_path / "empty.png")
    Image.new("L", (64, 64), 255).save(empty)
    assert main([empty]) == 1
    assert main([empty, str(tmp_path / "missing.png")]) == 2
    assert "missing.png" in capsys.readouterr().err
    assert main(["--symbologies", "ean12", empty]) == 64
    assert main([]) == 64


def test_a_closed_pipe_ends_quietly(labels):
    program = [INTERPRETER, "-m", "reticle", *[str(labels / "qr.png")] * 50]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 74


def test_names_and_types_are_there():
    assert len(reticle.SYMBOLOGIES) == len(set(reticle.SYMBOLOGIES)) > 40
    assert set(reticle.DEFAULT_SYMBOLOGIES) < set(reticle.SYMBOLOGIES)
    version = subprocess.run([COMMAND, "--version"], capture_output=True, text=True).stdout.split()[1]
    assert reticle.__version__ == version
    assert (pathlib.Path(reticle.__file__).parent / "py.typed").exists()
