"""deploy/debian/update: stations take a ring's new version by themselves, and go back from one that they are not well with.

apt and dpkg are the real ones, with a root of their own; systemd and the console are played by the version that is installed."""
import fcntl
import json
import os
import shutil
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parent.parent.parent
REPOSITORY = CHECKOUT / "deploy/apt-repository"
UPDATE = CHECKOUT / "deploy/debian/update"
PROGRAM = Path(os.environ.get("RETICLE_PROGRAM", CHECKOUT / ".build/release/reticle"))
TOKEN = "0123456789"

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root updates packages")


# Each restart runs the version that is installed. A version's kind is in its package: `good`; `failed`, which systemd gives up;
# `unready`, whose console says so; `crashing`, which ends again and again; `broken`, whose installation fails.
SYSTEMCTL = """#!/bin/bash
cd "$STATION"
kind=$(cat running)
case $1 in
  is-active)
    if [ -e kill-judging ] && grep -qsf kill-judging installations; then rm kill-judging; kill -9 "$PPID"; kill -9 0; fi
    [ "$kind" != failed ] || { echo failed; exit 3; }
    echo active ;;
  show)
    [ "$kind" != crashing ] || echo $(($(cat restarts) + 1)) >restarts
    cat restarts ;;
  try-restart | start)
    [ "$1" != start ] || touch started
    cp root/kind running ;;
esac
"""
# The run ends before or behind apt-get's installation, as with a power cut.
APT = """#!/bin/bash
if [ "$1" = install ]; then
  echo "${*: -1}" >>"$STATION/installations"
  if [ -e "$STATION/kill-before" ]; then rm "$STATION/kill-before"; kill -9 0; fi
  /usr/bin/apt-get "$@"
  status=$?
  if [ -e "$STATION/kill-behind" ]; then rm "$STATION/kill-behind"; kill -9 0; fi
  exit $status
fi
exec /usr/bin/apt-get "$@"
"""
# A log of its own.
DPKG = """#!/bin/sh
exec /usr/bin/dpkg --log="$STATION/dpkg.log" "$@"
"""
# In the middle of dpkg's work, before and behind the files.
SCRIPT = """#!/bin/bash
if [ -e "$STATION/kill-{script}" ]; then rm "$STATION/kill-{script}"; kill -9 0; fi
"""


def make_package(folder, version, kind="good"):
    root = folder / f"reticle-{version}"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "kind").write_text(kind + "\n")
    (root / "DEBIAN/control").write_text(
        f"Package: reticle\nVersion: {version}\nArchitecture: amd64\nMaintainer: Test <test@example.org>\nDescription: test\n")
    for script in ("preinst", "postinst"):
        file = root / "DEBIAN" / script
        file.write_text(SCRIPT.replace("{script}", script) + ("systemctl try-restart reticle\n" if script == "postinst" else ""))
        if script == "postinst" and kind == "broken":
            file.write_text("#!/bin/sh\nexit 1\n")
        file.chmod(0o755)
    file = folder / f"{root.name}.deb"
    subprocess.run(["dpkg-deb", "--build", "-Znone", "--root-owner-group", root, file], check=True, capture_output=True)
    return file


