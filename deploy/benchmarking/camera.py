"""A simulated camera: from a printed symbol to an 8-bit frame.

All of it in linear light, in this order: print (growth, damage), place in space, pinhole projection, motion during the exposure, lens,
pixels that integrate light, photon and read noise, and eight bits. docs/datasheet.md states the model in words.
"""
import math
from dataclasses import dataclass

import cv2
import numpy

from symbols import DOTS

cv2.setNumThreads(1)

# The focal length in pixels: 43 degrees across 1280 pixels.
FOCAL_LENGTH = 1600
# The standard deviation of the lens's point spread in focus, in pixels.
LENS_SIGMA = 0.4
# Reflectance of paper, the grey level to which it is exposed, electrons at level 255, and electrons of read noise.
PAPER, PAPER_LEVEL, FULL_WELL, READ_NOISE = 0.8, 200, 10_000, 5
# Modules across a spot of damage.
SPOT = 2
# Pixels of paper around the symbol's quiet zone.
MARGIN = 16


@dataclass(frozen=True)
class View:
    """How a symbol stands before the camera, and what disturbs it."""
    module: float = 4  # pixels per module at the symbol's middle, seen from the front
    rotation: float = 0  # degrees in the plane of the label
    turn: float = 0  # degrees out of the frame's plane,
    axis: float = 0  # about this axis, in degrees from the frame's rows
    arc: float = 0  # degrees from the symbol's middle to its side on a cylinder, whose axis is parallel to the bars
    contrast: float = 0.75  # reflectance of paper less that of ink
    defocus: float = 0  # diameter of the circle of confusion, in modules
    motion: float = 0  # way along the frame's rows during the exposure, in modules
    lag: float = 0  # way along the frame's rows between the exposures of two rows, in modules
    growth: float = 0  # how much wider bars and dark modules are, in modules
    damage: float = 0  # share of the symbol's area under spots


def disturbed(paper, view, chance):
    """The print with its growth and its spots."""
    if view.growth:
        # Edges move by half of the growth. Twice the resolution places them to a twentieth of a module.
        fine = cv2.resize(paper, None, fx=2, fy=2, interpolation=cv2.INTER_NEAREST)
        reach = round(abs(view.growth) / 2 * 2 * DOTS)
        pen = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
        fine = (cv2.erode if view.growth > 0 else cv2.dilate)(fine, pen)
        paper = cv2.resize(fine, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    if view.damage:
        ink = numpy.argwhere(paper < 128)
        (top, left), (bottom, right) = ink.min(0), ink.max(0) + 1
        paper, covered = paper.copy(), numpy.zeros_like(paper)
        area = (bottom - top) * (right - left)
        while numpy.count_nonzero(covered[top:bottom, left:right]) < view.damage * area:
            at = chance.randrange(left, right), chance.randrange(top, bottom)
            cv2.circle(paper, at, SPOT * DOTS // 2, chance.choice((0, 255)), -1)
            cv2.circle(covered, at, SPOT * DOTS // 2, 255, -1)
    return paper


def plane(view):
    """The homography from a label's plane, in modules from its middle, to pixels from the frame's middle."""
    a, t, r = (math.radians(angle) for angle in (view.axis, view.turn, view.rotation))
    # Rodrigues' formula for a turn about the axis (cos a, sin a, 0), after the rotation in the plane.
    x, y, c, s = math.cos(a), math.sin(a), math.cos(t), math.sin(t)
    turned = numpy.array([[c + x * x * (1 - c), x * y * (1 - c)], [x * y * (1 - c), c + y * y * (1 - c)], [-y * s, x * s]])
    spun = turned @ numpy.array([[math.cos(r), -math.sin(r)], [math.sin(r), math.cos(r)]])
    scale = numpy.diag([view.module, view.module, view.module / FOCAL_LENGTH])
    return numpy.column_stack([scale @ spun, [0, 0, 1]])


def move(x, y):
    return numpy.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]])


def projected(paper, view, chance, fineness):
    """Light on the sensor before motion and lens, `fineness` samples per pixel each way."""
    height, width = paper.shape
    # From a sample's index to modules from the middle of the label.
    to_label = numpy.diag([1 / DOTS, 1 / DOTS, 1]) @ move(0.5 - width / 2, 0.5 - height / 2)
    # A row is exposed later than the one above it, when the label is farther along.
    to_frame = numpy.array([[1, view.lag * view.module, 0], [0, 1, 0], [0, 0, 1.0]]) @ plane(view)
    if view.arc:
        return rolled(paper, view, chance, fineness)
    corners = to_frame @ to_label @ numpy.array([[0, width, width, 0], [0, 0, height, height], [1, 1, 1, 1.0]])
    corners = corners[:2] / corners[2]
    low, high = corners.min(1), corners.max(1)
    columns, rows = (math.ceil(side) + 2 * MARGIN for side in high - low)
    place = move(MARGIN + chance.random() - low[0], MARGIN + chance.random() - low[1])
    to_sample = move(-0.5, -0.5) @ numpy.diag([fineness, fineness, 1.0])
    whole = to_sample @ place @ to_frame @ to_label
    size = (columns + 1) * fineness, (rows + 1) * fineness
    return cv2.warpPerspective(paper, whole, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=255)


