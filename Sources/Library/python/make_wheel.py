"""make_wheel.py VERSION LIBRARY MACHINE README FOLDER: packs the package and a shared library into a wheel and prints its path.

A wheel is a zip file with a list of its files (PyPA's binary distribution format). Times are fixed, so that the same inputs make
the same wheel.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import zipfile

# The oldest glibc that the current manylinux tags of both machines allow: manylinux2014.
GLIBC_MAX = (2, 17)


def needed_glibc(library: str) -> tuple:
    symbols = subprocess.run(["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True).stdout
    needed = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    others = set(re.findall(r"\(NEEDED\).*\[(.*)\]", needed)) - {"libc.so.6", "ld-linux-aarch64.so.1"}
    if others:
        sys.exit(f"make_wheel: no wheel was made: {library} needs {', '.join(others)}, and a wheel must bring that along")
    return max((int(a), int(b)) for a, b in re.findall(r"@GLIBC_(\d+)\.(\d+)", symbols))


def main() -> None:
    version, library, machine, readme, folder = sys.argv[1:]
    glibc = needed_glibc(library)
    if glibc > GLIBC_MAX:
        sys.exit(f"make_wheel: no wheel was made: {library} needs glibc {glibc}, and manylinux2014 has {GLIBC_MAX}")
    here = pathlib.Path(__file__).parent
    tags = [f"manylinux_2_17_{machine}", f"manylinux2014_{machine}"]
    information = f"reticle-{version}.dist-info"
    wheel = "Wheel-Version: 1.0\nGenerator: reticle\nRoot-Is-Purelib: false\n" + "".join(f"Tag: py3-none-{tag}\n" for tag in tags)
    metadata = (here / "METADATA.in").read_text().replace("@version@", version) + pathlib.Path(readme).read_text()
    files = {f"reticle/{file.name}": file.read_bytes() for file in sorted((here / "reticle").glob("*.py"))}
    files["reticle/py.typed"] = b""
    files["reticle/libreticle.so.1"] = pathlib.Path(library).read_bytes()
    files[f"{information}/METADATA"] = metadata.encode()
    files[f"{information}/WHEEL"] = wheel.encode()
    files[f"{information}/LICENSE"] = (here / "../../../LICENSE").read_bytes()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{information}/RECORD"] = (record + f"{information}/RECORD,,\n").encode()
    path = pathlib.Path(folder) / f"reticle-{version}-py3-none-{'.'.join(tags)}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so.1") else 0o644) << 16
            archive.writestr(entry, data)
    print(path)


main()
