"""deploy/debian/follow: stations take their configuration from a signed git repository, and keep only what they are well with."""
import json
import os
import shutil
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parent.parent.parent
FLEET = CHECKOUT / "deploy/fleet"
FOLLOW = CHECKOUT / "deploy/debian/follow"
PROGRAM = Path(os.environ.get("RETICLE_PROGRAM", CHECKOUT / ".build/release/reticle"))
STATION_COUNT = 6


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A PATH with the program, and git without its user's settings."""
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text("[user]\n  name = Operator\n  email = operator@fleet.example\n")
    (home / "reticle").symlink_to(PROGRAM.resolve())
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"HOME": str(home), "PATH": f"{home}:{os.environ['PATH']}", "GIT_CONFIG_NOSYSTEM": "1"}


def run(environment, *command, expected=0, **options):
    outcome = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, env=environment, **options)
    assert outcome.returncode == expected, f"{command}: {outcome.returncode}\n{outcome.stdout}{outcome.stderr}"
    return outcome


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Station:
    """A station that runs with what `station add` wrote for it."""

    def __init__(self, environment, fleet, name):
        self.environment, self.name, self.folder = environment, name, fleet.parent / name
        self.port = free_port()
        run(environment, FLEET / "station", "add", "--group", "shop", "--console", f"localhost:{self.port}", fleet, name)
        self.files = fleet / "stations" / name
        (self.folder / "pictures").mkdir(parents=True)
        self.file = self.folder / "reticle.yaml"
        self.token = (self.files / "console.token").read_text().strip()
        # The first text is not the repository's.
        self.file.write_text("# written at the station\n" + yaml.safe_dump(self.base() | {"camera": self.camera()}))
        self.log = open(self.folder / "log", "w+")
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [PROGRAM, "run", "--config", self.file], stdout=self.log, stderr=subprocess.STDOUT, cwd=self.folder,
            env=self.environment | {"STATE_DIRECTORY": str(self.folder)})

    def base(self):
        """The station's own part of its configuration."""
        own = yaml.safe_load((self.files / "fleet.yaml").read_text().replace("/etc/reticle/fleet/", f"{self.files}/"))
        own["console"]["address"] = "127.0.0.1"
        del own["sinks"]
        return own | {"outbox": {"path": str(self.folder / "outbox.sqlite")}}

    def camera(self, **changes):
        return {"source": "pictures", "repeat": "watch", "pictures": [str(self.folder / "pictures")]} | changes

    def ask(self, path):
        """What the console answers: text."""
        return run(
            self.environment, "curl", "-sS", "--noproxy", "*", "--cacert", self.files / "fleet.crt", "-H", f"Authorization: Bearer {self.token}",
            f"https://localhost:{self.port}{path}").stdout

    def trial_count(self):
        """How many texts were on trial."""
        return Path(self.log.name).read_text().count("a new configuration is on trial")

    def wait(self):
        """Until the console listens."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            assert self.process.poll() is None, Path(self.log.name).read_text()
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise AssertionError(f"{self.name} does not listen\n{Path(self.log.name).read_text()}")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


class Follower:
    """A station that follows a repository, with a memory of its own."""

    def __init__(self, station, repository, folder):
        self.station, self.folder = station, folder / station.name
        self.folder.mkdir()
        settings = dict(line.split("=", 1) for line in (station.files / "follow.conf").read_text().splitlines())
        assert settings == {
            "repository": "https://fleet.example/configuration.git", "group": "shop", "station": station.name,
            "console": f"https://localhost:{station.port}",
        }
        self.settings = settings | {
            "repository": str(repository.bare), "allowed_signers": str(station.files / "allowed_signers"),
            "authority": str(station.files / "fleet.crt"), "token_file": str(station.files / "console.token"),
        }
        self.report_file = self.folder / "follow.json"

    def run(self, **settings):
        """One run: its report, and what it printed for the journal."""
        file = self.folder / "follow.conf"
        file.write_text("# settings\n" + "".join(f"{key}={value}\n" for key, value in (self.settings | settings).items()))
        before = int(time.time())
        outcome = subprocess.run(
            [FOLLOW, "--config", file, "--state", self.folder / "follow"], capture_output=True, text=True, timeout=120,
            env=self.station.environment)
        assert self.report_file.exists(), outcome.stderr
        report = json.loads(self.report_file.read_text())
        assert set(report) - {"problem"} == {"commit", "state", "drift", "checked"}
        assert before <= report["checked"] <= time.time()
        assert (outcome.returncode == 0) == (report["state"] == "kept" and not report["drift"]), outcome.stderr
        return report, outcome.stderr


class Repository:
    """The operator's working copy, and the bare repository that stations fetch from."""

    def __init__(self, environment, folder, fleet, stations, key):
        self.environment, self.work, self.bare = environment, folder / "configuration", folder / "bare.git"
        run(environment, FLEET / "configuration", "init", "--key", key, "--fleet", fleet, "--repository",
            "https://fleet.example/configuration.git", self.work)
        run(environment, "git", "init", "-q", "--bare", "-b", "main", self.bare)
        self.git("remote", "add", "origin", str(self.bare))
        # Sinks without a broker, whose absence would be a trouble of its own.
        shared = yaml.safe_load((self.work / "all.yaml").read_text())
        assert shared["console"]["tls"] == "files" and "station" not in shared
        assert shared["sinks"][0]["mqtt"]["broker"] == "mqtts://localhost:8883"
        self.write("all.yaml", {"sinks": [{"webhook": {"url": "http://127.0.0.1:9/scans"}}], "decoder": {"addons": "ignore"}})
        self.write("shop/group.yaml", {"camera": {"source": "pictures", "repeat": "watch"}})
        for station in stations:
            self.write(f"shop/{station.name}.yaml", station.base() | {"camera": {"pictures": station.camera()["pictures"]}})
        self.commit()

    def git(self, *arguments, **options):
        return run(self.environment, "git", "-C", self.work, *arguments, **options).stdout.strip()

    def write(self, name, content):
        file = self.work / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))

    def change(self, name, **sections):
        self.write(name, yaml.safe_load((self.work / name).read_text()) | sections)

    def commit(self, *options, push=()):
        """Commits and pushes everything; the commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Change", *options)
        self.git("push", "-q", "--no-verify", *push, "origin", "main")
        return self.git("rev-parse", "HEAD")


@pytest.fixture(scope="module")
def signing_key(tmp_path_factory):
    return tmp_path_factory.mktemp("keys") / "operator"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory, environment, signing_key):
    """A fleet's folder as `up` makes it, without broker and monitor; with a repository."""
    for program in ("git", "jq", "ssh-keygen", "curl", "mosquitto_passwd"):
        assert shutil.which(program, path=environment["PATH"] + ":/usr/sbin"), f"{program} is missing: deploy/prepare test installs it"
    folder = tmp_path_factory.mktemp("fleet") / "fleet"
    for name in ("stations", "targets"):
        (folder / name).mkdir(parents=True)
    for name, text in {"host": "localhost", "broker.port": "8883", "passwords": "", "look.token": "0123456789abcdef" * 2}.items():
        (folder / name).write_text(text + "\n" * bool(text))
    run(environment, "bash", "-c", f". '{FLEET}/common'; make_authority", cwd=folder)
    run(environment, FLEET / "configuration", "init", "--key", signing_key, "--fleet", folder, "--repository",
        "https://fleet.example/configuration.git", folder.parent / "first")
    return folder


