"""The tables and plots of docs/datasheet.md, from what was measured."""
import os
import platform
import subprocess
from importlib.metadata import version

import arm
from costs import CONTENTS, percentile
from pages import processor, table
from plots import limits_plot, lines_plot
from quantities import GRID, GRID_EXPOSURES, GRID_MODULES, GRID_SYMBOLOGIES, QUANTITIES, limit


def counted(rows):
    """A cell's rows by strength and reader."""
    return {(row["strength"], row["reader"]): row for row in rows}


def shown(quantity, strength):
    """A limit as a table has it, with ≤ or ≥ where the scale ends."""
    if strength is None:
        return "none"
    if quantity.is_whole:
        return "any" if strength == quantity.strengths[-1] else f"up to {strength + quantity.strengths[1]:g}"
    weak, strong = quantity.strengths[0], quantity.strengths[-1]
    end = "" if strength != strong else "≤ " if strong < weak else "≥ "
    return f"{end}{strength:g}"


def cell(quantity, rows, reader):
    """A reader's limit, and in how many of its frames it read anything else."""
    if not any(row["reader"] == reader for row in rows):
        return ""
    wrong = sum(len(row["wrong"]) for row in rows if row["reader"] == reader)
    return shown(quantity, limit(counted(rows), reader, quantity.strengths)) + (f", {wrong} wrong" if wrong else "")


def goal_text(quantity, goal):
    return "" if goal is None else with_unit(quantity, goal)


def with_unit(quantity, goal):
    return "any" if quantity.is_whole else f"{goal:g}{'' if quantity.unit == '°' else ' '}{quantity.unit}"


def limits_part(name, quantity, results, titles, stem):
    """A quantity's table, below its plot."""
    rows = []
    for symbology in quantity.symbologies:
        if (name, symbology) in results:
            goal = quantity.goal(symbology)
            rows.append([
                f"`{symbology}`", *(cell(quantity, results[name, symbology], reader) for reader in titles),
                *([goal_text(quantity, goal)] if quantity.goals else [])])
    heads = ["symbology", *titles.values(), *(["goal"] if quantity.goals else [])]
    return [f"![{quantity.title} at which 95 % of the symbols are read, by symbology]({stem}/{name}.svg)", "", *table(heads, rows)]


def limits_drawing(name, quantity, results, titles):
    rows = []
    for symbology in quantity.symbologies:
        if (name, symbology) in results:
            counts = counted(results[name, symbology])
            asked = [reader for reader in titles if any(key[1] == reader for key in counts)]
            rows.append((symbology, {reader: limit(counts, reader, quantity.strengths) for reader in asked}, quantity.goal(symbology)))
    return limits_plot(quantity.title, quantity.unit, quantity.strengths, rows, titles)


def goals(results):
    """Lines of the goals' table, and the goals that single pictures miss: (quantity, symbology, goal)."""
    lines, missed = [], []
    for name, quantity in QUANTITIES.items():
        for goal in sorted(set((quantity.goals or {}).values())):
            named = {True: [], False: []}
            frames = []
            for symbology in quantity.symbologies:
                if quantity.goal(symbology) != goal or (name, symbology) not in results:
                    continue
                counts = counted(results[name, symbology])
                reached = limit(counts, "reticle", quantity.strengths)
                is_met = quantity.reaches(reached, goal)
                named[is_met].append(f"`{symbology}`" + ("" if is_met else f" ({shown(quantity, reached)})"))
                missed += [] if is_met else [(name, symbology, goal)]
                one = limit(counts, "reticle-frame", quantity.strengths)
                frames += [] if quantity.reaches(one, goal) else [f"`{symbology}` ({shown(quantity, one)})"]
            if named[True] or named[False]:
                lines.append([f"{quantity.title}: {with_unit(quantity, goal)}", ", ".join(named[True]) or "–",
                              ", ".join(named[False]) or "–", ", ".join(frames) or "–"])
    return table(["goal", "met by", "**missed** by", "missed by one camera frame"], lines), missed


def wrong(results, titles):
    """Frames in which a reader read anything else than the symbol."""
    lines = []
    for reader, title in titles.items():
        rows = [row for cell in results.values() for row in cell if row["reader"] == reader]
        if rows:
            lines.append([
                title, sum(row["count"] for row in rows), sum(row["read"] for row in rows), sum(len(row["wrong"]) for row in rows)])
    yield from table(["reader", "frames", "read", "wrong"], lines)
    yield ""
    for (name, symbology), rows in results.items():
        for row in rows:
            for text, *others in row["wrong"] if row["reader"].startswith("reticle") else []:
                yield (f"- {titles[row['reader']]}, {QUANTITIES.get(name, GRID.get(name)).title} {row['strength']:g}: `{symbology}` "
                       f"`{text}` gave {', '.join(f'`{other}`' for other in others)}.")


def grid(results):
    """Speeds against exposure and module."""
    lines = []
    for symbology in GRID_SYMBOLOGIES:
        for exposure in GRID_EXPOSURES:
            names = [f"rolling-{exposure}us-{module}mm" for module in GRID_MODULES]
            if all((name, symbology) in results for name in names):
                lines.append([f"`{symbology}`", exposure, *(cell(GRID[name], results[name, symbology], "reticle") for name in names)])
    return table(["symbology", "exposure, µs", *(f"{module} mm" for module in GRID_MODULES)], lines)


def milliseconds(seconds):
    return "" if seconds is None else f"{seconds * 1000:.2f}"


