"""deploy/compose.yaml: valid, with configurations that the program accepts, and variables and options that it knows."""
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("RETICLE_PROGRAM", str(CHECKOUT / ".build/release/reticle"))


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((CHECKOUT / "deploy/compose.yaml").read_text())


def substituted(text):
    """A value with the defaults of its variables."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def test_each_service_runs_with_a_configuration_that_the_program_accepts(compose, tmp_path):
    assert compose["services"].keys() == {"reticle", "reticle-frigate"}
    for service in compose["services"].values():
        (config,) = service["configs"]
        assert service["command"] == ["run", "--config", config["target"]]
        text = compose["configs"][config["source"]]["content"]
        token = tmp_path / "console.token"
        token.write_text("0123456789abcdef\n")
        (secret,) = service["secrets"]
        assert compose["secrets"][secret["source"]]["file"] and secret["target"] in text
        # The paths are those of the container: its files are put where this test may write.
        clips = tmp_path / "clips"
        clips.mkdir(exist_ok=True)
        file = tmp_path / "station.yaml"
        file.write_text(text.replace(secret["target"], str(token)).replace("/media/frigate/clips", str(clips)))
        environment = {name: substituted(value) for name, value in service["environment"].items()}
        run = subprocess.run(
            [PROGRAM, "config", "check", "--service", str(file)], capture_output=True, text=True, env={**os.environ, **environment})
        assert run.returncode == 0, run.stderr


def test_its_variables_are_keys_of_the_configuration_and_its_options_are_of_run(compose):
    page = (CHECKOUT / "docs/configuration.md").read_text()
    options = subprocess.run([PROGRAM, "run", "--help"], capture_output=True, text=True).stdout
    for service in compose["services"].values():
        for name in service["environment"]:
            assert name == "TZ" or f"`{name}`" in page, name
        for word in service["command"][1:]:
            assert not word.startswith("-") or word in options


def test_what_services_mount_is_declared(compose):
    for service in compose["services"].values():
        for volume in service["volumes"]:
            source, target = substituted(volume).split(":")[:2]
            assert source.startswith(("/", ".")) or source in compose["volumes"], source
            assert target.startswith("/")
        for port in service["ports"]:
            assert port.endswith(":9470")


def test_the_image_starts_what_the_service_of_the_package_starts():
    unit = (CHECKOUT / "deploy/debian/reticle.service").read_text()
    start = re.search(r"^ExecStart=/usr/bin/reticle (.*)$", unit, re.M).group(1)
    assert f"--cmd '{start}'" in (CHECKOUT / "deploy/container").read_text()
