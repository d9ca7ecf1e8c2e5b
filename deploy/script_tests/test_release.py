"""deploy/release refuses a wrong tag and writes the notes of one version; deploy/sbom writes a valid and complete list of the contents."""
import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PINS = {"swift-log": ("1.16.0", "Apache License"), "swift-odd": ("0.2.0", "MIT License")}


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


@pytest.fixture
def checkout(tmp_path):
    """A checkout of version 1.2.0, with what deploy/release reads."""
    program = tmp_path / "Sources/Programs/reticle/ReticleVersion.swift"
    program.parent.mkdir(parents=True)
    program.write_text('enum ReticleVersion {\n  static let number = "1.2.0"\n}\n')
    (tmp_path / "deploy").mkdir()
    shutil.copy(CHECKOUT / "deploy/release", tmp_path / "deploy")
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changes\n\n## 1.2.0 – 2026-11-28\n\n### Reading\n\n- Newest.\n\n## 1.1.0 – 2026-10-01\n\n- Older.\n")
    return tmp_path


@pytest.fixture
def package(tmp_path):
    """A package as deploy/package makes it, and the versions that its build resolved."""
    root = tmp_path / "root"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN/control").write_text(
        "Package: reticle\nVersion: 1.2.0+deb12\nArchitecture: amd64\nMaintainer: x <x@example.org>\n"
        "Depends: libc6 (>= 2.34), systemd | systemd-standalone-sysusers, libstdc++6\nDescription: x\n")
    notices = "Reticle\nCopyright x\n\nSwift's standard library, Dispatch and Foundation 6.2\n Apache License 2.0\n"
    for name, (version, licence) in PINS.items():
        notices += f"\n{name} {version}\nCopyright x\n {licence}\n \n Runtime Library Exception\n"
    copyright = root / "usr/share/doc/reticle/copyright"
    copyright.parent.mkdir(parents=True)
    copyright.write_text(notices)
    made = tmp_path / "reticle_1.2.0+deb12_amd64.deb"
    assert run("dpkg-deb", "--build", "--root-owner-group", "-Znone", root, made).returncode == 0
    resolved = tmp_path / "Package.resolved"
    resolved.write_text(json.dumps({"pins": [
        {"identity": name, "location": f"https://example.org/{name}.git", "state": {"revision": "a" * 40, "version": version}}
        for name, (version, _) in PINS.items()]}))
    return made, resolved


def sbom(package, resolved):
    return run(CHECKOUT / "deploy/sbom", "--resolved", resolved, package)


def validated(path):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    text = Path(path).read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    return json.loads(text)


def test_a_tag_of_another_version_is_refused(checkout):
    for tag in ["v1.1.0", "1.2.0", "v1.2.0-rc1"]:
        answer = run(checkout / "deploy/release", "--notes", tag)
        assert answer.returncode == 65 and not answer.stdout
        assert f"the tag is {tag}, and ReticleVersion is 1.2.0. Tag v1.2.0" in answer.stderr
    assert run(checkout / "deploy/release", checkout, "v1.1.0").returncode == 65


def test_the_notes_are_those_of_the_version_alone(checkout):
    answer = run(checkout / "deploy/release", "--notes", "v1.2.0")
    assert (answer.returncode, answer.stdout) == (0, "### Reading\n\n- Newest.\n")


@pytest.mark.parametrize("changes, fix", [
    ("## 1.2.0 – not yet released\n\n- New.\n", "Put the day there"),
    ("## 1.1.0 – 2026-10-01\n\n- Old.\n", 'no section "## 1.2.0 – DATE"'),
    ("## 1.2.0 – 2026-11-28\n\n## 1.1.0 – 2026-10-01\n\n- Old.\n", "says nothing about 1.2.0"),
])
def test_notes_that_are_not_ready_are_refused(checkout, changes, fix):
    (checkout / "CHANGELOG.md").write_text(changes)
    answer = run(checkout / "deploy/release", "--notes", "v1.2.0")
    assert answer.returncode == 65 and not answer.stdout and fix in answer.stderr


