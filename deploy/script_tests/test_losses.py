"""deploy/losses: the step at which a symbol counts as lost, and the table."""
import importlib.machinery
import importlib.util
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parent.parent / "losses"
QUAD = [[100, 100], [200, 100], [200, 200], [100, 200]]


@pytest.fixture(scope="module")
def losses():
    loader = importlib.machinery.SourceFileLoader("losses", str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("losses", loader))
    loader.exec_module(module)
    return module


def trial(kind="finders", step="grid", agreement=0, x=150, y=150, reach=50, is_tried=True):
    return {"kind": kind, "step": step, "agreement": agreement, "x": x, "y": y, "reach": reach, "is_tried": is_tried}


@pytest.mark.parametrize("trials, symbology, loss", [
    ([], "qr", ("none", 0)),
    ([trial(kind="bars")], "qr", ("none", 0)),
    ([trial(x=500)], "qr", ("none", 0)),
    ([trial(reach=3)], "qr", ("none", 0)),
    ([trial(is_tried=False)], "qr", ("passed over", 0)),
    ([trial(step="candidate")], "qr", ("candidate", 0)),
    ([trial(agreement=60), trial(step="codewords", agreement=97), trial(agreement=99)], "qr", ("codewords", 97)),
    ([trial(kind="bars", step="codewords")], "code128", ("codewords", 0)),
    ([trial(kind="search", step="candidate", x=0, y=0)], "datamatrix", ("none", 0)),
    ([trial(kind="search", step="grid", agreement=70, x=0, y=0)], "datamatrix", ("grid", 70)),
    ([trial(kind="finder", reach=3)], "microqr", ("grid", 0)),
])
def test_a_symbol_is_lost_at_the_furthest_step_of_its_own_candidates(losses, trials, symbology, loss):
    assert losses.loss(trials, symbology, QUAD) == loss


def test_read_lost_and_wrong_symbols_are_counted(losses, tmp_path):
    rows = [
        {"path": tmp_path / "a.pgm", "file": "a.pgm", "group": "g", "symbology": "qr", "expect": ["A", "B"], "corners": [QUAD, QUAD]},
        {"path": tmp_path / "b.pgm", "file": "b.pgm", "group": "g", "symbology": "none", "expect": [], "corners": None},
    ]
    reports = {
        str(tmp_path / "a.pgm"): {"symbols": [{"symbology": "qr", "texts": ["A"]}], "trials": [trial(agreement=80)]},
        str(tmp_path / "b.pgm"): {"symbols": [{"symbology": "itf", "texts": ["12"]}], "trials": []},
    }
    sorted_losses = list(losses.sort(rows, reports, losses.is_same))
    assert [loss[1:4] for loss in sorted_losses] == [("qr", "read", 0), ("qr", "grid", 80), ("itf", "wrong", 0)]
    last = list(losses.table(sorted_losses, "both"))[-1].split()
    assert last == ["all", "2", "1", "1", "1", "80"]