class Station:
    """A machine with an apt and a dpkg of its own, in a ring."""

    def __init__(self, folder, ring="canary"):
        folder.mkdir(exist_ok=True)
        self.folder, self.repository, self.root = folder, folder / "repository", folder / "root"
        self.state = folder / "state"
        for place in ("state/lists/partial", "cache/archives/partial", "etc/sources.list.d", "etc/apt.conf.d", "etc/preferences.d",
                      "log", "dpkg/updates", "dpkg/info"):
            (self.root / place).mkdir(parents=True)
        (self.root / "dpkg/status").touch()
        self.list = self.root / "etc/sources.list.d/reticle.list"
        self.list.write_text(f"deb [arch=amd64 signed-by={self.repository}/public/reticle.gpg] file:{self.repository}/public {ring} main\n")
        (folder / "apt.conf").write_text(
            f'Dir::State "{self.root}/state"; Dir::State::status "{self.root}/dpkg/status"; Dir::Cache "{self.root}/cache";\n'
            f'Dir::Etc "{self.root}/etc"; Dir::Log "{self.root}/log"; APT::Sandbox::User "root"; APT::Architecture "amd64";\n'
            f'APT::Architectures "amd64"; Acquire::Retries "0"; Dir::Bin::dpkg "{folder}/programs/dpkg"; Dpkg::Use-Pty "0"; DPkg::Path "";\n')
        programs = folder / "programs"
        programs.mkdir()
        for name, text in (("systemctl", SYSTEMCTL), ("apt-get", APT), ("dpkg", DPKG)):
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{programs}:{os.environ['PATH']}", "STATION": str(folder), "APT_CONFIG": str(folder / "apt.conf"),
            "DPKG_ROOT": str(self.root), "DPKG_ADMINDIR": str(self.root / "dpkg"), "DPKG_FORCE": "security-mac,downgrade,script-chrootless",
        }
        (folder / "running").write_text("good\n")
        (folder / "restarts").write_text("0\n")
        (folder / "token").write_text(TOKEN + "\n")
        (folder / "packages").mkdir()
        self.serve()
        self.tool("init", self.repository)
        self.add("1.0")
        self.command("dpkg", "-i", folder / "packages/reticle-1.0.deb")
        assert self.version() == "ii 1.0"

    def serve(self):
        station = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                right = self.path == "/readyz" and self.headers["Authorization"] == f"Bearer {TOKEN}"
                ready = right and station.running() in ("good", "crashing")
                text = b"ready\n" if ready else b"the camera gives no frames\nthe outbox is full\n"
                self.send_response(200 if ready else 503)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()
        (self.folder / "follow.conf").write_text(
            f"group=shop\nconsole=http://127.0.0.1:{self.server.server_port}\ntoken_file={self.folder}/token\n")

    def command(self, *words):
        outcome = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, env=self.environment)
        assert outcome.returncode == 0, outcome.stdout + outcome.stderr
        return outcome.stdout

    def tool(self, *arguments):
        return self.command(REPOSITORY, *arguments)

    def add(self, version, kind="good", ring="canary"):
        self.tool("add", self.repository, ring, make_package(self.folder / "packages", version, kind))

    def version(self):
        return self.command("dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", "reticle")

    def running(self):
        return (self.folder / "running").read_text().strip()

    def installations(self):
        """What was given to apt-get to install."""
        file = self.folder / "installations"
        return [Path(line).name for line in file.read_text().splitlines()] if file.exists() else []

    def start(self):
        return subprocess.run(
            [UPDATE, "--list", self.list, "--config", self.folder / "follow.conf", "--state", self.state, "--within", "1", "--steady", "1"],
            capture_output=True, text=True, timeout=60, env=self.environment, start_new_session=True)

    def run(self, state):
        """A run that ends as `state`: its report."""
        before = int(time.time())
        outcome = self.start()
        assert (self.state / "report.json").exists(), outcome.stderr
        report = json.loads((self.state / "report.json").read_text())
        assert report["state"] == state, report | {"log": outcome.stderr}
        assert set(report) - {"problem"} == {"version", "candidate", "state", "checked"}
        assert before <= report["checked"] <= time.time()
        assert outcome.returncode == (0 if state in ("current", "updated") else 1)
        assert self.version() == f"ii {report['version']}" and not (self.state / "journal").exists()
        assert outcome.stderr.startswith(f"{state}: version {report['version']}") and outcome.stderr.count("\n") == 1
        return report

    def cut(self, place, package="new.deb"):
        """A run that a power cut ends at `place`: before, in or behind an installation, or in the judgement of that package."""
        (self.folder / f"kill-{place}").write_text(f"{package}\n")
        outcome = self.start()
        assert not (self.folder / f"kill-{place}").exists(), f"{place} was not reached: {outcome.stderr}"
        assert outcome.returncode == -9 and (self.state / "journal").exists(), outcome.stderr


@pytest.fixture(autouse=True)
def machine(tmp_path):
    """The machine's own packages stay as they are, and no agent of gpg stays behind."""
    before = Path("/var/lib/dpkg/status").read_bytes()
    yield
    for key in tmp_path.glob("**/repository/key"):
        subprocess.run(["gpgconf", "--homedir", key, "--kill", "gpg-agent"], check=True)
    assert Path("/var/lib/dpkg/status").read_bytes() == before


@pytest.fixture
def station(tmp_path):
    assert shutil.which("apt-ftparchive"), "apt-utils is missing: deploy/prepare test installs it"
    return Station(tmp_path)


def at_once(tmp_path, check, cases):
    """Checks cases, each with a station of its own, while others wait."""
    with ThreadPoolExecutor(len(cases)) as pool:
        list(pool.map(lambda case: check(Station(tmp_path / case[0]), *case), cases))