def rolled(paper, view, chance, fineness):
    """Light on the sensor from a label around a cylinder, seen from the front."""
    height, width = paper.shape
    ink = numpy.argwhere(paper.min(0) < 128)
    half = (ink.max() + 1 - ink.min()) / 2 / DOTS
    radius = half / math.radians(view.arc)
    distance = FOCAL_LENGTH / view.module
    # What a viewer sees ends where sight touches the cylinder.
    sight = radius * (1 - (radius / (distance + radius)) ** 2) ** 0.5 * distance / (distance + radius)
    columns = 2 * math.ceil(min(width / DOTS / 2, 1.05 * sight) * view.module) + 2 * MARGIN
    rows = math.ceil(height / DOTS * view.module) + 2 * MARGIN
    shift = chance.random(), chance.random()
    u = ((numpy.arange((columns + 1) * fineness) + 0.5) / fineness - columns / 2 - shift[0]) / FOCAL_LENGTH
    v = ((numpy.arange((rows + 1) * fineness) + 0.5) / fineness - rows / 2 - shift[1]) / FOCAL_LENGTH
    # The nearer of the places where the ray (u z, v z, z) meets x² + (z - distance - radius)² = radius².
    middle = distance + radius
    root = middle ** 2 - (u ** 2 + 1) * (middle ** 2 - radius ** 2)
    z = (middle - numpy.sqrt(numpy.maximum(root, 0))) / (u ** 2 + 1)
    along = numpy.where(root > 0, radius * numpy.arctan2(u * z, middle - z), 1e6)
    x = (along * DOTS + width / 2 - 0.5).astype(numpy.float32)
    y = (numpy.outer(v, z) * DOTS + height / 2 - 0.5).astype(numpy.float32)
    return cv2.remap(
        paper, numpy.broadcast_to(x, y.shape).copy(), y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=255)


def spread(light, view, fineness):
    """Light after motion and lens."""
    way = view.motion * view.module * fineness
    if way:
        # The integral over the exposure: a box, whose ends count by their share.
        half = math.ceil(way / 2)
        box = numpy.clip(way / 2 + 0.5 - abs(numpy.arange(-half, half + 1)), 0, 1)
        light = cv2.filter2D(light, -1, (box / box.sum())[None], borderType=cv2.BORDER_REPLICATE)
    radius = view.defocus * view.module * fineness / 2
    if radius:
        side = numpy.arange(-math.ceil(radius), math.ceil(radius) + 1)
        disc = numpy.clip(radius + 0.5 - numpy.hypot(*numpy.meshgrid(side, side)), 0, 1)
        light = cv2.filter2D(light, -1, disc / disc.sum(), borderType=cv2.BORDER_REPLICATE)
    return cv2.GaussianBlur(light, (0, 0), LENS_SIGMA * fineness, borderType=cv2.BORDER_REPLICATE)


def exposed(light, contrast, noise, full_well=FULL_WELL):
    """Grey levels of a share of paper, 0 to 1, per pixel; `noise` is numpy's generator, `full_well` the electrons at level 255."""
    reflectance = PAPER - contrast * (1 - light)
    electrons = reflectance.astype(numpy.float32) * (PAPER_LEVEL / 255 / PAPER * full_well)
    electrons += numpy.sqrt(electrons + READ_NOISE ** 2) * noise.standard_normal(light.shape, numpy.float32)
    return numpy.clip(numpy.rint(electrons * (255 / full_well)), 0, 255).astype(numpy.uint8)


def share_of_paper(paper, view, chance):
    """The light of a symbol on the sensor's pixels, 0 to 1."""
    fineness = 8 if view.module < 2 else 3
    light = spread(projected(disturbed(paper, view, chance), view, chance, fineness), view, fineness)
    rows, columns = (side // fineness for side in light.shape)
    return cv2.resize(light, (columns, rows), interpolation=cv2.INTER_AREA).astype(numpy.float32) / 255


def frame(paper, view, chance):
    """The frame of a symbol, cropped to it. `chance` draws the place between the pixels, the spots and the noise."""
    light = share_of_paper(paper, view, chance)
    return exposed(light, view.contrast, numpy.random.default_rng(chance.getrandbits(64)))
