"""What a frame costs on ARM: instructions of the decoder compiled for aarch64, counted in emulation, and what they mean on boards."""
import subprocess
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


# Where the gates compile the decoder for aarch64 and count what it executes.
GATES = CHECKOUT / "Tests/Decoding/GateTests/Embedded"


def executed(program, *arguments):
    """The instructions that a program executes, in an emulator."""
    with tempfile.NamedTemporaryFile() as blocks:
        subprocess.run([GATES / "count-instructions", blocks.name, program, *arguments], stdout=subprocess.DEVNULL, check=True)
        rows = (line.split() for line in Path(blocks.name).read_text().splitlines())
        return sum(int(length) * int(count) for _, length, count in rows)


def instructions(options, bench):
    """Rows of content, effort and instructions per frame, without loading."""
    program = options.folder / "gate-aarch64"
    subprocess.run([GATES / "build-gate", "aarch64", program], check=True)
    names = QUICK_SYMBOLOGIES if options.quick else SYMBOLOGIES
    papers = [paper for symbology in names for _, paper in bench.symbols(symbology)[:5]]
    rows = []
    for name in CONTENTS:
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, pixels in enumerate(pictures(name, COUNT, papers, options.seed)):
                paths.append(f"{folder}/{number}.pgm")
                Path(paths[-1]).write_bytes(b"P5 %d %d 255\n" % pixels.shape[::-1] + pixels.tobytes())
            for effort in ("frame", "still"):
                once, twice = (executed(program, effort, str(repeats), *paths) for repeats in (1, 2))
                rows.append({"content": name, "effort": effort, "instructions": (twice - once) // COUNT})
    return rows


def milliseconds(instructions, board):
    _, gigahertz, per_cycle = BOARDS[board]
    return instructions / (gigahertz * 1e6 * per_cycle)