def test_a_good_version_is_kept(station):
    report = station.run("current")
    assert report["version"] == report["candidate"] == "1.0" and "problem" not in report
    assert station.installations() == []
    station.add("1.1")
    report = station.run("updated")
    assert report["version"] == report["candidate"] == "1.1" and "problem" not in report
    assert station.run("current")["version"] == "1.1" and station.installations() == ["new.deb"]
    status = station.command(UPDATE, "--status", "--state", station.state)
    assert status.startswith("state: current\nversion: 1.1\ncandidate: 1.1\nchecked: ") and "problem" not in status


def test_a_version_that_the_station_is_not_well_with_is_taken_back_and_not_tried_again(tmp_path):
    at_once(tmp_path, check_taken_back, [
        ("failed", "systemd says failed, 1 s after the start"),
        ("unready", "the console says: the camera gives no frames, 1 s after the start"),
        ("crashing", "the service has crashed"),
        ("broken", "its installation fails: "),
    ])


def check_taken_back(station, kind, reason):
    station.add("1.1", kind)
    report = station.run("takenBack")
    assert report["version"] == "1.0" and report["candidate"] == "1.1"
    assert report["problem"].startswith(f"the station was not well with 1.1: {reason}"), report
    assert report["problem"].endswith("; it waits for another version") and "either" not in report["problem"]
    assert station.running() == "good" and station.installations() == ["new.deb", "old.deb"]
    # A station that systemd has given up does not start by a mere restart of what runs.
    assert (station.folder / "started").exists()
    assert "1.1 was taken back before" in station.run("refused")["problem"]
    assert station.installations() == ["new.deb", "old.deb"]
    outcome = subprocess.run([UPDATE, "--status", "--state", station.state], capture_output=True, text=True)
    assert outcome.returncode == 1 and "state: refused\nversion: 1.0\ncandidate: 1.1\n" in outcome.stdout
    if kind == "failed":
        station.add("1.2")
        assert station.run("updated")["version"] == "1.2"


def test_a_station_that_is_not_well_is_left_alone(station):
    station.add("1.1")
    (station.folder / "running").write_text("unready\n")
    report = station.run("waiting")
    assert report["problem"] == "the station is not well with 1.0: the console says: the camera gives no frames; put that right first"
    (station.folder / "running").write_text("failed\n")
    assert "systemd says failed" in station.run("waiting")["problem"]
    # Another's token does not open the console.
    (station.folder / "running").write_text("good\n")
    (station.folder / "token").write_text("other\n")
    station.run("waiting")
    assert station.installations() == []


def test_without_a_token_systemd_alone_is_asked(station):
    (station.folder / "token").unlink()
    station.add("1.1", "unready")
    report = station.run("updated")
    assert report["version"] == "1.1"
    assert report["problem"] == f"only systemd is asked whether the station is well: {station.folder}/token cannot be read"
    station.add("1.2", "failed")
    assert station.run("takenBack")["version"] == "1.1"


def test_the_console_of_a_station_of_the_fleet_is_asked(station, tmp_path):
    (tmp_path / "pictures").mkdir()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    station.command(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", *subject,
        "-keyout", tmp_path / "key", "-out", tmp_path / "certificate")
    (tmp_path / "token").write_text("0123456789abcdef0123456789abcdef\n")
    for name in ("token", "key"):
        (tmp_path / name).chmod(0o600)
    (tmp_path / "reticle.yaml").write_text(yaml.safe_dump({
        "camera": {"source": "pictures", "repeat": "watch", "pictures": [str(tmp_path / "pictures")]},
        "outbox": {"path": str(tmp_path / "outbox.sqlite")},
        "console": {
            "address": "127.0.0.1", "port": port, "tls": "files", "certificate_file": str(tmp_path / "certificate"),
            "key_file": str(tmp_path / "key"), "token_file": str(tmp_path / "token"),
        },
    }))
    (tmp_path / "follow.conf").write_text(
        f"console=https://localhost:{port}\nauthority={tmp_path}/certificate\ntoken_file={tmp_path}/token\n")
    station.add("1.1")
    report = station.run("waiting")
    assert "the console says: curl: (7)" in report["problem"]
    with open(tmp_path / "log", "w") as log:
        process = subprocess.Popen([PROGRAM, "run", "--config", tmp_path / "reticle.yaml"], stdout=log, stderr=log, cwd=tmp_path)
    try:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        time.sleep(1)
        report = station.run("updated")
        assert report["version"] == "1.1" and "problem" not in report
    finally:
        process.terminate()
        process.wait(20)


