"""`reticle scan` as a reader that stays: names of pictures go in, answers come out, so its start does not count."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path


class ScanProcess:
    """A program and its effort, "still" or "frame". `read` is that of readers.Reader; its time is that of decoding alone."""

    missing = None

    def __init__(self, program, effort):
        # Memory rather than a disk, where there is such a folder.
        shared = Path("/dev/shm")
        self.folder = tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None)
        self.path = Path(self.folder.name) / "frame.pgm"
        self.process = subprocess.Popen(
            [program, "scan", "--format", "json", "--effort", effort, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def read(self, pixels, _):
        self.path.write_bytes(b"P5 %d %d 255\n" % pixels.shape[::-1] + pixels.tobytes())
        self.process.stdin.write(f"{self.path}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{Path(sys.argv[0]).name}: {self.process.args[0]} ended with status {self.process.wait()} at a picture")
        answer = json.loads(line)
        found = [
            (bytes.fromhex(code["bytes_hex"]), [code["text"], code.get("hri", code["text"])], [tuple(at) for at in code["corners"]])
            for code in answer["codes"]]
        return found, answer["decode_ns"] / 1e9

    @property
    def most_memory(self):
        """The most memory that it had so far, in MB, shared libraries included."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()
