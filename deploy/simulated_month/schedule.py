"""What happens in the month: opening hours and faults, drawn from a seed. Times are seconds since the month's begin."""
import random

DAY = 86400
# Rushes of a day: when one begins, in seconds of the day, and for how long it lasts. Between them the privacy switch is closed,
# and frames cost nothing.
RUSHES = [(8 * 3600, 600), (12 * 3600, 600), (17 * 3600, 600)]
# A fault lasts at least so many seconds and at most so many; half of them end before the mean.
SHORTEST, MEAN, LONGEST = 4, 60, 420
# The share of faults that fall into a rush; the others come at any time of the day.
RUSH_SHARE = 0.75

# Faults per day, by name.
RATES = {
    "camera unplugged": 2.5,
    "camera frozen": 2.5,
    "privacy switch": 1.5,
    "station paused": 1.0,
    "screen taken": 2.0,
    "torch button": 8.0,
    "caps lock": 2.0,
    "till unplugged": 2.0,
    "till silent": 1.0,
    "till lying": 1.5,
    "till late": 1.0,
    "belt away": 2.0,
    "belt silent": 1.0,
    "belt lying": 1.5,
    "ledger away": 2.0,
    "ledger slow": 1.5,
    "ledger refusing": 1.5,
    "ledger lying": 2.0,
    "shop away": 2.0,
    "shop refusing": 1.5,
    "shop lying": 2.0,
    "shop rejecting": 1.0,
    "network down": 1.5,
    "disk full": 1.5,
    "disk read-only": 1.0,
    "disk failing": 0.7,
    "clock jump": 2.0,
    "station killed": 1.5,
    "station restarted": 0.5,
    "configuration read again": 0.7,
    "power cut": 1.0,
}
# Faults that happen at one moment.
SUDDEN = {
    "torch button", "caps lock", "clock jump", "station killed", "station restarted", "configuration read again", "power cut",
}
# The wall clock is wrong by at most so many seconds, back or forth, after a jump.
LARGEST_JUMP = 3 * DAY
# A power cut lasts at least and at most so many seconds.
SHORTEST_CUT, LONGEST_CUT = 5, 900


def rushes(days):
    """The opening hours of so many days: (begin, end) in order."""
    return [(day * DAY + begin, day * DAY + begin + length) for day in range(days) for begin, length in RUSHES]


def moment(draw, day):
    """A moment of a day, in a rush or at any time."""
    if draw.random() < RUSH_SHARE:
        begin, length = draw.choice(RUSHES)
        return day * DAY + begin + draw.uniform(0, length)
    return day * DAY + draw.uniform(0, DAY)


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
                    fault["seconds"] = round(min(LONGEST, SHORTEST + draw.expovariate(1 / MEAN)), 3)
                if name == "clock jump":
                    fault["jump"] = round(draw.choice([-1, 1]) * LARGEST_JUMP ** draw.random(), 3)
                    fault["seconds"] = round(draw.uniform(20, 600), 3)
                if name == "power cut":
                    fault["off"] = round(draw.uniform(SHORTEST_CUT, LONGEST_CUT), 3)
                    # A board without a clock of its own goes on with the time at which it was cut off, until it hears of another.
                    fault["skew"] = draw.choice([0, -fault["off"]])
                drawn.append(fault)
    return sorted(drawn, key=lambda fault: fault["t"])
