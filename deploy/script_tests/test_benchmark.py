"""deploy/benchmark: the rules by which answers count, the manifest's errors, and the page's tables."""
import argparse
import importlib.machinery
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(CHECKOUT / "deploy/benchmarking"))
import readers
import rules
import symbols

PROGRAM = CHECKOUT / "deploy/benchmark"


@pytest.fixture(scope="module")
def benchmark():
    loader = importlib.machinery.SourceFileLoader("benchmark", str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("benchmark", loader))
    loader.exec_module(module)
    return module


def row(symbology, *expect, corners=None, name="set"):
    return {"set": name, "group": "", "symbology": symbology, "expect": None if corners else list(expect), "corners": corners}


def answer(*texts, corners=None):
    return (texts[0].encode(), list(texts), corners)


@pytest.mark.parametrize("symbology, expected, given, is_same", [
    ("qr", "a\nb", "a\r\nb\r\n", True), ("qr", "a b", "ab", False), ("qr", "A", "a", False), ("qr", "hex:c3a4", "ä", True),
    ("qr", "007", "7", False), ("qr", "(1)", "1", False),
    ("upca", "036000291452", "0036000291452", True), ("ean13", "4006381333931", "4006381333932", False),
    ("ean8", "96385074", "0000096385074", True), ("ean13", "5901234123457", "01234123457", False),
    ("upce", "01234565", "012345000065", True), ("upce", "0012345000065", "01234565", True), ("upce", "01234565", "012345000066", False),
    ("ean13+addon", "978073520044951299", "9780735200449 51299", True), ("ean13+addon", "978073520044951299", "9780735200449", False),
    ("databar-expanded", "0109501101530003\x1d10AB", "(01)09501101530003(10)AB", True), ("databar", "0104006381333931", "04006381333931", True),
    ("databar-expanded", "0109501101530003", "(02)09501101530003", False),
    ("codabar", "1234", "A1234B", True), ("codabar", "A1234B", "A1235B", False), ("code39", "A1A", "1", False),
])
def test_what_counts_as_the_same_text(benchmark, symbology, expected, given, is_same):
    assert rules.is_same(expected, given.encode(), [given], symbology) == is_same


def test_a_picture_is_read_if_all_of_its_texts_are_and_wrong_if_anything_else_is(benchmark):
    both = row("qr", "one", "two")
    assert rules.judge(both, [answer("one"), answer("two")]) == (1, 1, False)
    assert rules.judge(both, [answer("one")]) == (0, 1, False)
    assert rules.judge(both, [answer("one"), answer("two"), answer("three")]) == (1, 1, True)
    assert rules.judge(row("none"), [answer("one")]) == (0, 0, True)
    assert rules.judge(row("none"), []) == (0, 0, False)
    assert rules.judge(row("ean13+addon", "978073520044951299"), [answer("9780735200449")]) == (0, 1, False)


def test_symbols_count_where_only_corners_are_known(benchmark):
    square = [[0, 0], [10, 0], [10, 10], [0, 10]]
    two = row("qr", corners=[square, [[x + 20, y] for x, y in square]])
    inside, outside = answer("a", corners=[(1, 1), (9, 1), (9, 9), (1, 9)]), answer("a", corners=[(11, 1), (19, 1), (19, 9), (11, 9)])
    assert rules.judge(two, [inside, outside]) == (1, 2, False)
    assert rules.judge(two, [answer("a")]) == (None, 2, False)
    assert rules.judge(two, []) == (0, 2, False)


def test_decoders_are_asked_for_their_symbologies_alone(benchmark):
    assert rules.covers({"qr"}, row("qr")) and rules.covers({"qr"}, row("none"))
    assert not rules.covers({"qr"}, row("mixed")) and not rules.covers({"qr"}, row("ean13"))
    assert rules.covers(readers.ALL, row("mixed")) and rules.covers(readers.LINEAR, row("ean13+addon"))


@pytest.mark.parametrize("line, cause", [
    ("{", "is not as docs/benchmark.md says"), ('{"file": "a.png", "symbology": "qr", "expect": []}', "KeyError('set')"),
    ('{"file": "a.png", "set": "s", "symbology": "qr", "expect": null}', "neither expect nor corners"),
    ('{"file": "b.png", "set": "s", "symbology": "qr", "expect": []}', "which is not there"),
])
def test_a_wrong_manifest_is_refused_with_its_line(tmp_path, line, cause):
    (tmp_path / "a.png").write_bytes(b"")
    manifest = tmp_path / "m.jsonl"
    manifest.write_text(line + "\n")
    run = subprocess.run([PROGRAM, manifest], capture_output=True, text=True)
    assert run.returncode == 1 and f"{manifest}:1 " in run.stderr and cause in run.stderr
    assert subprocess.run([PROGRAM, tmp_path / "none"], capture_output=True, text=True).stderr.count("No such file") == 1


