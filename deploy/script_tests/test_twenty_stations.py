"""Twenty stations with faults: what the monitor says of each, and that PostgreSQL has each scan once."""
import json
import os
import signal
import socket
import subprocess
import threading
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
import yaml
from databases import Database
from test_fleet import PROGRAM, Fleet, dashboard_expressions, free_port, until

# Stations, and labels that each of them scans: before the faults, and during them.
STATIONS = [f"st-{number:02}" for number in range(20)]
BEFORE, DURING = 3, 4
KILLED, CUT, WRONG, LYING = STATIONS[3], STATIONS[7], STATIONS[11], STATIONS[15]
# The time for which a station is without network, and the error of the clock that lies, in seconds.
CUT_SECONDS, LIE_SECONDS = 60, 7200


class Cable:
    """A way from a station to the broker that can be cut."""

    def __init__(self, port):
        self.target, self.is_cut, self.sockets = port, False, set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            if self.is_cut:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self.target))
            self.sockets |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            end.close()

    def cut(self):
        self.is_cut = True
        for end in self.sockets:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.sockets = set()

    def mend(self):
        self.is_cut = False


class Station:
    def __init__(self, fleet, name, folder, labels):
        self.name, self.folder, self.labels = name, folder, labels
        self.console = free_port()
        self.cable = Cable(fleet.broker_port)
        fleet.add(name, "--group", f"shop-{int(name[3:]) % 4}", "--console", f"localhost:{self.console}")
        (folder / "pictures").mkdir(parents=True)
        files = fleet.folder / "stations" / name
        text = (files / "fleet.yaml").read_text().replace("/etc/reticle/fleet/", f"{files}/")
        self.configuration = yaml.safe_load(text.replace(f"localhost:{fleet.broker_port}", f"localhost:{self.cable.port}"))
        self.configuration["console"]["address"] = "127.0.0.1"
        self.configuration |= {
            "camera": {"source": "pictures", "pictures": [str(folder / "pictures")], "repeat": "watch"},
            "outbox": {"path": str(folder / "outbox.sqlite")},
        }
        self.file = folder / "station.yaml"
        self.file.write_text(yaml.safe_dump(self.configuration))
        self.process = None

    def start(self, **environment):
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "run", "--config", str(self.file)], stdout=log, stderr=subprocess.STDOUT, env=os.environ | environment)

    def show(self, number):
        """Puts a label in front of the camera."""
        label = self.labels / f"{self.name}-{number}.png"
        os.link(label, self.folder / label.name)
        os.rename(self.folder / label.name, self.folder / "pictures" / label.name)

    def clear(self):
        for picture in (self.folder / "pictures").iterdir():
            picture.unlink()


def wrong_clock(folder):
    """A library that makes the wall clock of a program wrong, and no other clock."""
    source, library = folder / "clock.c", folder / "clock.so"
    source.write_text(f"""
        #define _GNU_SOURCE
        #include <pthread.h>
        #include <semaphore.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t id, struct timespec *now) {{
          long result = syscall(SYS_clock_gettime, id, now);
          if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) now->tv_sec += {LIE_SECONDS};
          return result;
        }}
        time_t time(time_t *to) {{
          struct timespec now;
          clock_gettime(CLOCK_REALTIME, &now);
          if (to) *to = now.tv_sec;
          return now.tv_sec;
        }}
        /* The kernel's clock is right: waits until a moment are for the right one. */
        static struct timespec right(const struct timespec *until, clockid_t *clock) {{
          struct timespec moment = *until;
          *clock = moment.tv_sec > 1000000000 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
          if (*clock == CLOCK_REALTIME) moment.tv_sec -= {LIE_SECONDS};
          return moment;
        }}
        int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {{
          clockid_t clock;
          struct timespec moment = right(until, &clock);
          return pthread_cond_clockwait(condition, mutex, clock, &moment);
        }}
        int sem_timedwait(sem_t *semaphore, const struct timespec *until) {{
          clockid_t clock;
          struct timespec moment = right(until, &clock);
          return sem_clockwait(semaphore, clock, &moment);
        }}
        int gettimeofday(struct timeval *restrict to, void *restrict zone) {{
          struct timespec now;
          clock_gettime(CLOCK_REALTIME, &now);
          to->tv_sec = now.tv_sec;
          to->tv_usec = now.tv_nsec / 1000;
          return 0;
        }}
        """)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def pending(fleet, alert):
    """The stations for which an alert is raised, or would be if it lasted."""
    return set(fleet.ask(f'ALERTS{{alertname="{alert}"}}'))


@pytest.fixture(scope="module")
def database():
    database = Database()
    yield database
    database.remove()