def test_without_the_repository_the_version_stays(station):
    station.add("1.1")
    station.repository.rename(station.folder / "gone")
    assert "the repository does not answer: " in station.run("unreachable")["problem"]
    (station.folder / "gone").rename(station.repository)
    # A server that does not answer is no more than a warning to apt.
    text = station.list.read_text()
    station.list.write_text(text.replace(f"file:{station.repository}/public", "http://127.0.0.1:9"))
    assert "127.0.0.1" in station.run("unreachable")["problem"]
    station.list.write_text(text)
    # Nor is one taken that somebody else has changed.
    file = station.repository / "public/dists/canary/InRelease"
    signed = file.read_text()
    file.write_text(signed.replace("Suite: canary", "Suite: canarx"))
    station.run("unreachable")
    file.write_text(signed)
    package = station.repository / "public/pool/canary/reticle_1.1_amd64.deb"
    content = package.read_bytes()
    package.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert "1.1 cannot be fetched" in station.run("unreachable")["problem"] and station.installations() == []
    package.write_bytes(content)
    assert station.run("updated")["version"] == "1.1"


def test_without_a_way_back_nothing_is_installed(station):
    for version in ("1.1", "1.2", "1.3"):
        station.add(version)
    report = station.run("refused")
    assert report["problem"].startswith("without the package of 1.0 there is no way back") and station.installations() == []
    # The package of a version that was taken is kept, so that the ring may forget it.
    shutil.copy(station.folder / "packages/reticle-1.0.deb", station.state / "old.deb")
    assert station.run("updated")["version"] == "1.3"
    for version in ("1.4", "1.5", "1.6"):
        station.add(version, "failed")
    assert station.run("takenBack")["version"] == "1.3"


def test_after_a_power_cut_a_good_version_is_judged_or_put_in_again(tmp_path):
    at_once(tmp_path, check_cut_of_good_version, [
        ("before", "waiting"), ("preinst", "waiting"), ("postinst", "waiting"), ("behind", "updated"), ("judging", "updated"),
    ])


def check_cut_of_good_version(station, place, state):
    station.run("current")
    station.add("1.1")
    station.cut(place)
    if station.version() != "ii 1.0":
        # The machine starts the installed version.
        station.command("systemctl", "start", "reticle")
    report = station.run(state)
    assert report["candidate"] == "1.1" and station.running() == "good"
    if state == "waiting":
        assert report["version"] == "1.0" and "the next run tries again" in report["problem"]
        assert station.run("updated")["version"] == "1.1"


def test_a_power_cut_on_the_way_back_does_not_keep_a_bad_version(tmp_path):
    at_once(tmp_path, check_cut_of_bad_version, [(place,) for place in ("before", "preinst", "postinst", "behind", "judging")])


def check_cut_of_bad_version(station, place):
    station.run("current")
    station.add("1.1", "failed")
    station.cut("judging")
    station.cut(place, "old.deb")
    report = station.run("takenBack")
    assert report["version"] == "1.0" and "systemd says failed" in report["problem"] and station.running() == "good"
    station.run("refused")


def test_a_version_whose_judgement_never_ends_is_taken_back(station):
    station.add("1.1")
    for _ in range(3):
        station.cut("judging")
    assert "3 times the machine's power ended meanwhile" in station.run("takenBack")["problem"]


def test_a_version_waits_for_its_ring(tmp_path):
    station = Station(tmp_path, "shop")
    assert station.run("current")["version"] == "1.0"
    station.tool("promote", station.repository, "canary", "shop")
    station.add("1.1")
    assert station.run("current")["version"] == "1.0"
    station.tool("promote", station.repository, "canary", "shop")
    assert station.run("updated")["version"] == "1.1"


def test_one_run_at_a_time(station):
    station.run("current")
    with open(station.state / "lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert station.start().returncode == 75


@pytest.mark.parametrize(
    "arguments, status, complaint",
    [
        (["--list", "/nowhere"], 78, "/nowhere cannot be read"),
        (["--within", "soon"], 64, "is no number of seconds"),
        (["--state"], 64, "needs a value"),
        (["--status", "--state", "/nowhere"], 1, "/nowhere/report.json cannot be read"),
    ],
)
def test_wrong_use_gets_one_clear_error(arguments, status, complaint):
    outcome = subprocess.run([UPDATE, *arguments], capture_output=True, text=True, timeout=10)
    assert outcome.returncode == status and complaint in outcome.stderr and outcome.stderr.count("\n") == 1
