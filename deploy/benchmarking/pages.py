"""Pages whose tables a program writes: the text around them stays as its authors wrote it."""
import re
import sys
from pathlib import Path


def table(heads, rows):
    """The lines of a table in Markdown."""
    yield "| " + " | ".join(heads) + " |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"


def filled(template, parts, page):
    """A page with the lines of each part between its marks, <!-- name --> and <!-- end of name -->, without which the program ends."""
    for name, lines in parts.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        if begin not in template or end not in template:
            sys.exit(f"{Path(sys.argv[0]).name}: nothing was written: {page} lacks the marks {begin} and {end}")
        head, rest = template.split(begin, 1)
        template = head + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]
    return template


def processor():
    """The name of this machine's processor."""
    import platform
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return model.group(1) if model else platform.machine()
