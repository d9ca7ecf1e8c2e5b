"""Judges what was typed at the desk. A keyboard gives no ids: each text must come in the order of the scans, once; after the station's
death the scan that was being typed may come again, behind the part that was typed."""

# The most deliveries that a station may forget when it dies: docs/delivery.md, Webhook.
NOTED_TOGETHER = 8


def check(month):
    scans = sorted(month.scans.values(), key=lambda scan: scan["t"])
    place, last = 0, 0.0
    for record in month.of["typed"]:
        t, text = record["t"], record["text"]
        died = month.causes.restarted(last - 60, t)
        ahead = next((step for step in range(len(scans) - place) if matches(text, scans[place + step]["text"], died)), None)
        behind = any(matches(text, scan["text"], died) for scan in scans[max(0, place - NOTED_TOGETHER):place])
        if ahead == 0:
            place += 1
        elif behind and died:
            month.tally["typed again after the station's death"] += 1
        elif ahead is not None and ahead <= NOTED_TOGETHER:
            for scan in scans[place:place + ahead]:
                month.fail(scan["t"], "lost", f"{scan['text']} {scan['id']} was not typed before {text} at {t:.3f}")
            place += ahead + 1
        else:
            month.fail(t, "invented", f"{text!r} was typed" + (", a repeat" if behind else ""))
        last = t
    for scan in scans[place:]:
        month.fail(scan["t"], "lost", f"{scan['text']} {scan['id']} was not typed")
    if month.of["keys dropped"]:
        month.fail(month.of["keys dropped"][0]["t"], "desk too slow", "the kernel dropped keys")


def matches(typed, text, died):
    """Whether a line is a text; after a death, a part of it may stand before it."""
    if typed == text:
        return True
    part = typed[:-len(text)] if typed.endswith(text) else None
    return died and part is not None and len(part) <= len(text)
