"""deploy/apt-repository: a repository that apt trusts by its key alone, rings, and the gate between them."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent / "apt-repository"


def run(*arguments, **options):
    return subprocess.run([REPOSITORY, *map(str, arguments)], capture_output=True, text=True, timeout=60, **options)


def package(folder, version, architecture="amd64", content="x", name="reticle"):
    root = folder / f"{name}-{version}-{architecture}-{content}"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "content").write_text(content)
    (root / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: Test <test@example.org>\nDescription: test\n")
    file = folder / f"{root.name}.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", root, file], check=True, capture_output=True)
    return file


@pytest.fixture
def repository(tmp_path):
    assert shutil.which("apt-ftparchive"), "apt-utils is missing: deploy/prepare test installs it"
    folder = tmp_path / "repository"
    outcome = run("init", folder)
    assert outcome.returncode == 0, outcome.stderr
    return folder


def versions(repository, ring, tmp_path, architecture="amd64"):
    """The versions that apt would install from a ring, newest first; it fails where apt does not trust the signature."""
    root = tmp_path / f"apt-{os.urandom(4).hex()}"
    for folder in ("state/lists/partial", "cache/archives/partial", "etc"):
        (root / folder).mkdir(parents=True)
    (root / "etc/sources.list").write_text(
        f"deb [arch={architecture} signed-by={repository}/public/reticle.gpg] file:{repository}/public {ring} main\n")
    (root / "status").write_text("")
    options = [
        "-o", f"Dir::State={root}/state", "-o", f"Dir::State::status={root}/status", "-o", f"Dir::Cache={root}/cache", "-o",
        f"Dir::Etc::sourcelist={root}/etc/sources.list", "-o", "Dir::Etc::sourceparts=/dev/null", "-o", "APT::Sandbox::User=root",
        "-o", f"APT::Architecture={architecture}", "-o", f"APT::Architectures={architecture}",
    ]
    updated = subprocess.run(["apt-get", *options, "update"], capture_output=True, text=True, timeout=60)
    if updated.returncode != 0 or "W:" in updated.stderr or "E:" in updated.stderr:
        raise PermissionError(updated.stderr)
    listed = subprocess.run(["apt-cache", *options, "madison", "reticle"], capture_output=True, text=True, timeout=60)
    return [line.split("|")[1].strip() for line in listed.stdout.splitlines()]


def test_apt_takes_what_is_signed_and_nothing_else(repository, tmp_path):
    added = run("add", repository, "canary", package(tmp_path, "0.1.0+deb12"), package(tmp_path, "0.1.0+deb12", "arm64"))
    assert added.returncode == 0, added.stderr
    assert versions(repository, "canary", tmp_path) == ["0.1.0+deb12"]
    assert versions(repository, "canary", tmp_path, "arm64") == ["0.1.0+deb12"]
    assert versions(repository, "shop", tmp_path) == []
    # An index that somebody else changed.
    for name in ("Release", "InRelease"):
        file = repository / "public/dists/canary" / name
        file.write_text(file.read_text().replace("Suite: canary", "Suite: canarx"))
    with pytest.raises(PermissionError):
        versions(repository, "canary", tmp_path)


def test_the_path_of_a_repository_may_be_longer_than_that_of_a_socket(tmp_path):
    folder = tmp_path / ("long" * 25) / "repository"
    outcome = run("init", folder)
    assert outcome.returncode == 0, outcome.stderr
    assert (folder / "public/dists/all/InRelease").exists()


def test_a_ring_gets_what_the_one_before_it_has_newest_and_keeps_three_versions(repository, tmp_path):
    for version in ("0.9.0", "0.10.0", "0.8.0", "0.10.1"):
        assert run("add", repository, "canary", package(tmp_path, version)).returncode == 0
    assert versions(repository, "canary", tmp_path) == ["0.10.1", "0.10.0", "0.9.0"]
    assert run("promote", repository, "canary", "shop").returncode == 0
    assert versions(repository, "shop", tmp_path) == ["0.10.1"]
    assert versions(repository, "all", tmp_path) == []


def test_a_version_has_one_package(repository, tmp_path):
    first = package(tmp_path, "0.1.0")
    assert run("add", repository, "all", first).returncode == 0
    assert run("add", repository, "all", first).returncode == 0
    other = run("add", repository, "all", package(tmp_path, "0.1.0", content="y"))
    assert other.returncode == 1 and "give the new one a new version" in other.stderr


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["add", "FOLDER", "first", "PACKAGE"], "is no ring"),
        (["add", "FOLDER", "all", "/etc/hostname"], "is no package of reticle"),
        (["promote", "FOLDER", "all", "all"], "the same"),
        (["promote", "FOLDER", "canary", "shop"], "ring canary has no packages"),
        (["promote", "--hours", "0", "FOLDER", "canary", "shop"], "from 1 to 999"),
        (["init", "FOLDER"], "already"),
        (["add", "/nowhere", "all", "PACKAGE"], "is no repository"),
    ],
)
def test_wrong_input_gets_one_clear_error(repository, tmp_path, arguments, complaint):
    words = {"FOLDER": repository, "PACKAGE": package(tmp_path, "0.1.0")}
    outcome = run(*(words.get(argument, argument) for argument in arguments))
    assert outcome.returncode == 1 and complaint in outcome.stderr and outcome.stderr.count("\n") == 1


class Monitor:
    """A promtool whose answers are those of a monitor."""

    def __init__(self, folder, answers):
        self.folder = folder
        folder.mkdir()
        cases = "\n".join(f"  *'{part}'*) echo '{{}} => {value} @[1]' ;;" for part, value in answers.items() if value is not None)
        (folder / "promtool").write_text(f"#!/bin/bash\ncase $4 in\n{cases}\nesac\n")
        (folder / "promtool").chmod(0o755)


@pytest.mark.parametrize(
    "answers, complaint",
    [
        ({"ALERTS": None, "min_over_time": 2, "build_info": 2, "count(up": 2}, None),
        ({"ALERTS": None, "min_over_time": 1, "build_info": 2, "count(up": 2}, "1 have answered for all of 6 h"),
        ({"ALERTS": None, "min_over_time": 2, "build_info": None, "count(up": 2}, "0 have run 0.2.0 for 6 h"),
        ({"ALERTS": 3, "min_over_time": 2, "build_info": 2, "count(up": 2}, "has raised 3 alerts within 6 h"),
        ({"ALERTS": None, "min_over_time": None, "build_info": None, "count(up": None}, "knows no station of ring canary"),
    ],
)
def test_a_version_goes_on_only_where_its_stations_are_well(repository, tmp_path, answers, complaint):
    assert run("add", repository, "canary", package(tmp_path, "0.2.0+deb12")).returncode == 0
    monitor = Monitor(tmp_path / "monitor", answers)
    outcome = run(
        "promote", "--monitor", "http://127.0.0.1:9", "--hours", "6", repository, "canary", "shop",
        env=os.environ | {"PATH": f"{monitor.folder}:{os.environ['PATH']}"})
    if complaint is None:
        assert outcome.returncode == 0, outcome.stderr
        assert versions(repository, "shop", tmp_path) == ["0.2.0+deb12"]
    else:
        assert outcome.returncode == 1 and complaint in outcome.stderr
        assert versions(repository, "shop", tmp_path) == []
