"""A station whose disk fails while it starts, with a library that fails as a disk does (deploy/simulated_month/faulty_storage.c)."""
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("RETICLE_PROGRAM", CHECKOUT / ".build/release/reticle")).resolve()
# How long a station may take to store a scan, to heal or to end, in seconds. It tries to heal every 5 s.
LIMIT = 60


class Station:
    def __init__(self, folder):
        self.folder, self.process = folder, None
        library = folder / "faulty_storage.so"
        source = CHECKOUT / "deploy/simulated_month/faulty_storage.c"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        subprocess.run([PROGRAM, "generate", "LABEL", "-o", folder / "label.png", "--scale", "4"], check=True)
        self.fault = folder / "fault"
        (folder / "station.yaml").write_text(
            "camera: {pictures: label.png, frame_rate: 20}\nrepeat: {absence: 50 ms}\noutbox: {path: outbox.sqlite}\n"
            "sinks: [{name: shop, webhook: {url: 'http://127.0.0.1:9/'}}]\n")
        self.environment = {**os.environ, "LD_PRELOAD": str(library), "RETICLE_STORAGE_FAULT": str(self.fault)}

    def start(self):
        with (self.folder / "log").open("w") as log:
            self.process = subprocess.Popen([PROGRAM, "run", "--config", "station.yaml"], cwd=self.folder, env=self.environment,
                                            stdout=log, stderr=log)

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait(LIMIT)

    def await_log(self, text):
        end = time.monotonic() + LIMIT
        while text not in (log := (self.folder / "log").read_text()):
            assert time.monotonic() < end and self.process.poll() is None, f"{text!r} does not come:\n{log}"
            time.sleep(0.1)


@pytest.fixture
def station(tmp_path):
    station = Station(tmp_path)
    yield station
    if station.process and station.process.poll() is None:
        station.process.kill()


@pytest.mark.parametrize("letter", ["r", "e"])
def test_a_station_that_starts_on_a_failing_disk_stores_scans_once_the_disk_works(station, letter):
    station.start()
    station.await_log("delivery failed")
    station.end(signal.SIGKILL)
    station.fault.write_text(letter)
    station.start()
    station.await_log("the outbox's storage is in trouble")
    # Long enough to try once to heal.
    time.sleep(7)
    station.fault.unlink()
    station.await_log("the outbox is healed")
    station.end(signal.SIGTERM)
    assert station.process.returncode == 0
    listed = subprocess.run([PROGRAM, "outbox", "list", "--config", "station.yaml"], cwd=station.folder, capture_output=True, text=True)
    assert listed.stdout.count("LABEL") >= 2, listed