@pytest.fixture(scope="module")
def fleet(tmp_path_factory, database):
    os.environ["PATH"] = f"{Path(PROGRAM).parent}:{os.environ['PATH']}"
    fleet = Fleet(tmp_path_factory.mktemp("twenty") / "fleet", "--database", database.address)
    yield fleet
    assert fleet.stop() == 0


def test_faults_are_told_and_each_scan_is_stored_once(fleet, database, tmp_path):
    labels = tmp_path / "labels"
    labels.mkdir()
    for name in STATIONS:
        for number in range(BEFORE + DURING):
            made = subprocess.run(
                [PROGRAM, "generate", "--output", labels / f"{name}-{number}.png", "--symbology", "code128", f"{name}-{number}"],
                capture_output=True, text=True, timeout=60)
            assert made.returncode == 0, made.stderr
    stations = {name: Station(fleet, name, tmp_path / name, labels) for name in STATIONS}
    wrong = stations[WRONG]
    wrong.file.write_text(yaml.safe_dump(wrong.configuration | {"decoder": {"symbologies": ["ean13", "code129"]}}))
    lie = {"LD_PRELOAD": str(wrong_clock(tmp_path))}
    try:
        for name, station in stations.items():
            station.start(**(lie if name == LYING else {}))
        # One does not start, and says why.
        assert wrong.process.wait(30) == 78
        assert "code129" in (wrong.folder / "log").read_text()
        well = [name for name in STATIONS if name != WRONG]

        def count(names, numbers):
            texts = ", ".join(f"'{name}-{number}'" for name in names for number in numbers)
            return int(database.rows(f"SELECT count(*) FROM scans WHERE text IN ({texts})")[0][0])

        for number in range(BEFORE):
            for name in well:
                stations[name].show(number)
        until(lambda: count(well, range(BEFORE)) == len(well) * BEFORE, 120)
        for name in (KILLED, CUT):
            stations[name].cable.cut()
        for number in range(BEFORE, BEFORE + DURING):
            for name in well:
                stations[name].show(number)
        rest = [name for name in well if name not in (KILLED, CUT)]
        until(lambda: count(rest, range(BEFORE + DURING)) == len(rest) * (BEFORE + DURING), 120)
        # What cannot go waits at the station, and the monitor says so.
        until(lambda: {name for name, value in fleet.ask("reticle_outbox_undelivered").items() if value == DURING} == {KILLED, CUT}, 60)
        assert count([KILLED, CUT], range(BEFORE, BEFORE + DURING)) == 0
        # A kill loses none of it. The labels are taken away: a station that starts would scan them again.
        stations[KILLED].clear()
        stations[KILLED].process.send_signal(signal.SIGKILL)
        stations[KILLED].process.wait(30)
        until(lambda: pending(fleet, "StationSilent") == {KILLED, WRONG}, 60)
        assert pending(fleet, "ClockWrong") == {LYING}
        error = fleet.ask("reticle:clock_error:seconds")
        assert abs(error[LYING] - LIE_SECONDS) < 5 and all(abs(value) < 5 for name, value in error.items() if name != LYING)
        for expression in dashboard_expressions():
            url = f"http://127.0.0.1:{fleet.monitor_port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
            with urllib.request.urlopen(url, timeout=10) as answer:
                assert json.load(answer)["status"] == "success", expression
        assert set(fleet.ask("up")) >= set(STATIONS)
        threading.Event().wait(CUT_SECONDS)
        # All comes back.
        wrong.file.write_text(yaml.safe_dump(wrong.configuration))
        for name in (KILLED, WRONG):
            stations[name].start()
        for number in range(BEFORE + DURING):
            wrong.show(number)
        for name in (KILLED, CUT):
            stations[name].cable.mend()
        total = len(STATIONS) * (BEFORE + DURING)
        until(lambda: count(STATIONS, range(BEFORE + DURING)) == total, 120)
        assert database.rows("SELECT count(*), count(DISTINCT (station, text)) FROM scans WHERE no_read IS NULL") == [[str(total)] * 2]
        assert database.rows("SELECT count(*) FROM scans WHERE text NOT LIKE station || '-%' AND no_read IS NULL") == [["0"]]
        assert database.rows("SELECT count(*) FROM scans_refused") == [["0"]]
        until(lambda: pending(fleet, "StationSilent") == set() and set(fleet.ask("reticle_outbox_undelivered > 0")) == set(), 60)
        lying = database.rows(f"SELECT min(extract(epoch FROM captured - received)) FROM scans WHERE station = '{LYING}'")
        assert abs(float(lying[0][0]) - LIE_SECONDS) < 300
    finally:
        for station in stations.values():
            if station.process and station.process.poll() is None:
                station.process.terminate()
        for station in stations.values():
            if station.process:
                station.process.wait(30)
        for name in (KILLED, CUT, WRONG, LYING):
            print(name, (stations[name].folder / "log").read_text()[-3000:])
