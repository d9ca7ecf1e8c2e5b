"""What happens in the month: opening hours and faults, drawn from a seed. Times are seconds since the month's begin."""
import random

DAY = 86400
# Rushes of a day: when one begins, in seconds of the day, and for how long it lasts. Between them the privacy switch is closed,
# and frames cost nothing.
RUSHES = [(8 * 3600, 300), (8 * 3600 + 3000, 300), (8 * 3600 + 6000, 300)]
# In most evenings the station is switched off at the mains, which is a power cut, some time after the last rush, until the morning.
OFF_SHARE, LAST_OFF, MORNING = 0.6, 3600, 7 * 3600 + 3000
# A fault lasts between the shortest and the longest time, in seconds, each length of the same number of digits as often; one that keeps
# labels from being read is over sooner.
SHORTEST, LONGEST, LONGEST_BLIND = 4, 300, 60
BLINDING = {"camera", "privacy", "station", "disk"}
# The share of faults that fall into a rush; the others come at any time of the day.
RUSH_SHARE = 0.75

# Faults per day, by name.
RATES = {
    "camera unplugged": 1.5,
    "camera frozen": 1.5,
    "privacy switch": 0.8,
    "station paused": 0.8,
    "screen taken": 1.5,
    "torch button": 5.0,
    "caps lock": 1.5,
    "till unplugged": 1.0,
    "till silent": 0.8,
    "till lying": 0.8,
    "till late": 0.8,
    "belt away": 1.0,
    "belt silent": 0.8,
    "belt lying": 0.8,
    "ledger away": 1.0,
    "ledger slow": 0.8,
    "ledger refusing": 0.8,
    "ledger lying": 1.0,
    "shop away": 0.8,
    "shop refusing": 0.8,
    "shop lying": 1.0,
    "shop rejecting": 0.8,
    "network down": 1.0,
    "disk full": 1.0,
    "disk read-only": 0.7,
    "disk failing": 0.5,
    "clock jump": 1.5,
    "station killed": 0.6,
    "station restarted": 0.4,
    "configuration read again": 0.5,
    "power cut": 0.6,
}
# Faults that happen at one moment.
SUDDEN = {
    "torch button", "caps lock", "clock jump", "station killed", "station restarted", "configuration read again", "power cut",
    "switched off",
}
# The largest error of the wall clock after a jump, in seconds, back or forth.
LARGEST_JUMP = 3 * DAY
# The shortest and the longest power cut, in seconds.
SHORTEST_CUT, LONGEST_CUT = 5, 900


def rushes(days):
    """The opening hours of a month: (begin, end) in order."""
    return [(day * DAY + begin, day * DAY + begin + length) for day in range(days) for begin, length in RUSHES]


def end(days):
    """The end of a month of that many days: in the evening of the last, when the station may be switched off."""
    return (days - 1) * DAY + sum(RUSHES[-1]) + LAST_OFF


def days(end):
    """How many days a month has that ends then."""
    return end // DAY + 1


def moment(draw, day):
    """A moment of a day, in a rush or at any time."""
    if draw.random() < RUSH_SHARE:
        begin, length = draw.choice(RUSHES)
        return day * DAY + begin + draw.uniform(0, length)
    return day * DAY + draw.uniform(0, DAY)


def skew(draw, off):
    """The error of the clock after so many seconds without power: a board without a battery goes on with the time at which it was cut
    off, until it hears of another."""
    return round(draw.choice([0, -off]), 3)


def faults(seed, days):
    """The faults of a month, in order: {"t", "name", "seconds"} and, of some, "jump" (seconds), "off" (seconds) or "skew" (seconds)."""
    draw = random.Random(f"faults {seed}")
    drawn = []
    for day in range(days):
        for name, rate in RATES.items():
            # A whole number whose mean is the rate.
            for _ in range(int(rate) + (draw.random() < rate % 1)):
                fault = {"t": round(moment(draw, day), 3), "name": name, "seconds": 0}
                if name not in SUDDEN:
                    longest = LONGEST_BLIND if name.split()[0] in BLINDING else LONGEST
                    fault["seconds"] = round(SHORTEST * (longest / SHORTEST) ** draw.random(), 3)
                if name == "clock jump":
                    fault["jump"] = round(draw.choice([-1, 1]) * LARGEST_JUMP ** draw.random(), 3)
                    fault["seconds"] = round(draw.uniform(20, 600), 3)
                if name == "power cut":
                    fault["off"] = round(draw.uniform(SHORTEST_CUT, LONGEST_CUT), 3)
                    fault["skew"] = skew(draw, fault["off"])
                drawn.append(fault)
        if day + 1 < days and draw.random() < OFF_SHARE:
            t = day * DAY + sum(RUSHES[-1]) + draw.uniform(0, LAST_OFF)
            off = (day + 1) * DAY + MORNING - t
            drawn.append({"t": round(t, 3), "name": "switched off", "seconds": 0, "off": round(off, 3), "skew": skew(draw, off)})
    return sorted(drawn, key=lambda fault: fault["t"])


def cut(faults, t):
    """The power cut, or the evening's switch, that happened at a time. Sleep may end a few milliseconds early."""
    return min((fault for fault in faults if "off" in fault), key=lambda fault: abs(fault["t"] - t))