def test_the_index_of_a_suite_is_a_manifest(benchmark, tmp_path):
    for name, text in [("ean13-2/1.png", "4006381333931"), ("rss14-1/a.png", "0104006381333931"), ("falsepositives-1/1.png", None),
                       ("upca-extension-1/2.png", "03600029145212"), ("unknown-1/1.png", "x"), ("qrcode-1/3.png", None)]:
        picture = tmp_path / name
        picture.parent.mkdir(exist_ok=True)
        picture.write_bytes(b"")
        if text:
            picture.with_suffix(".txt").write_text(text)
    run = subprocess.run([PROGRAM, "--index", tmp_path, "suite"], capture_output=True, text=True)
    manifest = tmp_path / "m.jsonl"
    manifest.write_text(run.stdout)
    rows = {row["symbology"]: row["expect"] for row in benchmark.read_manifest(manifest)}
    assert rows == {"ean13": ["4006381333931"], "databar": ["0104006381333931"], "none": [], "upca+addon": ["03600029145212"]}


def test_the_page_has_a_row_per_decoder_and_says_where_others_are_better(benchmark):
    results = [
        (row("qr", "a"), {"reticle": ((0, 1, True), 0.004), "zbar": ((1, 1, False), 0.002)}),
        (row("qr", "b", name="drawn"), {"reticle": ((1, 1, False), 0.004), "zbar": ((0, 1, False), 0.002)}),
        (row("ean13", "c"), {"reticle": ((1, 1, False), 0.004)}),
    ]
    versions = {"reticle": "1", "pyzbar": "2"}
    template = (CHECKOUT / "docs/benchmark.md").read_text()
    text = benchmark.page(results, ["reticle", "zbar"], {"rxing": "why"}, argparse.Namespace(seed=7, pictures=1, drawn=12), versions, 60, template)
    assert "| Reticle | 2 | 2 | 1 | 1 | 4.0 ms | 0.0 s |  |  |  |  |" in text
    assert "| zbar | 1 | 1 | 1 | 0 | 2.0 ms | 0.0 s | 0 | 1 | 4.0 ms | 0.0 s |" in text
    assert "- **zbar** reads more: `qr` of set (1 to 0); it has fewer wrong pictures: `qr` of set (0 to 1); it is faster: " in text
    assert "seed 7" in text and "- rxing: why" in text
    with pytest.raises(SystemExit):
        benchmark.page(results, ["reticle"], {}, argparse.Namespace(seed=7, pictures=1, drawn=12), versions, 60, "no marks")


def test_every_decoder_of_the_page_is_one_of_the_program(benchmark):
    text = (CHECKOUT / "docs/benchmark.md").read_text()
    versions = text.split("<!-- versions -->")[1].split("<!-- end of versions -->")[0]
    titles = [line.split(" | ")[0][2:] for line in versions.strip().splitlines()[2:]]
    assert titles and set(titles) <= {title for title, *_ in readers.READERS.values()}
    # The versions measured are those that a new run installs.
    for line in versions.strip().splitlines()[2:]:
        _, package, version = line.strip("| ").split(" | ")
        assert package == "reticle" or f"{package}=={version}" in benchmark.PACKAGES


def test_a_reader_runs_in_a_process_of_its_own_whose_end_and_errors_are_counted(benchmark):
    class Pipe:
        def __init__(self, *answers):
            self.answers = list(answers)

        def send(self, _):
            pass

        def poll(self, _):
            return bool(self.answers)

        def recv(self):
            return self.answers.pop(0)

    reader = readers.Reader.__new__(readers.Reader)
    reader.title, reader.ended, reader.errors = "x", 0, []
    restarts = []
    reader.stop, reader.start = (lambda: restarts.append("stop")), (lambda: restarts.append("start"))
    reader.connection = Pipe(([answer("a")], 0.1, None), ([], 0.2, "ValueError: no"))
    assert reader.read(None, False) == ([answer("a")], 0.1)
    assert reader.read(None, False) == ([], 0.2) and reader.errors == ["ValueError: no"]
    assert reader.read(None, False) == ([], readers.SECONDS_MAX) and reader.ended == 1 and restarts == ["stop", "start"]


def test_drawn_truth_has_the_check_digit_of_the_standard():
    assert symbols.printed_text("ean13", "400638133393") == "4006381333931"
    assert symbols.printed_text("ean8", "9638507") == "96385074"
    assert symbols.printed_text("upce", "0123456") == "01234565"
    assert symbols.printed_text("databar", "0400638133393") == "0104006381333931"
    assert json.dumps(symbols.printed_text("qr", "x")) == '"x"'
