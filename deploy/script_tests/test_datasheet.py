"""deploy/datasheet: the simulated camera's physics, limits from counts, and a short run whose tables follow from what it counted."""
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

CHECKOUT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(CHECKOUT / "deploy/benchmarking"))
import camera
import costs
import quantities
import sheet
import symbols
from camera import View

PROGRAMS = Path(os.environ.get("RETICLE_PROGRAM", CHECKOUT / ".build/release/reticle")).parent


def square(side=20, quiet=10):
    """A print of one dark square, `side` modules wide."""
    paper = numpy.full(((side + 2 * quiet) * symbols.DOTS,) * 2, 255, numpy.uint8)
    inside = slice(quiet * symbols.DOTS, (quiet + side) * symbols.DOTS)
    paper[inside, inside] = 0
    return paper


def light(view, seed=1):
    return camera.share_of_paper(square(), view, random.Random(seed))


def extent(profile):
    """The width of what is dark in a profile of light, in pixels: lens and motion blur keep the sum of it."""
    return float((1 - profile).sum())


def test_a_module_has_its_size_and_a_turn_shortens_it_by_its_cosine():
    middle = light(View(module=4))
    row, column = middle[middle.shape[0] // 2], middle[:, middle.shape[1] // 2]
    assert extent(row) == pytest.approx(80, abs=0.5) and extent(column) == pytest.approx(80, abs=0.5)
    turned = light(View(module=4, turn=60, axis=90))
    assert extent(turned[turned.shape[0] // 2]) == pytest.approx(40, rel=0.02)
    pitched = light(View(module=4, turn=60, axis=0))
    assert extent(pitched[:, pitched.shape[1] // 2]) == pytest.approx(40, rel=0.02)
    # The half that turns away looks smaller than the one that comes near.
    near, far = (extent(turned[:, place]) for place in numpy.flatnonzero(turned[turned.shape[0] // 2] < 0.5)[[2, -3]])
    assert abs(near - far) > 3


def test_growth_moves_edges_by_half_of_it():
    for growth in (0.4, -0.4):
        grown = light(View(module=4, growth=growth))
        assert extent(grown[grown.shape[0] // 2]) == pytest.approx(4 * (20 + growth), abs=0.5)


def test_motion_widens_an_edge_to_its_way_and_a_rolling_shutter_leans_the_symbol():
    def edge(view):
        """Pixels between 10 and 90 % of a dark square's left side."""
        row = light(view)[80][:80]
        return float(numpy.interp(-0.1, -row, range(80)) - numpy.interp(-0.9, -row, range(80)))
    assert edge(View()) < 1.9 and edge(View(motion=2)) == pytest.approx(0.8 * 8, abs=0.7)
    leaning = light(View(lag=0.1))
    dark = [numpy.flatnonzero(row < 0.5) for row in leaning]
    rows = [index for index, row in enumerate(dark) if len(row) > 70]
    lean = (dark[rows[-5]][0] - dark[rows[5]][0]) / (rows[-5] - rows[5])
    assert lean == pytest.approx(0.1 * 4, abs=0.02)


def test_defocus_spreads_a_point_to_a_disc_and_keeps_its_light():
    sharp, soft = light(View()), light(View(defocus=3))
    assert extent(soft[soft.shape[0] // 2]) == pytest.approx(extent(sharp[sharp.shape[0] // 2]), abs=0.5)
    assert ((soft > 0.1) & (soft < 0.9)).sum() > 4 * ((sharp > 0.1) & (sharp < 0.9)).sum()


def test_a_cylinder_shortens_what_lies_around_it():
    bent = light(View(arc=60))
    distance, radius = camera.FOCAL_LENGTH / 4, 10 / math.radians(60)
    half = camera.FOCAL_LENGTH * radius * math.sin(math.radians(60)) / (distance + radius * (1 - math.cos(math.radians(60))))
    assert extent(bent[bent.shape[0] // 2]) == pytest.approx(2 * half, rel=0.03)


def test_damage_covers_its_share_with_ink_and_paper():
    paper = camera.disturbed(square(), View(damage=0.2), random.Random(3))
    inside = paper[100:300, 100:300]
    assert 0.05 < (inside == 255).mean() < 0.2


def test_noise_is_that_of_photons_and_reading():
    level = camera.exposed(numpy.ones((400, 400), numpy.float32), 0.75, numpy.random.default_rng(1)).astype(float)
    electrons = camera.PAPER_LEVEL / 255 * camera.FULL_WELL
    sigma = math.hypot(math.sqrt(electrons), camera.READ_NOISE) * 255 / camera.FULL_WELL
    assert level.mean() == pytest.approx(camera.PAPER_LEVEL, abs=0.1)
    assert level.std() == pytest.approx(math.hypot(sigma, 12 ** -0.5), rel=0.02)
    ink = camera.exposed(numpy.zeros((400, 400), numpy.float32), 0.4, numpy.random.default_rng(1)).astype(float)
    assert ink.mean() == pytest.approx(camera.PAPER_LEVEL / 2, abs=0.1)


def counts(*read, reader="reticle", of=20):
    return [{"strength": strength, "reader": reader, "read": number, "count": of, "wrong": []} for strength, number in read]


def test_a_limit_is_the_strongest_strength_that_is_read_with_every_weaker_one():
    strengths = (1, 2, 3, 4)
    for read, limit in [
        ([20, 19, 20, 18], 3), ([20, 18, 20, 20], 1), ([18, 20, 20, 20], None), ([20, 20, 20, 20], 4), ([19, 19], 2)
    ]:
        rows = counts(*zip(strengths, read))
        assert quantities.limit(sheet.counted(rows), "reticle", strengths) == limit


def test_a_missed_goal_is_told_with_what_was_reached():
    module = quantities.QUANTITIES["module"]
    reached = counts(*((strength, 20 if strength >= 1.3 else 0) for strength in module.strengths))
    lines, missed = sheet.goals({("module", "ean13"): reached, ("module", "qr"): reached})
    assert missed == [("module", "ean13", 1.0)]
    text = "\n".join(lines)
    assert "1 pixels per module | – | `ean13` (1.3) |" in text and "1.6 pixels per module | `qr` | – |" in text


def test_a_percentile_needs_pictures_beyond_it():
    seconds = [number / 1000 for number in range(1, 1001)]
    assert costs.percentile(seconds, 0.5) == 0.5 and costs.percentile(seconds, 0.999) == 0.999
    assert costs.percentile(seconds[:200], 0.99) == 0.198 and costs.percentile(seconds[:200], 0.999) is None


def test_a_short_run_writes_tables_that_follow_from_its_counts(tmp_path):
    if not (PROGRAMS / "reticle").is_file() or not shutil.which("zint"):
        pytest.skip("reticle is not built, or zint is missing")
    run = subprocess.run(
        [sys.executable, CHECKOUT / "deploy/datasheet", "--quick", "--only", "module,contrast", "--programs", PROGRAMS, "--output",
         tmp_path / "page.md", "--keep", tmp_path / "kept"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    folder = Path(run.stderr.split("the counts are in ")[1].strip())
    page = (tmp_path / "page.md").read_text()
    for name in ("module", "contrast"):
        part = page.split(f"<!-- {name} -->")[1].split(f"<!-- end of {name} -->")[0]
        for symbology in quantities.QUICK_SYMBOLOGIES:
            rows = json.loads((folder / f"{name}-{symbology}-3.json").read_text())
            assert {row["count"] for row in rows} == {3}
            best = None
            for strength in quantities.QUANTITIES[name].strengths:
                row = [row for row in rows if row["reader"] == "reticle" and row["strength"] == strength]
                if not row or row[0]["read"] < 3:
                    break
                best = strength
            cell = re.search(rf"\| `{symbology}` \| ([^|]*) \|", part).group(1)
            assert best is not None and cell.removeprefix("≤ ") == f"{best:g}"
        assert "<svg" in (tmp_path / f"page/{name}.svg").read_text()
    # Parts that were not asked for stay as the page has them.
    template = (CHECKOUT / "docs/datasheet.md").read_text()
    assert page.split("<!-- tilt -->")[1].split("<!-- end of tilt -->")[0] == template.split("<!-- tilt -->")[1].split("<!-- end of tilt -->")[0]
    manifest = [json.loads(line) for line in (tmp_path / "kept/manifest.jsonl").read_text().splitlines()]
    assert all((tmp_path / "kept" / row["file"]).is_file() for row in manifest)


def test_an_unknown_part_is_refused():
    run = subprocess.run(
        [sys.executable, CHECKOUT / "deploy/datasheet", "--only", "modul", "--programs", PROGRAMS], capture_output=True, text=True)
    if (PROGRAMS / "reticle").is_file():
        assert run.returncode == 1 and "there is no modul; the parts are module, contrast" in run.stderr
