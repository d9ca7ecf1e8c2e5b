"""The list of pictures that deploy/benchmark and deploy/losses read: docs/benchmark.md says how to write it."""
import json
import sys
from pathlib import Path


def read_manifest(path):
    """The rows of a manifest, each with the path of its picture. A bad one ends the program."""
    program, rows = Path(sys.argv[0]).name, []
    try:
        text = Path(path).read_text()
    except OSError as error:
        sys.exit(f"{program}: nothing was measured: {error.strerror}: {path}; docs/benchmark.md says how to write a manifest")
    for number, line in enumerate(text.splitlines(), 1):
        try:
            row = json.loads(line)
            row.setdefault("group", "")
            row.setdefault("corners", None)
            row["path"] = Path(path).parent / row["file"]
            known = row["set"], row["symbology"], row["expect"] if row["corners"] is None else True
        except (ValueError, KeyError, TypeError) as error:
            sys.exit(f"{program}: nothing was measured: {path}:{number} is not as docs/benchmark.md says: {error!r}")
        if known[2] is None:
            sys.exit(f"{program}: nothing was measured: {path}:{number} has neither expect nor corners; give one")
        if not row["path"].is_file():
            sys.exit(f"{program}: nothing was measured: {path}:{number} names {row['path']}, which is not there")
        rows.append(row)
    return rows
