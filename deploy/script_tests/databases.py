"""A PostgreSQL server of a test, from Debian's package."""
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path


class Database:
    """A server with the database `reticle`, in a folder of its own, reached by a socket there."""

    def __init__(self):
        versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        assert versions, "PostgreSQL is missing: deploy/prepare test installs it"
        # Not below pytest's folder, which is root's alone; and a socket's path is short.
        folder = Path(tempfile.mkdtemp(prefix="reticle-", dir="/tmp"))
        self.programs, self.folder = versions[-1], folder
        # The server does not run as root.
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            shutil.chown(folder, self.user)
            folder.chmod(0o755)
        self.run("initdb", "--pgdata", folder / "data", "--auth", "trust", "--username", "reticle", "--no-sync")
        self.start()
        self.run("createdb", "--host", folder, "--username", "reticle", "reticle")
        self.address = f"postgresql://reticle@/reticle?host={folder}"

    def run(self, program, *arguments):
        words = [str(self.programs / program), *map(str, arguments)]
        if self.user:
            words = ["runuser", "-u", self.user, "--", *words]
        subprocess.run(words, check=True, capture_output=True, timeout=60, cwd="/")

    def control(self, verb, *options):
        self.run("pg_ctl", verb, "--pgdata", self.folder / "data", "--wait", *options)

    def start(self):
        self.control("start", "--log", self.folder / "log", "--options", f"-k {self.folder} -c listen_addresses=''")

    def stop(self, mode="fast"):
        """Ends the server; immediate: as a crash would."""
        self.control("stop", "--mode", mode)

    def remove(self):
        self.stop("immediate")
        shutil.rmtree(self.folder)

    def rows(self, query):
        """The rows of an answer, each a list of texts."""
        answer = subprocess.run(
            ["psql", "--no-psqlrc", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", f"--dbname={self.address}", f"--command={query}"],
            check=True, capture_output=True, text=True, timeout=60)
        return [line.split("|") for line in answer.stdout.splitlines()]