@pytest.fixture(scope="module")
def stations(environment, fleet):
    started = [Station(environment, fleet, f"till-{number}") for number in range(1, STATION_COUNT + 1)]
    for station in started:
        station.wait()
    yield started
    for station in started:
        station.stop()


@pytest.fixture
def repository(environment, fleet, stations, signing_key, tmp_path):
    return Repository(environment, tmp_path, fleet, stations, signing_key)


@pytest.fixture
def follower(stations, repository, tmp_path):
    """A station that has taken the repository's first commit."""
    follower = Follower(stations[0], repository, tmp_path)
    report, log = follower.run()
    assert report == {"commit": repository.git("rev-parse", "HEAD"), "state": "kept", "drift": False, "checked": report["checked"]}, log
    return follower


def test_all_take_a_change_and_the_one_that_is_not_well_goes_back(stations, repository, tmp_path):
    followers = [Follower(station, repository, tmp_path) for station in stations]
    broken = stations[0]
    with ThreadPoolExecutor(STATION_COUNT) as pool:
        for report, log in pool.map(Follower.run, followers):
            assert report["state"] == "kept", log
        before = broken.file.read_text()
        assert before.startswith("# shop/till-1.yaml of the fleet's repository")
        repository.change("all.yaml", decoder={"addons": "read"})
        repository.change(f"shop/{broken.name}.yaml", camera={"pictures": [str(broken.folder / "nowhere")]})
        commit = repository.commit()
        reports = [report for report, _ in pool.map(Follower.run, followers)]
    assert [report["state"] for report in reports] == ["rolledBack"] + ["kept"] * (STATION_COUNT - 1), reports
    assert {report["commit"] for report in reports} == {commit}
    assert f"not well with {commit[:12]}" in reports[0]["problem"] and "nowhere" in reports[0]["problem"]
    for station in stations[1:]:
        values = {value["name"]: value["value"] for value in json.loads(station.ask("/api/configuration"))["values"]}
        assert values["decoder.addons"] == "read"
    assert broken.file.read_text() == before
    # The same commit is not tried again; the next one is.
    assert broken.trial_count() == 2
    assert followers[0].run()[0] | {"checked": 0} == reports[0] | {"checked": 0}
    assert broken.trial_count() == 2
    commit = repository.commit("--allow-empty")
    report, log = followers[0].run()
    assert report["state"] == "rolledBack" and report["commit"] == commit, log
    assert broken.trial_count() == 3 and broken.file.read_text() == before
    # The station shows the report.
    shutil.copy(followers[0].report_file, broken.folder)
    figures = broken.ask("/metrics")
    assert f'reticle_follow_state{{commit="{commit}",state="rolledBack"}} 1' in figures
    assert "reticle_follow_drift 0" in figures and f"reticle_follow_checked_seconds {report['checked']}" in figures


