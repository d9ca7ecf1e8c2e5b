"""Stations and receivers under test: real programs, with pictures as their camera, in folders of their own."""
import collections
import http.server
import json
import os
import re
import socket
import subprocess
import threading
import time
import urllib.request

# A test's token has at least 16 bytes, as the console asks.
TOKENS = {role: f"{role}-token-0123456789" for role in ("configure", "operate", "look")}
REFUSED_TEXT = "REFUSED-BY-ERP"
NASTY_TEXT = "<script>alert(1)</script>\"'&\u202e\u05e9\u05dc\u05d5\u05dd\x07"
FIRST_START_PORT = 9470


def eventually(condition, seconds, what):
    """Returns the first true result of `condition`; a station tells nobody that its files have changed."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if result := condition():
            return result
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def own_address():
    """An address of this machine that is no loopback address; None if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))
        except OSError:
            return None
        address = probe.getsockname()[0]
        return None if address.startswith("127.") else address


def draw(program, folder, labels):
    """Draws labels as pictures: (name, text, symbology, *options) each."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text, symbology, *options in labels:
        words = [program, "generate", text, "--symbology", symbology, "--scale", "4", "--quiet-zone", "40"]
        subprocess.run([*words, "-o", folder / f"{name}.png", *options], check=True)
    return folder


class Receiver:
    """`reticle receive`, whose output is the proof that a scan has arrived."""

    def __init__(self, program, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.output = folder / "received"
        port_file = folder / "port"
        port_file.unlink(missing_ok=True)
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [program, "receive", "--port", "0", "--port-file", port_file], stdout=output, stderr=subprocess.DEVNULL)
        port = eventually(lambda: port_file.exists() and port_file.read_text().strip(), 10, "the receiver listens")
        self.url = f"http://127.0.0.1:{port}/scans"

    @property
    def text(self):
        return self.output.read_text(errors="replace")

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


class RefusingReceiver:
    """A webhook receiver that refuses one text until it is mended, and notes what it took."""

    def __init__(self):
        self.refuses = True
        self.taken = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                refused = receiver.refuses and REFUSED_TEXT in body
                if not refused:
                    receiver.taken.append(body)
                self.send_response(422 if refused else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/erp"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()


class Station:
    """A running `reticle run` with its configuration file, its log and its API."""

    def __init__(self, program, folder, text, port, options=(), environment=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.program, self.folder, self.port = program, folder, port
        self.options, self.environment = options, environment or {}
        self.file = folder / "station.yaml"
        self.log = folder / "log"
        self.url = f"http://127.0.0.1:{port}"
        if text is not None:
            self.file.write_text(text)
        self.start()

    def start(self):
        environment = {**os.environ, "STATE_DIRECTORY": str(self.folder), **self.environment}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, "run", "--config", self.file, *self.options], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=log, env=environment)
        eventually(self.is_alive, 20, f"the console answers at {self.url}; see {self.log}")

    def is_alive(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the station ended: {self.log.read_text(errors='replace')[-2000:]}")
        try:
            return urllib.request.urlopen(self.url + "/livez", timeout=2).status == 200
        except OSError:
            return False

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def get(self, path, role="configure"):
        """The JSON answer of the API, or its text."""
        headers = {"Authorization": f"Bearer {TOKENS[role]}"} if role else {}
        request = urllib.request.Request(self.url + path, headers=headers)
        with urllib.request.urlopen(request, timeout=15) as answer:
            body = answer.read()
        return json.loads(body) if "json" in answer.headers["Content-Type"] else body.decode()

    def metric(self, name):
        """The value of a metric, with its labels in the name if it has any."""
        return float(re.search(rf"(?m)^{re.escape(name)} (\S+)$", self.get("/metrics")).group(1))

    @property
    def text(self):
        return self.file.read_text()


Lab = collections.namedtuple("Lab", "station till erp")

CONFIGURATION = """\
# The till at the door. Comments survive every change.
station: {{name: till-3}}
camera:
  pictures: {pictures}
  frame_rate: {frame_rate} # as fast as the belt needs
decoder: {{effort: {effort}}}
outbox:
  path: {folder}/outbox.sqlite
repeat: {{absence: 1 h}} # each label is scanned once
pictures: {{of: [scans], folder: {folder}/pictures, megabytes: 1}}
console:
  port: {port}
  token_file: {folder}/configure.token
  operate_token_file: {folder}/operate.token
  look_token_file: {folder}/look.token
rules:
  - name: shelf labels
    when: {{symbology: [code128], prefix: SHELF}}
    then: {{rewrite: "S-{{text|cut 7}}"}}
sinks:
  - name: till # the cash desk
    webhook:
      url: {till}
  - name: erp
    dead_letter_after: 3
    webhook: {{url: {erp}}}
"""


def make_lab(program, folder, labels, extra=(), frame_rate=10, effort="auto"):
    """A station `till-3` with two sinks: a receiver, and one that refuses a text."""
    pictures = draw(program, folder / "labels", labels)
    for number, picture in enumerate(extra):
        (pictures / f"z{number:03}-{picture.name}").symlink_to(picture)
    for role, token in TOKENS.items():
        (folder / f"{role}.token").write_text(token + "\n")
    till, erp, port = Receiver(program, folder / "till"), RefusingReceiver(), free_port()
    text = CONFIGURATION.format(
        pictures=pictures, folder=folder, port=port, till=till.url, erp=erp.url, frame_rate=frame_rate,
        effort=effort)
    return Lab(Station(program, folder, text, port), till, erp)


def stop_lab(lab):
    for part in lab:
        part.stop()
