"""What the datasheet measures: strengths from weak to strong, the camera's view at each, and the goals."""
from dataclasses import dataclass
from typing import Callable

from camera import View
from symbols import kind

# Which symbologies are measured: those that tills, warehouses and parcels meet, one of each way of encoding.
SYMBOLOGIES = [
    "ean13", "upca", "code128", "code39", "itf", "databar", "pdf417", "datamatrix", "qr", "microqr", "rmqr", "aztec", "maxicode"]
# The symbologies of a short run.
QUICK_SYMBOLOGIES = ["ean13", "datamatrix"]
# The share of symbols that counts as read.
SHARE = 0.95
# Degrees by which a label that is held upright is turned at most.
HAND = 3
# Pixels per module where turned labels are measured: at 75 degrees, 1.6 are left.
TURNED_MODULE = 6
# Modules in millimetres, the exposure in microseconds, and microseconds from row to row of a rolling shutter: Sony IMX477, of
# Raspberry Pi's HQ camera, reads a row of 12740 clocks at 840 MHz.
MODULE_MM, EXPOSURE_US, ROW_US = 0.25, 100, 15.2


@dataclass(frozen=True)
class Quantity:
    """`view` makes the camera's view of a strength, with a random generator. Goals are strengths, by symbology or kind."""
    title: str
    unit: str
    strengths: tuple
    view: Callable
    goals: dict = None
    # Whether a reader is asked for every strength: where a stronger one is not harder.
    is_whole: bool = False
    symbologies: tuple = tuple(SYMBOLOGIES)
    readers: tuple = ("reticle", "reticle-frame", "zxing-cpp", "zbar")

    def goal(self, symbology):
        goals = self.goals or {}
        return goals.get(symbology, goals.get(kind(symbology), goals.get("all")))

    def reaches(self, strength, goal):
        return strength is not None and self.strengths.index(strength) >= self.strengths.index(goal)


def hand(chance):
    return chance.uniform(-HAND, HAND)


def turned(axis):
    return lambda degrees, chance: View(
        module=TURNED_MODULE, rotation=hand(chance), turn=degrees * chance.choice((-1, 1)), axis=axis(chance))


def moving(exposure_us, module_mm, row_us):
    """The view of a speed in m/s, which is µm per µs."""
    return lambda speed, chance: View(
        rotation=hand(chance), motion=speed * exposure_us / 1000 / module_mm, lag=speed * row_us / 1000 / module_mm)


def disturbing(name, factor=1):
    return lambda strength, chance: View(rotation=hand(chance), **{name: strength * factor})


ANGLES = (15, 30, 40, 45, 50, 55, 60, 65, 70, 75, 80)
SPEEDS = (0.25, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6)
SECTOR = 30

QUANTITIES = {
    "module": Quantity(
        "Smallest module", "pixels per module", (3.0, 2.6, 2.3, 2.0, 1.8, 1.7, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1, 1.0, 0.9, 0.8),
        lambda size, chance: View(module=size, rotation=hand(chance)), {"retail": 1.0, "linear": 1.3, "matrix": 1.6}),
    "contrast": Quantity(
        "Contrast", "%", (60, 40, 30, 25, 20, 15, 12, 10, 8, 6, 5, 4, 3), disturbing("contrast", 0.01), {"all": 10}),
    "rotation": Quantity(
        "Rotation", "°", tuple(range(0, 360, SECTOR)),
        lambda degrees, chance: View(rotation=degrees + chance.uniform(0, SECTOR)), {"all": 360 - SECTOR}, is_whole=True),
    "tilt": Quantity(
        "Tilt about any axis", "°", ANGLES, turned(lambda chance: chance.uniform(0, 180)),
        {"datamatrix": 75, "matrix": 60, "retail": 50, "linear": 50}),
    "skew": Quantity("Skew about the bars' direction", "°", ANGLES, turned(lambda chance: 90)),
    "pitch": Quantity("Pitch about the symbol's length", "°", ANGLES, turned(lambda chance: 0)),
    "curvature": Quantity(
        "Curvature around a cylinder", "°", (10, 20, 30, 40, 45, 50, 55, 60, 65, 70, 75),
        lambda degrees, chance: View(arc=degrees)),
    "damage": Quantity("Damage", "%", (1, 2, 3, 4, 6, 8, 10, 12, 15, 20, 25, 30), disturbing("damage", 0.01)),
    "defocus": Quantity("Defocus", "modules", (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0), disturbing("defocus")),
    "motion": Quantity(
        "Motion, global shutter", "m/s", SPEEDS, moving(EXPOSURE_US, MODULE_MM, 0), {"all": 2.5}),
    "rolling": Quantity(
        "Motion, rolling shutter", "m/s", SPEEDS, moving(EXPOSURE_US, MODULE_MM, ROW_US), {"all": 2.5}),
    "growth": Quantity("Print growth", "modules", (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9), disturbing("growth")),
    "loss": Quantity("Print loss", "modules", (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9), disturbing("growth", -1)),
}

# Speeds against exposure and module.
GRID_EXPOSURES, GRID_MODULES, GRID_SYMBOLOGIES = (50, 100, 250), (0.25, 0.33, 0.5), ("ean13", "code128", "datamatrix", "qr")
GRID_SPEEDS = (0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
GRID = {
    f"rolling-{exposure}us-{module}mm": Quantity(
        f"Motion, rolling shutter, {exposure} µs, {module} mm", "m/s", GRID_SPEEDS, moving(exposure, module, ROW_US),
        symbologies=GRID_SYMBOLOGIES, readers=("reticle",))
    for exposure in GRID_EXPOSURES for module in GRID_MODULES
}


def limit(counts, reader, strengths):
    """The strongest strength at which SHARE of the symbols is read, and at every weaker one too; None if not even at the weakest."""
    best = None
    for strength in strengths:
        row = counts.get((strength, reader))
        if row is None or row["read"] < SHARE * row["count"]:
            break
        best = strength
    return best
