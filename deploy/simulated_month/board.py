"""The board of the month: camera, lines, screen, storage and clock, as the lab has them, and the record of all that happens."""
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import labels

LINES = ["TORCH", "GOOD", "PRIVACY", "TORCH_BUTTON"]
STORAGE_FAULT = "/run/storage-fault"
# reboot(2): ends the kernel at once; nothing that is only in its memory is written.
POWER_OFF = 0x4321FEDC


def seconds_since_boot():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Record:
    """One JSON object per line, with the seconds since the month's begin."""

    def __init__(self, path, offset):
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self.offset = offset

    @property
    def now(self):
        return self.offset + seconds_since_boot()

    def write(self, kind, **fields):
        os.write(self.file, json.dumps({"t": round(self.now, 4), "kind": kind, **fields}).encode() + b"\n")


def devices(*words):
    return subprocess.run(["devices", *words], check=True, capture_output=True, text=True).stdout


def start_udev():
    """Starts the real udevd, which tells the station of cameras that come and go; for all devices it would take a minute."""
    shutil.rmtree("/run/udev", ignore_errors=True)
    os.mkdir("/run/udev")
    subprocess.run(["/lib/systemd/systemd-udevd", "--daemon"], check=True, stderr=subprocess.DEVNULL)
    kinds = [f"--subsystem-match={kind}" for kind in ("video4linux", "media", "usb", "tty", "input")]
    subprocess.run(["udevadm", "trigger", "--action=add", *kinds], check=True)
    subprocess.run(["udevadm", "settle"], check=True)
    open("/run/lab/udevd", "w").close()


class Board:
    def __init__(self, begin, record):
        """`begin` is the wall clock's time at the month's begin, in seconds since 1970."""
        self.begin, self.record = begin, record
        answer = devices("gpio", "8", *(f"{number}={name}" for number, name in enumerate(LINES)))
        folder = answer.split("dir=")[1].split()[0]
        self.values = {name: os.open(f"{folder}/sim_gpio{number}/value", os.O_RDONLY) for number, name in enumerate(LINES)}
        self.pulls = {name: f"{folder}/sim_gpio{number}/pull" for number, name in enumerate(LINES)}
        # When a line was last pulled up or down, in the month's seconds.
        self.pulled = {}
        self.pull("TORCH_BUTTON", False)
        # The camera is unplugged between rushes: one that is plugged in costs the lab's USB bus 8000 interrupts per second.
        self.has_camera, self.wants_camera = False, False
        self.show("counter")
        start_udev()
        devices("screen")

    # Lines

    def level(self, line):
        return os.pread(self.values[line], 1, 0) == b"1"

    def pull(self, line, is_up):
        with open(self.pulls[line], "w") as file:
            file.write("pull-up" if is_up else "pull-down")
        if self.pulled.get(line, (None, 0))[0] != is_up:
            self.pulled[line] = (is_up, self.record.now)

    def pulled_since(self, line):
        """When the line went up, if it is up."""
        is_up, t = self.pulled.get(line, (False, None))
        return t if is_up else None

    def released_since(self, line):
        """When the line went down, if it is down."""
        is_up, t = self.pulled.get(line, (True, None))
        return None if is_up else t

    # The camera

    def show(self, name):
        link = "next.pgm"
        if os.path.islink(link):
            os.unlink(link)
        os.symlink(os.path.abspath(f"labels/{name}.pgm"), link)
        os.rename(link, "picture.pgm")

    def plug_camera(self):
        if self.wants_camera and not self.has_camera:
            devices("camera", f"{labels.WIDTH}x{labels.HEIGHT}@{labels.RATE}", "picture.pgm")
            self.has_camera = True

    def unplug_camera(self):
        if self.has_camera:
            devices("camera-unplug")
            self.has_camera = False

    # The screen

    def take_screen(self, station, seconds):
        """Another program takes the screen from the station; the process."""
        return subprocess.Popen([sys.executable, "screen_thief.py", str(station), "1", str(seconds), "0"])

    # Storage and clock

    def break_storage(self, letter):
        with open(STORAGE_FAULT, "w") as file:
            file.write(letter)

    def mend_storage(self):
        if os.path.exists(STORAGE_FAULT):
            os.unlink(STORAGE_FAULT)

    def set_clock(self, error=0):
        """Sets the wall clock to the right time, or wrong by a number of seconds."""
        time.clock_settime(time.CLOCK_REALTIME, self.begin + self.record.now + error)

    def cut_power(self, station):
        """Ends the kernel, and with it all that is only in its memory; the record, which is not the board's, stays."""
        if station:
            os.kill(station, signal.SIGSTOP)
        self.record.write("cut")
        os.fsync(self.record.file)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.reboot(POWER_OFF)
        raise OSError(ctypes.get_errno(), "the lab does not end")