def assert_left_alone(follower, state, *words, commit=None, **settings):
    """A run that leaves the station as it is, and says why in one line."""
    before = (follower.station.file.read_text(), follower.station.trial_count())
    report, log = follower.run(**settings)
    assert report["state"] == state and not report["drift"], log
    assert report["commit"] == commit or commit is None
    for word in words:
        assert word in report["problem"], report["problem"]
    assert log.strip() == report["problem"] and "\n" not in report["problem"] and "; " in report["problem"]
    assert (follower.station.file.read_text(), follower.station.trial_count()) == before
    return report


@pytest.mark.parametrize("kind", ["unsigned", "of another key", "changed after it was signed"])
def test_a_commit_without_a_right_signature_is_not_taken(follower, repository, tmp_path, kind):
    repository.change("all.yaml", decoder={"addons": "read"})
    if kind == "unsigned":
        commit = repository.commit("--no-gpg-sign")
    elif kind == "of another key":
        run(repository.environment, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "other")
        commit = repository.commit(f"-S{tmp_path / 'other'}")
    else:
        repository.commit()
        text = run(repository.environment, "git", "-C", repository.work, "cat-file", "commit", "HEAD").stdout
        commit = repository.git("hash-object", "-t", "commit", "-w", "--stdin", input=text.replace("Change", "Chance"))
        repository.git("push", "-q", "--no-verify", "origin", f"+{commit}:main")
    assert_left_alone(follower, "unverified", f"{commit[:12]} has no signature", commit=commit)
    # A signed one behind it is taken.
    if kind == "unsigned":
        repository.change("all.yaml", decoder={"addons": "ignore"})
        repository.commit()
        assert follower.run()[0]["state"] == "kept"


def test_a_head_that_does_not_descend_from_the_verified_one_is_not_taken(follower, repository):
    first = repository.git("rev-parse", "HEAD")
    second = repository.commit("--allow-empty")
    assert follower.run()[0]["commit"] == second
    repository.git("push", "-q", "--no-verify", "--force", "origin", f"{first}:main")
    assert_left_alone(follower, "unverified", f"does not descend from {second[:12]}", commit=first)
    # Not even if the clone is lost.
    shutil.rmtree(follower.folder / "follow/repository")
    assert_left_alone(follower, "unverified", f"does not descend from {second[:12]}", commit=first)
    repository.git("push", "-q", "--no-verify", "origin", f"{second}:main")
    assert follower.run()[0]["state"] == "kept"


def test_a_wrong_key_is_refused_with_its_line(follower, repository):
    repository.change("shop/group.yaml", decoder={"adons": "read"})
    commit = repository.commit()
    report = assert_left_alone(follower, "refused", "shop/till-1.yaml", "decoder.adons", "decoder.addons", commit=commit)
    merged = (follower.folder / "follow/merged.yaml").read_text().splitlines()
    number = next(number for number, line in enumerate(merged, 1) if "adons:" in line)
    assert f"line {number}: " in report["problem"] and f"{follower.folder}/follow/merged.yaml" in report["problem"]
    assert "  " not in report["problem"]


