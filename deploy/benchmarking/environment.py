"""The Python packages that measurements use, with their versions, and an environment that has them."""
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PACKAGES = [
    "numpy==2.4.6", "pillow==13.0.0", "zxing-cpp==3.1.1", "pyzbar==0.1.9", "opencv-contrib-python-headless==5.0.0.93", "pylibdmtx==0.1.10",
    "tapirscan==1.5.0", "pyrxing==0.4.4", "qrlyzer==0.3.4", "qrfast==0.2.2", "qrcode-ai-scanner==0.9.0", "pdf417decoder==1.0.8",
]


def python_with(names, folder):
    """The Python of an environment in a folder, with the named ones of PACKAGES in their versions. A failure ends the program."""
    python = folder / "venv/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
    wanted = [package for package in PACKAGES if package.split("==")[0] in names]
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
    if subprocess.run([*pip, *wanted]).returncode:
        program = Path(sys.argv[0]).name
        sys.exit(f"{program}: nothing was measured: PyPI's packages could not be installed. Check the network and try again.")
    return python


def built(*products):
    """The paths of programs of this checkout, built now if need be."""
    steps = " && ".join(f"deploy/build --product {product} >&2" for product in products)
    folder = subprocess.run(
        ["bash", "-c", f". deploy/prepare && {steps} && deploy/build --show-bin-path"], cwd=CHECKOUT, check=True, capture_output=True,
        text=True).stdout.split()[-1]
    return [f"{folder}/{product}" for product in products]
