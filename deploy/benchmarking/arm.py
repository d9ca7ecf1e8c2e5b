"""What a frame costs on ARM: instructions of the decoder compiled for aarch64, counted in emulation, and what they mean on boards."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from costs import CONTENTS, pictures
from environment import CHECKOUT
from quantities import QUICK_SYMBOLOGIES, SYMBOLOGIES

# Frames per content.
COUNT = 8
# Boards: core, clock in GHz, and instructions per cycle that are assumed of it: about half of what the core can issue, and less of
# the A53, which waits for memory in order.
BOARDS = {
    "Zero 2 W": ("Cortex-A53", 1.0, 0.8), "Pi 3 B+": ("Cortex-A53", 1.4, 0.8), "Pi 4": ("Cortex-A72", 1.8, 1.4),
    "Pi 5": ("Cortex-A76", 2.4, 2.2),
}


def counter():
    """The program that counts instructions, in the folder RETICLE_SHARED or in `shared` next to the checkout, like the gates."""
    shared = Path(os.environ.get("RETICLE_SHARED", CHECKOUT.parent / "shared"))
    return shared / "lab/arm/count-instructions"


def instructions(options, bench):
    """Rows of content, effort and instructions per frame, without loading; none, with a message, where the counter is missing."""
    if not counter().is_file():
        print(f"datasheet: instructions are left out: there is no {counter()}", file=sys.stderr)
        return []
    program = options.folder / "gate-aarch64"
    subprocess.run([CHECKOUT / "Tests/Decoding/GateTests/Embedded/build-gate", "aarch64", program], check=True)
    names = QUICK_SYMBOLOGIES if options.quick else SYMBOLOGIES
    papers = [paper for symbology in names for _, paper in bench.symbols(symbology)[:5]]
    rows = []
    for name in CONTENTS:
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, pixels in enumerate(pictures(name, COUNT, papers, options.seed)):
                paths.append(f"{folder}/{number}.pgm")
                Path(paths[-1]).write_bytes(b"P5 %d %d 255\n" % pixels.shape[::-1] + pixels.tobytes())

            def count(effort, repeats):
                run = subprocess.run([counter(), program, effort, str(repeats), *paths], capture_output=True, text=True, check=True)
                return int(run.stderr.split("instructions:")[1])
            for effort in ("frame", "still"):
                rows.append({"content": name, "effort": effort, "instructions": (count(effort, 2) - count(effort, 1)) // COUNT})
    return rows


def milliseconds(instructions, board):
    _, gigahertz, per_cycle = BOARDS[board]
    return instructions / (gigahertz * 1e6 * per_cycle)