def test_a_file_that_is_no_yaml_is_refused(follower, repository):
    repository.write("all.yaml", "decoder: {addons: read\n")
    assert_left_alone(follower, "refused", "cannot be merged", "all.yaml", commit=repository.commit())


def test_a_secret_in_the_repository_is_refused(follower, repository):
    webhook = {"url": "http://127.0.0.1:9/scans", "headers": {"X-Api-Key": "0123456789"}}
    repository.change("all.yaml", sinks=[{"webhook": webhook}])
    report = assert_left_alone(follower, "refused", "holds a secret (sinks.0.webhook.headers.X-Api-Key)", commit=repository.commit())
    assert "0123456789" not in report["problem"]
    # A broker's address may stay, though the program hides it, too.
    repository.change("all.yaml", sinks=[{"mqtt": {"broker": "mqtt://127.0.0.1:9"}}])
    repository.write("text.yaml", yaml.safe_load((repository.work / "all.yaml").read_text()))
    run(repository.environment, FOLLOW, "--check", repository.work / "text.yaml")


def test_without_the_repository_the_configuration_stays(follower, repository):
    commit = repository.git("rev-parse", "HEAD")
    repository.bare.rename(repository.bare.with_name("gone"))
    assert_left_alone(follower, "unreachable", "the repository does not answer", commit=commit)
    repository.bare.with_name("gone").rename(repository.bare)
    assert_left_alone(follower, "unreachable", "the repository does not answer", branch="other")
    # A power cut leaves files without their content; such a clone is replaced, with and without news.
    for place in ("objects", "refs"):
        damaged = [file for file in (follower.folder / "follow/repository" / place).rglob("*") if file.is_file()]
        assert damaged
        for file in damaged:
            file.unlink()
            file.touch()
        report, log = follower.run()
        assert report["state"] == "kept" and report["commit"] == repository.git("rev-parse", "HEAD"), log
        repository.commit("--allow-empty")


def test_without_its_console_the_station_is_left_alone(follower):
    assert_left_alone(follower, "unreachable", "console", console=f"https://localhost:{free_port()}")
    # Another's certificate is not believed.
    assert_left_alone(follower, "unreachable", "console", authority="/etc/ssl/certs/ca-certificates.crt")


def test_a_station_that_is_not_in_the_repository_says_so(follower, repository):
    repository.git("rm", "-q", "shop/till-1.yaml")
    assert_left_alone(follower, "missing", "shop/till-1.yaml is not in the repository", commit=repository.commit())


def test_a_stations_own_file_is_enough(follower, repository):
    repository.write("shop/till-1.yaml", (follower.folder / "follow/merged.yaml").read_text())
    repository.git("rm", "-q", "all.yaml", "shop/group.yaml")
    commit = repository.commit()
    report, log = follower.run()
    assert report["state"] == "kept" and report["commit"] == commit, log


def test_a_trial_that_the_stations_end_cut_short_is_repeated_twice(follower, repository):
    station = follower.station
    before = station.file.read_text()
    repository.change("all.yaml", decoder={"addons": "read"})
    commit = repository.commit()
    for _ in range(3):
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(follower.run)
            end = time.monotonic() + 20
            while station.file.read_text() == before:
                assert time.monotonic() < end and not running.done()
                time.sleep(0.05)
            time.sleep(0.5)
            station.process.kill()
            station.process.wait()
            station.start()
            report, log = running.result()
        assert report["state"] == "rolledBack" and f"ended during the trial of {commit[:12]}" in report["problem"], log
        assert station.file.read_text() == before and not report["drift"]
    assert_left_alone(follower, "rolledBack", f"has not ended 3 trials of {commit[:12]}", commit=commit)


def test_drift_is_reported_and_put_right_by_the_next_run(follower, repository):
    file = follower.station.file
    kept = file.read_text()
    file.write_text(kept.replace("addons: ignore", "addons: read") + "# by hand\n")
    changed = file.read_text()
    assert changed.count("addons: read") == 1
    report, log = follower.run()
    assert report["drift"] and report["state"] == "kept" and report["commit"] == repository.git("rev-parse", "HEAD")
    assert "changed at the station (decoder.addons)" in report["problem"] and log.strip() == report["problem"]
    assert file.read_text() == changed
    status = run(follower.station.environment, FOLLOW, "--status", "--state", follower.folder / "follow", expected=1).stdout
    assert "state: kept" in status and "drift: the station has another configuration" in status and "problem: the configuration" in status
    report, log = follower.run()
    assert report["state"] == "kept" and not report["drift"] and "problem" not in report, log
    assert file.read_text() == kept
    status = run(follower.station.environment, FOLLOW, "--status", "--state", follower.folder / "follow").stdout
    assert "state: kept" in status and "drift: none" in status and "problem" not in status


