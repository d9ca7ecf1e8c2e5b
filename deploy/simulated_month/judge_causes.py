"""When something was wrong, by the month's record: what excuses a label that was not read, and a scan that came twice."""
import bisect

# Faults during which a label may not be read, with the seconds after their end for which that still holds: the camera's backoff of 30 s
# and its first frames, the opening of a session, the storage's next trial.
EXCUSES = {
    "camera unplugged": 45, "camera frozen": 45, "privacy switch": 12, "station paused": 12, "disk full": 12, "disk read-only": 12,
    "disk failing": 12, "configuration read again": 15,
}
# Seconds that a station needs from its start to its first scan.
START = 25
# A fault that begins so soon after an arrival, in seconds, may have swallowed the answer.
ANSWER = 6


class Causes:
    def __init__(self, done):
        self.faults = []        # (name, begin, end)
        self.absences = []      # (begin, end) of times without a station that scans
        self.restarts = []      # times at which the station died or started again
        begun, died = {}, None
        for record in done:
            t, kind = record["t"], record["kind"]
            if kind == "fault" and record["on"]:
                begun[record["name"]] = t
                if record["name"] == "configuration read again":
                    self.restarts.append(t)
            elif kind == "fault" and record["name"] in begun:
                self.faults.append((record["name"], begun.pop(record["name"]), t))
            elif kind in ("cut", "station ended"):
                died = t if died is None else died
                self.restarts.append(t)
                if kind == "cut":
                    self.faults += [(name, begin, t) for name, begin in begun.items()]
                    begun.clear()
            elif kind == "station started":
                self.absences.append((died if died is not None else t, t + START))
                self.restarts.append(t)
                died = None
        last = done[-1]["t"] if done else 0
        self.faults += [(name, begin, last) for name, begin in begun.items()]
        self.absences += [(died, last)] if died is not None else []

    def excuse(self, begin, end):
        """Whether a label that was shown from begin to end may not have been read."""
        return any(a < end and b > begin for a, b in self.absences) or any(
            a < end and b + EXCUSES[name] > begin for name, a, b in self.faults if name in EXCUSES)

    def restarted(self, begin, end):
        """Whether the station died or started again between two times."""
        place = bisect.bisect_left(self.restarts, begin)
        return place < len(self.restarts) and self.restarts[place] <= end

    def repeat(self, sink, first, again):
        """Whether a scan that a receiver has acknowledged may come to it again."""
        if self.restarted(first - 1, again):
            return True
        for name, a, b in self.faults:
            # What was sent while the network was down arrives after it: TCP waits between its trials for as long again.
            late = (b - a) + ANSWER if name == "network down" else 1
            if name.split()[0] in (sink, "network") and a < first + ANSWER and b + late > first:
                return True
        return False
