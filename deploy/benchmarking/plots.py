"""Plots as SVG: limits of readers by symbology, and lines."""
import math
from html import escape

# Colours that people with any colour vision tell apart (Okabe and Ito), and shapes that tell without colour.
COLOURS = {"reticle": "#0072b2", "reticle-frame": "#56b4e9", "zxing-cpp": "#d55e00", "zbar": "#009e73"}
LEFT, RIGHT, TOP, ROW, STEP = 110, 20, 46, 20, 46


def marker(reader, x, y):
    colour = COLOURS[reader]
    if reader == "reticle":
        return f'<circle cx="{x:g}" cy="{y:g}" r="6" fill="{colour}"/>'
    if reader == "reticle-frame":
        return f'<circle cx="{x:g}" cy="{y:g}" r="3.5" fill="#fff" stroke="{colour}" stroke-width="2"/>'
    if reader == "zxing-cpp":
        return f'<path d="M{x - 5:g} {y + 4:g}h10l-5-9z" fill="{colour}"/>'
    return f'<rect x="{x - 4:g}" y="{y - 4:g}" width="8" height="8" fill="none" stroke="{colour}" stroke-width="2"/>'


def text(x, y, words, anchor="start", weight="normal"):
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-weight="{weight}">{escape(words)}</text>'


def page(width, height, parts):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>', *parts, "</svg>", ""])


def legend(titles, y):
    x, parts = LEFT, []
    for reader, title in titles.items():
        parts += [marker(reader, x, y - 4), text(x + 10, y, title)]
        x += 24 + 7 * len(title)
    return parts


def limits_plot(title, unit, strengths, rows, titles):
    """One row per symbology: (name, {reader: strength or None}, goal or None). Strengths have equal distances, weak ones are left."""
    width, bottom = LEFT + STEP * len(strengths) + RIGHT, TOP + ROW * len(rows)
    place = {None: LEFT, **{strength: LEFT + STEP * (index + 1) for index, strength in enumerate(strengths)}}
    parts = [text(LEFT, 16, f"{title} ({unit}) at which 95 % are read", weight="bold"), *legend(titles, 34)]
    for strength, x in place.items():
        parts.append(f'<path d="M{x:g} {TOP:g}V{bottom:g}" stroke="#ddd"/>')
        parts.append(text(x, bottom + 14, "none" if strength is None else f"{strength:g}", "middle"))
    for index, (name, limits, goal) in enumerate(rows):
        y = TOP + ROW * (index + 0.5)
        parts.append(text(LEFT - 14, y + 4, name, "end"))
        if goal is not None:
            parts.append(f'<path d="M{place[goal]:g} {y - 9:g}v18" stroke="#000" stroke-width="2"/>')
        # Several markers of one strength are drawn side by side.
        taken = {}
        for reader, strength in limits.items():
            x = place[strength]
            shift = taken.get(x, 0)
            taken[x] = shift + 1
            parts.append(marker(reader, x + 11 * shift, y))
    if any(goal is not None for _, _, goal in rows):
        parts.append(f'<path d="M{LEFT:g} {bottom + 21:g}v12" stroke="#000" stroke-width="2"/>' + text(LEFT + 10, bottom + 31, "goal"))
    return page(width, bottom + 38, parts)


def rounded_up(value):
    """The next of 1, 2, 4 and 8 times a power of ten, whose quarters have short labels."""
    power = 10 ** math.floor(math.log10(value))
    return next(power * factor for factor in (1, 2, 4, 8, 10) if power * factor >= value)


def lines_plot(title, x_title, lines):
    """Lines of points (x, y) by name, from 0 on both axes; y in ms."""
    width, height, bottom = 520, 260, 220
    x_most = rounded_up(max(x for points in lines.values() for x, _ in points))
    y_most = rounded_up(max(y for points in lines.values() for _, y in points))
    parts = [text(60, 16, title, weight="bold")]
    for part in range(5):
        x, y = 60 + 420 * part / 4, bottom - 180 * part / 4
        parts += [f'<path d="M{x:g} 40V{bottom}M60 {y:g}H480" stroke="#ddd"/>', text(x, bottom + 16, f"{x_most * part / 4:g}", "middle"),
                  text(54, y + 4, f"{y_most * part / 4:.3g}", "end")]
    parts += [text(480, bottom + 32, x_title, "end"), text(8, 34, "ms")]
    for (name, points), colour in zip(lines.items(), ("#0072b2", "#d55e00", "#009e73")):
        placed = [(60 + 420 * x / x_most, bottom - 180 * y / y_most) for x, y in points]
        parts.append(f'<path d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y in placed)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(text(placed[-1][0] - 4, placed[-1][1] - 6, name, "end"))
    return page(width, height, parts)
