"""The station under test: started, ended and started again as systemd does; asked through its console."""
import asyncio
import os
import signal

from board import STORAGE_FAULT

CONFIGURATION = """
station: {name: month}
camera: {source: libcamera, size: %dx%d, frame_deadline: 3 s, privacy_line: PRIVACY}
viewport: [0, 0, 1, 1]
screen: {output: kms, mode: 640x480}
confirm: never
session: {reopen: after 1 s}
torch: {line: TORCH, mode: 'on'}
buttons: {torch: {line: TORCH_BUTTON}}
outputs: {good_read: {line: GOOD, good_read: 500 ms, refused: []}}
outbox: {path: outbox.sqlite}
console: {port: 9470}
sinks:
  - {name: till, dead_letter_after: never, serial: {device: /run/till, prefix: '\\x02', trailer: '\\x03', id: true, acknowledge: true,
      acknowledge_number: true, acknowledge_timeout: 1 s}}
  - {name: belt, dead_letter_after: never, tcp: {connect: '127.0.0.1:9481', prefix: '\\x02', trailer: '\\x03', id: true, acknowledge: true,
      acknowledge_number: true, acknowledge_timeout: 1 s}}
  - {name: desk, keyboard: {device: /dev/uinput}}
  - {name: ledger, dead_letter_after: never, webhook: {url: 'http://127.0.0.1:9482/', timeout: 5 s, connect_timeout: 2 s}}
  - {name: shop, webhook: {url: 'http://127.0.0.1:9483/', timeout: 5 s, connect_timeout: 2 s}}
"""
# What systemd keeps between starts of the service, but not between boots.
FOLDER = "/run/reticle"
# systemd's RestartSec of the package's unit, in seconds.
PAUSE = 1


class Station:
    def __init__(self, record, board):
        self.record, self.board = record, board
        self.process = None
        self.cause = None       # why it ends, if we end it
        self.is_wanted = True
        # When it was started, or has ended, in the month's seconds.
        self.started = self.ended = record.now

    @property
    def pid(self):
        return self.process.pid if self.process and self.process.returncode is None else None

    async def run(self):
        environment = {**os.environ, "LD_PRELOAD": "./faulty_storage.so", "RETICLE_STORAGE_FAULT": STORAGE_FAULT,
                       "RUNTIME_DIRECTORY": FOLDER}
        os.makedirs(FOLDER, exist_ok=True)
        while self.is_wanted:
            with open("station.log", "ab") as log:
                self.process = await asyncio.create_subprocess_exec(
                    "reticle", "run", "--config", "station.yaml", env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=log,
                    stderr=log)
            self.started, self.cause = self.record.now, None
            self.record.write("station started", pid=self.process.pid)
            status = await self.process.wait()
            self.ended = self.record.now
            self.record.write("station ended", status=status, cause=self.cause)
            await asyncio.sleep(PAUSE)

    def end(self, name, cause):
        """Sends a signal that ends it; it is started again."""
        if self.pid:
            self.cause = cause
            os.kill(self.pid, name)

    def signal(self, name):
        """Sends a signal that does not end it."""
        if self.pid:
            os.kill(self.pid, name)

    async def stop(self):
        """Ends it without another start."""
        self.is_wanted = False
        self.end(signal.SIGTERM, "stopped")
        if self.process:
            await self.process.wait()

    async def command(self, *words):
        """Runs a command of the program; its output."""
        process = await asyncio.create_subprocess_exec(
            "reticle", *words, "--config", "station.yaml", stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL)
        return (await process.communicate())[0].decode()

    async def get(self, path, method="GET"):
        """The body of the console's answer; nil without one."""
        try:
            return await asyncio.wait_for(self.ask(path, method), 5)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            return None

    async def ask(self, path, method):
        reader, writer = await asyncio.open_connection("127.0.0.1", 9470)
        try:
            writer.write(
                f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            return (await reader.read()).split(b"\r\n\r\n", 1)[-1].decode()
        finally:
            writer.close()