@pytest.mark.parametrize(
    "line, complaint",
    [
        ("rubbish", "line 2: write KEY=VALUE"),
        ("repo=x", "line 2: repo is no setting"),
        ("group=shop", "repository is missing"),
        ("repository=x\ngroup=../shop\nstation=till-1", "group is no name"),
        ("repository=--upload-pack=x\ngroup=shop\nstation=till-1", "repository is no address"),
        ("repository=x\nbranch=-x\ngroup=shop\nstation=till-1", "branch is no name"),
        ("repository=x\ngroup=shop\nstation=till-1\ntoken_file=/nowhere", "/nowhere cannot be read"),
    ],
)
def test_wrong_settings_get_one_clear_error(environment, tmp_path, line, complaint):
    file = tmp_path / "follow.conf"
    files = "".join(f"\n{key}={FOLLOW}" for key in ("allowed_signers", "authority", "token_file") if key not in line)
    file.write_text(f"# settings\n{line}{files}\n")
    outcome = run(environment, FOLLOW, "--config", file, "--state", tmp_path / "follow", expected=78)
    assert complaint in outcome.stderr and outcome.stderr.count("\n") == 1
    assert not (tmp_path / "follow.json").exists()


def test_the_operator_checks_all_stations_before_a_push(environment, tmp_path, fleet, signing_key):
    work = tmp_path / "configuration"
    run(environment, FLEET / "configuration", "init", "--key", signing_key, "--fleet", fleet, "--repository", "https://fleet.example/x.git", work)
    assert "has no stations" in run(environment, FLEET / "configuration", "check", work, expected=1).stderr
    for group, station in (("shop", "till-1"), ("shop", "till-2"), ("store", "dock")):
        (work / group).mkdir(exist_ok=True)
        (work / group / f"{station}.yaml").write_text(f"station: {{name: {station}}}\n")
    # Certificates, passwords and tokens are at the stations alone.
    files = {"secret_file": ["/etc/reticle/a", "credential:b"], "bearer_token_file": "credential:token", "ca_file": "/etc/reticle/ca"}
    (work / "store/group.yaml").write_text(
        yaml.safe_dump({"sinks": [{"webhook": {"url": "https://a.example/scans"} | files}, {"webhook": {"url": "https://b.example"}, "name": "b"}]}))
    assert run(environment, FLEET / "configuration", "check", work).stdout == "3 stations have a right configuration\n"
    (work / "shop/till-2.yaml").write_text("station: {nam: till-2}\n")
    (work / "store/group.yaml").write_text("sinks: [{webhook: {url: 'https://a.example', headers: {X-Key: '1'}}}]\n")
    outcome = run(environment, FLEET / "configuration", "check", work, expected=1)
    lines = outcome.stderr.splitlines()
    assert lines[0].startswith("shop/till-2.yaml: the configuration is wrong: line ") and "station.nam" in lines[0]
    assert lines[1].startswith("store/dock.yaml: it holds a secret (sinks.0.webhook.headers.X-Key)")
    assert lines[2:] == ["configuration: 2 of 3 stations have a wrong configuration"]
    # Git asks it before each push.
    run(environment, "git", "init", "-q", "--bare", tmp_path / "bare.git")
    run(environment, "git", "-C", work, "add", "-A")
    run(environment, "git", "-C", work, "commit", "-q", "-m", "First")
    push = ("git", "-C", work, "push", "-q", tmp_path / "bare.git", "main")
    assert "2 of 3 stations" in run(environment, *push, expected=1).stderr
    (work / "shop/till-2.yaml").write_text("station: {name: till-2}\n")
    (work / "store/group.yaml").unlink()
    run(environment, *push)


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["init", "--fleet", "FOLDER", "FOLDER"], "--fleet needs --repository"),
        (["init", "--fleet", "FOLDER", "--repository", "x", "FOLDER"], "is no fleet"),
        (["check", "/nowhere"], "there is no folder"),
    ],
)
def test_wrong_input_of_the_operator_gets_one_clear_error(environment, tmp_path, arguments, complaint):
    arguments = [str(tmp_path) if argument == "FOLDER" else argument for argument in arguments]
    outcome = run(environment, FLEET / "configuration", *arguments, expected=1)
    assert complaint in outcome.stderr and outcome.stderr.count("\n") == 1
