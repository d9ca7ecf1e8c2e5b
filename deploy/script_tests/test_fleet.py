"""deploy/fleet: rules and dashboard that know only metrics that exist, and a broker that keeps stations apart."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parent.parent.parent
FLEET = CHECKOUT / "deploy/fleet"
PROGRAM = os.environ.get("RETICLE_PROGRAM", str(CHECKOUT / ".build/release/reticle"))
METRICS = set(re.findall(r"^\| `(\w+)` \|", (CHECKOUT / "docs/metrics.md").read_text(), re.M))


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


def rules():
    return [rule for group in yaml.safe_load((FLEET / "rules.yml").read_text())["groups"] for rule in group["rules"]]


def dashboard_expressions():
    """The dashboard's queries, with all stations and groups chosen."""
    panels = json.loads((FLEET / "dashboard.json").read_text())["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    return [expression.replace("$station", ".*").replace("$group", ".*") for expression in expressions]


def test_each_alert_fires_and_stays_silent_where_the_rule_tests_say():
    outcome = run("promtool", "test", "rules", str(FLEET / "rules-test.yml"))
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    tests = [test for case in yaml.safe_load((FLEET / "rules-test.yml").read_text())["tests"] for test in case["alert_rule_test"]]
    fired = {test["alertname"] for test in tests if test["exp_alerts"]}
    silent = {test["alertname"] for test in tests if not test["exp_alerts"]}
    assert fired == silent == {rule["alert"] for rule in rules() if "alert" in rule}


def test_rules_and_dashboard_ask_for_metrics_that_exist(tmp_path):
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    expressions = [rule["expr"] for rule in rules()] + dashboard_expressions()
    for expression in expressions:
        for name in re.findall(r"\breticle[\w:]+", re.sub(r'"[^"]*"', "", expression)):
            family = re.sub(r"_bucket$", "", name)
            assert family in METRICS or name in recorded, f"{name} in {expression}"
    queries = [{"record": f"query:{index}", "expr": expression} for index, expression in enumerate(dashboard_expressions())]
    assert len(queries) > 10
    file = tmp_path / "queries.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": queries}]}))
    outcome = run("promtool", "check", "rules", str(file))
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(condition, seconds=30):
    """The first true value of a condition, within a limit."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.2)
    raise AssertionError(f"not within {seconds} s: {condition.__doc__ or condition}")


class Fleet:
    """A fleet whose broker and monitor run on this machine."""

    def __init__(self, folder, *options):
        self.folder, self.options = folder, options
        self.broker_port, self.monitor_port = free_port(), free_port()
        self.log = open(folder.parent / "up.log", "a+")
        self.start()

    def answers(self):
        """both listen"""
        assert self.process.poll() is None, Path(self.log.name).read_text()
        for port in (self.broker_port, self.monitor_port):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) != 0:
                    return False
        return True

    def station(self, *arguments):
        return run(FLEET / "station", *arguments)

    def add(self, name, *options):
        outcome = self.station("add", *options, str(self.folder), name)
        assert outcome.returncode == 0, outcome.stderr
        return outcome.stdout

    def client(self, program, credentials, *arguments):
        """Runs mosquitto_pub or mosquitto_sub as a user."""
        user, password = Path(credentials).read_text().strip().split(":")
        return [
            program, "-V", "5", "-h", "localhost", "-p", str(self.broker_port), "--cafile", str(self.folder / "fleet.crt"), "-u", user,
            "-P", password, *arguments,
        ]

    def credentials(self, name):
        return self.folder / "stations" / name / "broker.credentials"

    def ask(self, query):
        """The monitor's answer to a query: value by station."""
        url = f"http://127.0.0.1:{self.monitor_port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        with urllib.request.urlopen(url, timeout=10) as answer:
            result = json.load(answer)["data"]["result"]
        return {row["metric"].get("station"): float(row["value"][1]) for row in result}

    def version(self):
        """The version that the program has."""
        return run(PROGRAM, "--version").stdout.split()[1]

    def start(self):
        self.process = subprocess.Popen(
            [FLEET / "up", "--host", "localhost", "--broker-port", str(self.broker_port), "--monitor-port",
             str(self.monitor_port), *self.options, str(self.folder)], stdout=self.log, stderr=subprocess.STDOUT)
        until(self.answers, 60)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


def fake_package(folder, version):
    root = folder / "package"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN/control").write_text(
        f"Package: reticle\nVersion: {version}+deb12\nArchitecture: amd64\nMaintainer: Test <test@example.org>\nDescription: test\n")
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", root, folder / "reticle.deb"], check=True, capture_output=True)
    return folder / "reticle.deb"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    for program in ("prometheus", "mosquitto_pub"):
        assert shutil.which(program), f"{program} is missing: deploy/prepare test installs it"
    fleet = Fleet(tmp_path_factory.mktemp("fleet") / "fleet")
    yield fleet
    assert fleet.stop() == 0