def test_a_list_of_contents_is_valid_and_complete(package):
    made, resolved = package
    answer = sbom(made, resolved)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == str(made)[:-4] + ".cdx.json"
    bom = validated(answer.stdout.strip())
    whole = bom["metadata"]["component"]
    assert (whole["name"], whole["version"], whole["type"]) == ("reticle", "1.2.0+deb12", "application")
    contained = {part["name"]: part for part in whole["components"]}
    assert contained.keys() == {"swift", "swift-corelibs-libdispatch", "swift-foundation"} | PINS.keys()
    assert contained["swift-log"]["purl"] == "pkg:swift/example.org/swift-log@1.16.0"
    assert contained["swift-log"]["licenses"] == [{"expression": "Apache-2.0 WITH Swift-exception"}]
    assert "MIT License" in contained["swift-odd"]["licenses"][0]["license"]["text"]["content"]
    assert [need["name"] for need in bom["components"]] == ["libc6", "systemd", "libstdc++6"]
    assert bom["components"][0]["properties"][0]["value"] == ">= 2.34"
    first = Path(answer.stdout.strip()).read_bytes()
    sbom(made, resolved)
    assert Path(answer.stdout.strip()).read_bytes() == first


def test_a_list_that_does_not_fit_the_notices_is_not_written(package):
    made, resolved = package
    pins = json.loads(resolved.read_text())["pins"]
    more = {**pins[0], "identity": "swift-hidden"}
    for changed, name in [(pins + [more], "swift-hidden"), (pins[:1], "swift-odd")]:
        resolved.write_text(json.dumps({"pins": changed}))
        answer = sbom(made, resolved)
        assert answer.returncode == 1 and name in answer.stderr
    assert not list(made.parent.glob("*.cdx.json"))


def test_a_wheel_has_a_list_of_contents(tmp_path):
    made = tmp_path / "reticle-1.2.0-py3-none-manylinux2014_x86_64.whl"
    with zipfile.ZipFile(made, "w") as wheel:
        metadata = (CHECKOUT / "Sources/Library/python/METADATA.in").read_text().replace("@version@", "1.2.0")
        wheel.writestr("reticle-1.2.0.dist-info/METADATA", metadata)
    answer = sbom(made, "none")
    assert answer.returncode == 0, answer.stderr
    bom = validated(answer.stdout.strip())
    assert [part["name"] for part in bom["metadata"]["component"]["components"]] == ["swift"]
    assert [need["purl"] for need in bom["components"]] == ["pkg:pypi/pillow"]


def test_a_release_is_signed_as_a_whole(checkout, package, tmp_path):
    made, resolved = package
    folder = tmp_path / "packages"
    folder.mkdir()
    shutil.copy(made, folder)
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    environment = {**os.environ, "GNUPGHOME": str(home), "RETICLE_SIGNING_KEY": ""}
    assert run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", "r@example.org", "ed25519", env=environment).returncode == 0
    environment["RETICLE_SIGNING_KEY"] = run("gpg", "--armor", "--export-secret-keys", env=environment).stdout
    release = [checkout / "deploy/release", folder, "v1.2.0"]
    answer = run(*release, env=environment)
    assert answer.returncode == 66 and "deploy/sbom" in answer.stderr
    sbom(folder / made.name, resolved)
    old = folder / "libreticle1_1.1.0_amd64.deb"
    old.write_bytes(b"")
    answer = run(*release, env=environment)
    assert answer.returncode == 65 and f"{old.name} is not of version 1.2.0" in answer.stderr
    old.unlink()
    assert run(*release, env=environment).returncode == 0
    sums = (folder / "SHA256SUMS").read_text()
    assert {line.split()[1] for line in sums.splitlines()} == {made.name, made.name[:-4] + ".cdx.json"}
    check = "gpg --verify SHA256SUMS.asc SHA256SUMS && sha256sum --check --ignore-missing SHA256SUMS"
    assert run("sh", "-c", check, cwd=folder, env=environment).returncode == 0
