"""Runs the console's browser tests; `deploy/test-console` says how."""
import argparse
import concurrent.futures
import pathlib
import tempfile
import threading
import time
import traceback

import first_start
import flows
import judgements
import trials
from pages import Browser
from stations import NASTY_TEXT, REFUSED_TEXT, Lab, make_lab, stop_lab

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PARCEL = ROOT / "deploy/pictures/parcel.jpg"
LABELS = [
    ("1", NASTY_TEXT, "qr"), ("2", REFUSED_TEXT, "qr"), ("3", "5901234123457", "ean13"), ("4", "SHELF-0042", "code128"),
    ("5", "Prüfplan 7 ✓", "qr"), ("6", "(01)09521234543213(10)ABC123(17)261231", "datamatrix", "--gs1"),
]


class Run:
    """Runs tests, in lanes beside each other where most of the time is waiting, and notes the failures."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.count, self.failures = 0, []
        self.lock = threading.Lock()

    def wants(self, name):
        return self.options.only in name

    def do(self, action, *values):
        name = action.__name__.replace("_", " ")
        if not self.wants(name):
            return
        start = time.monotonic()
        try:
            result, mark = action(*values), "ok"
        except Exception as error:  # Whatever it is, the other tests go on.
            log = values[0].station.log.read_text(errors="replace") if isinstance(values[0], Lab) else ""
            result, mark = "".join([*traceback.format_exception(error)[-3:], log[-1500:]]).rstrip(), "FAILED"
        with self.lock:
            self.count += 1
            print(f"{mark}: {name} ({time.monotonic() - start:.1f} s){f': {result}' if result else ''}", flush=True)
            if mark != "ok":
                self.failures.append(name)

    def lab_lane(self, name, actions, after=(), labels=LABELS, scenery=1):
        """A lane of tests with a station of its own; those of `after` get values besides.

        Its camera sees the labels, and then for some frames the parcel.
        """
        names = [action.__name__.replace("_", " ") for action in [*actions, *(one[0] for one in after)]]
        if not any(map(self.wants, names)):
            return
        lab = make_lab(self.options.program, self.folder / name, labels, [PARCEL] * scenery)
        browser = Browser(self.options.page)
        try:
            for action in actions:
                self.do(action, lab, browser)
            for action, *values in after:
                self.do(action, lab, browser, *values)
        finally:
            browser.stop()
            stop_lab(lab)

    def first_starts(self):
        browser = Browser(self.options.page)
        try:
            for flow in first_start.FLOWS:
                self.do(flow, self.options.program, self.folder / flow.__name__, browser, self.options.screenshots)
        finally:
            browser.stop()

    def viewers(self):
        lab = make_lab(self.options.program, self.folder / "viewers", [], [PARCEL], frame_rate=1000, effort="still")
        try:
            self.do(judgements.weigh_viewers, lab)
        finally:
            stop_lab(lab)

    def all(self):
        if self.options.viewers:
            return self.viewers()
        # What is measured has the machine to itself.
        self.lab_lane("measures", [judgements.count_page_bytes, judgements.time_first_picture, flows.watch_live_pictures])
        shots = [(judgements.shoot, self.options.screenshots)] if self.options.screenshots else []
        lanes = [
            lambda: self.lab_lane("flows", [flow for flow in flows.FLOWS if flow is not flows.watch_live_pictures]),
            lambda: self.lab_lane("views", [judgements.judge_accessibility], shots, scenery=300),
            lambda: self.lab_lane("kept", trials.KEPT, labels=[]),
            lambda: self.lab_lane("taken back", trials.TAKEN_BACK, labels=[]),
            self.first_starts,
            lambda: self.do(judgements.ask_the_api, self.options.program, self.folder / "api", self.options.requests),
        ]
        with concurrent.futures.ThreadPoolExecutor(len(lanes)) as pool:
            for lane in [pool.submit(lane) for lane in lanes]:
                lane.result()


def options():
    parser = argparse.ArgumentParser(prog="test-console")
    parser.add_argument("--program", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--screenshots", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--only", default="")
    parser.add_argument("--viewers", action="store_true")
    parser.add_argument("--page", type=lambda path: pathlib.Path(path).resolve())
    return parser.parse_args()


def main():
    chosen = options()
    with tempfile.TemporaryDirectory(prefix="test-console-") as folder:
        run, start = Run(chosen, pathlib.Path(folder)), time.monotonic()
        run.all()
    print(f"{run.count - len(run.failures)} of {run.count} tests passed in {time.monotonic() - start:.0f} s")
    if run.failures or not run.count:
        raise SystemExit("failed: " + (", ".join(run.failures) or "no test has this name"))


main()