def test_the_broker_keeps_stations_apart(fleet):
    for name in ("till-1", "till-2"):
        fleet.add(name)
    # A station publishes below its own topic.
    time.sleep(0.5)
    listening = subprocess.Popen(
        fleet.client("mosquitto_sub", fleet.folder / "collector.credentials", "-q", "1", "-t", "reticle/+/scan", "-C", "1", "-W", "30", "-v"),
        stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    own = run(*fleet.client("mosquitto_pub", fleet.credentials("till-1"), "-q", "1", "-t", "reticle/till-1/scan", "-m", "one"))
    assert own.returncode == 0, own.stderr
    assert listening.communicate(timeout=40)[0] == "reticle/till-1/scan one\n"
    # Not below another's, nor as another, nor without its password.
    other = run(*fleet.client("mosquitto_pub", fleet.credentials("till-1"), "-q", "1", "-t", "reticle/till-2/scan", "-m", "two"))
    assert "authori" in (other.stdout + other.stderr).lower()
    wrong = fleet.folder / "wrong.credentials"
    wrong.write_text("till-2:0123456789abcdef\n")
    assert run(*fleet.client("mosquitto_pub", wrong, "-q", "1", "-t", "reticle/till-2/scan", "-m", "two")).returncode != 0
    # The collector may not command stations; the operator may.
    collector = run(*fleet.client("mosquitto_pub", fleet.folder / "collector.credentials", "-q", "1", "-t", "reticle/till-1/command/trigger", "-m", "press"))
    assert "authori" in (collector.stdout + collector.stderr).lower()
    operator = run(*fleet.client("mosquitto_pub", fleet.folder / "operator.credentials", "-q", "1", "-t", "reticle/till-1/command/trigger", "-m", "press"))
    assert operator.returncode == 0 and "authori" not in (operator.stdout + operator.stderr).lower()


def test_without_the_fleets_authority_nobody_talks_to_the_broker(fleet):
    fleet.add("till-3")
    command = fleet.client("mosquitto_pub", fleet.credentials("till-3"), "-t", "reticle/till-3/scan", "-m", "x")
    place = command.index("--cafile")
    assert run(*command[:place], *command[place + 2:]).returncode != 0


def test_a_station_joins_by_what_the_script_wrote_and_its_scans_and_figures_arrive(fleet, tmp_path):
    console = free_port()
    fleet.add("till-4", "--group", "shop-1", "--ring", "canary", "--console", f"localhost:{console}")
    files = fleet.folder / "stations/till-4"
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    picture = pictures / "label.png"
    made = run(PROGRAM, "generate", "--output", str(picture), "--symbology", "ean13", "4006381333931")
    assert made.returncode == 0, made.stderr
    configuration = yaml.safe_load((files / "fleet.yaml").read_text().replace("/etc/reticle/fleet/", f"{files}/"))
    configuration["console"]["address"] = "127.0.0.1"
    configuration |= {
        "camera": {"source": "pictures", "pictures": [str(pictures)], "repeat": "watch"},
        "outbox": {"path": str(tmp_path / "outbox.sqlite")},
    }
    file = tmp_path / "station.yaml"
    file.write_text(yaml.safe_dump(configuration))
    checked = run(PROGRAM, "config", "check", "--config", str(file))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    listening = subprocess.Popen(
        fleet.client("mosquitto_sub", fleet.folder / "collector.credentials", "-q", "1", "-t", "reticle/+/scan", "-C", "1", "-W", "60"),
        stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    with open(tmp_path / "station.log", "w+") as log:
        station = subprocess.Popen([PROGRAM, "run", "--config", str(file)], stdout=log, stderr=subprocess.STDOUT)
        try:
            record = json.loads(listening.communicate(timeout=70)[0])
            assert record["text"] == "4006381333931" and record["station"] == "till-4"

            def is_up():
                """the monitor has fetched the station's figures"""
                return fleet.ask('up{job="reticle",group="shop-1",ring="canary"}').get("till-4") == 1

            until(is_up, 90)
            assert abs(until(lambda: fleet.ask("reticle:clock_error:seconds"), 60)["till-4"]) < 5
            # The gate between rings asks the same monitor: this version has not run for an hour.
            repository = tmp_path / "repository"
            assert run(FLEET.parent / "apt-repository", "init", str(repository)).returncode == 0
            package = fake_package(tmp_path, fleet.version())
            assert run(FLEET.parent / "apt-repository", "add", str(repository), "canary", str(package)).returncode == 0
            gate = run(
                FLEET.parent / "apt-repository", "promote", "--monitor", f"http://127.0.0.1:{fleet.monitor_port}", "--hours", "1",
                str(repository), "canary", "shop")
            assert gate.returncode == 1 and "of 1 stations of ring canary, 0 have run" in gate.stderr, gate.stderr
            ends = fleet.ask('reticle_certificate_end_seconds{certificate="console"}')["till-4"]
            assert 700 * 86400 < ends - time.time() <= 730 * 86400
        finally:
            station.terminate()
            station.wait(30)
            log.seek(0)
            print(log.read())


def test_a_removed_station_is_let_in_no_longer(fleet):
    fleet.add("till-5")
    time.sleep(0.5)
    command = fleet.client("mosquitto_pub", fleet.credentials("till-5"), "-q", "1", "-t", "reticle/till-5/scan", "-m", "x")
    assert run(*command).returncode == 0
    assert fleet.station("remove", str(fleet.folder), "till-5").returncode == 0
    time.sleep(0.5)
    assert run(*command).returncode != 0
    assert not (fleet.folder / "targets/till-5.json").exists()


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["add", "FOLDER", "till 1"], "is no name"),
        (["add", "FOLDER", "operator"], "a name of the fleet's own"),
        (["add", "--ring", "first", "FOLDER", "till-9"], "is no ring"),
        (["add", "--console", "till-9", "FOLDER", "till-9"], "is no place"),
        (["add", "/nowhere", "till-9"], "is no fleet"),
        (["remove", "FOLDER", "till-9"], "is not in this fleet"),
    ],
)
def test_wrong_input_gets_one_clear_error(fleet, arguments, complaint):
    outcome = fleet.station(*(str(fleet.folder) if argument == "FOLDER" else argument for argument in arguments))
    assert outcome.returncode == 1 and complaint in outcome.stderr and outcome.stderr.count("\n") == 1