def times(figures, titles):
    lines = []
    for name, (title, _, _) in CONTENTS.items():
        for reader, seconds in figures[name].items():
            lines.append([title, titles[reader], len(seconds), *(milliseconds(percentile(seconds, share)) for share in (0.5, 0.99, 0.999)),
                          milliseconds(seconds[-1])])
    return table(["content", "reader", "pictures", "p50, ms", "p99, ms", "p99.9, ms", "longest, ms"], lines)


def series(rows, effort):
    """The rows of growing pictures, and those of growing numbers of symbols in the largest."""
    own = [row for row in rows if row["effort"] == effort]
    largest = max(row["megapixels"] for row in own)
    return [row for row in own if row["symbols"] == 1], [row for row in own if row["megapixels"] == largest]


def scale(rows):
    """The table of times by size and number of symbols, and whether they grow no faster than both."""
    lines = []
    for row, frame in zip(*([row for row in rows if row["effort"] == effort] for effort in ("reticle", "reticle-frame"))):
        lines.append([f"{row['megapixels']:g}", row["symbols"], *(
            text for one in (row, frame) for text in (one["read"], f"{one['seconds'] * 1000:.1f}"))])
    yield from table(["megapixels", "symbols", "read", "ms", "read by a camera frame", "ms"], lines)
    yield ""
    for effort, title in (("reticle", "A single picture"), ("reticle-frame", "A camera frame")):
        sizes, numbers = series(rows, effort)
        pixels = [row["seconds"] * 1000 / row["megapixels"] for row in sizes]
        symbols = [(row["seconds"] - numbers[0]["seconds"]) * 1000 / (row["symbols"] - 1) for row in numbers[1:]]
        is_met = pixels[-1] <= pixels[0] and symbols[-1] <= symbols[0]
        yield (f"{title} costs {pixels[0]:.2f} ms per megapixel with {sizes[0]['megapixels']:g} megapixels and {pixels[-1]:.2f} ms with "
               f"{sizes[-1]['megapixels']:g}; another symbol costs {symbols[0]:.2f} ms with {numbers[1]['symbols']} symbols and "
               f"{symbols[-1]:.2f} ms with {numbers[-1]['symbols']}. The goal is {'met' if is_met else '**missed**'}.")
        yield ""


def scale_drawings(rows):
    sizes = {title: [(row["megapixels"], row["seconds"] * 1000) for row in series(rows, effort)[0]]
             for effort, title in (("reticle", "single picture"), ("reticle-frame", "camera frame"))}
    numbers = {title: [(row["symbols"], row["seconds"] * 1000) for row in series(rows, effort)[1]]
               for effort, title in (("reticle", "single picture"), ("reticle-frame", "camera frame"))}
    return {"scale-pixels": lines_plot("Time by size, with one symbol", "megapixels", sizes),
            "scale-symbols": lines_plot("Time by number of symbols, in the largest picture", "symbols", numbers)}


def memory(rows):
    return table(["megapixels", "a single picture, MB", "a camera frame, MB"], [
        [f"{row['megapixels']:g}", f"{row['still']:.0f}", f"{row['frame']:.0f}"] for row in rows])


def instructions(rows):
    """Millions of instructions by content and effort, and what they take on each board."""
    efforts = {"frame": "camera frame", "still": "single picture"}
    return table(["content", "effort", "instructions, millions", *(f"{board}, ms" for board in arm.BOARDS)], [
        [CONTENTS[row["content"]][0], efforts[row["effort"]], f"{row['instructions'] / 1e6:.1f}",
         *(f"{arm.milliseconds(row['instructions'], board):.1f}" for board in arm.BOARDS)] for row in rows])


def boards():
    heads = ["board", "core", "clock, GHz", "instructions per cycle, assumed"]
    return table(heads, [[name, *board] for name, board in arm.BOARDS.items()])


def parts(results, figures, chosen, titles, stem):
    """The page's parts by name, its plots by name, and the goals that single pictures miss."""
    parts, plots = {}, {}
    for name, quantity in QUANTITIES.items():
        if name in chosen:
            parts[name] = limits_part(name, quantity, results, titles, stem)
            plots[name] = limits_drawing(name, quantity, results, titles)
    lines, missed = goals(results)
    if all(name in chosen for name in QUANTITIES):
        parts["goals"], parts["wrong"] = lines, wrong(results, titles)
    if any(name in GRID for name in chosen):
        parts["grid"] = grid(results)
    if "times" in figures:
        parts["times"] = times(figures["times"], titles)
    if "scale" in figures:
        parts["scale"] = scale(figures["scale"])
        plots.update(scale_drawings(figures["scale"]))
    if "memory" in figures:
        parts["memory"] = memory(figures["memory"])
    if figures.get("arm"):
        parts["arm"] = [*boards(), "", *instructions(figures["arm"])]
    return parts, plots, missed


def facts(options, missing, titles, day):
    """What was measured, where and with what; `missing` says why readers are."""
    program = subprocess.run([options.program, "--version"], capture_output=True, text=True).stdout.split()[1]
    zint = subprocess.run(["zint", "--version"], capture_output=True, text=True).stdout.split()[-1]
    words = " ".join(f"--{name} {getattr(options, name)}" for name in ("count", "pictures", "seed"))
    return [
        f"Measured on {day}: {processor()}, Python {platform.python_version()}, {options.jobs} of {os.cpu_count()} cores, "
        f"by `deploy/datasheet {words}`. Readers: Reticle {program}, zxing-cpp {version('zxing-cpp')}, zbar by "
        f"pyzbar {version('pyzbar')}. Printer: zint {zint}.",
        *(f"Left out: {titles[name]}: {why}" for name, why in missing.items())]
