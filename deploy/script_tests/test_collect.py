"""reticle collect: scans from a broker into PostgreSQL, each once, also if programs end in between."""
import json
import os
import signal
import subprocess
import sys
import time
import uuid

import pyarrow.parquet
import pytest
from databases import Database
from test_fleet import FLEET, PROGRAM, Fleet, until


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    fleet = Fleet(tmp_path_factory.mktemp("collect") / "fleet")
    fleet.add("till-1")
    yield fleet
    assert fleet.stop() == 0


@pytest.fixture(scope="module")
def database():
    database = Database()
    yield database
    database.remove()


class Collector:
    def __init__(self, fleet, database, log, *options, address=None):
        self.log = open(log, "a+")
        self.process = subprocess.Popen(
            [PROGRAM, "collect", "--broker", f"mqtts://localhost:{fleet.broker_port}", "--ca-file", fleet.folder / "fleet.crt",
             "--credentials-file", fleet.folder / "collector.credentials", "--database", address or database.address, *options],
            stdout=self.log, stderr=subprocess.STDOUT)

    def words(self):
        self.log.seek(0)
        return self.log.read()

    def says(self, text):
        until(lambda: text in self.words(), 30)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(30)


def new_id(seconds=None):
    """A UUID of version 7."""
    milliseconds = int((time.time() if seconds is None else seconds) * 1000)
    bits = milliseconds << 80 | int.from_bytes(os.urandom(10), "big")
    return str(uuid.UUID(int=bits & ~(0xF << 76) & ~(0x3 << 62) | 7 << 76 | 2 << 62))


def record(text, scan_id=None, **members):
    return {
        "id": scan_id or new_id(), "captured": "2026-11-29T09:30:00.125Z", "symbology": "code128", "text": text, "sequence": 1,
        "station": "another", "schema": 1,
    } | members


def publish(fleet, messages, topic="reticle/till-1/scan"):
    """Publishes each message with QoS 1; on return, the broker has them."""
    for payload in messages:
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        outcome = subprocess.run(
            fleet.client("mosquitto_pub", fleet.credentials("till-1"), "-q", "1", "-t", topic, "-s"), input=body, timeout=30)
        assert outcome.returncode == 0


def count(database, where="true"):
    return int(database.rows(f"SELECT count(*) FROM scans WHERE {where}")[0][0])


def test_each_scan_is_stored_once_with_its_values(fleet, database, tmp_path):
    collector = Collector(fleet, database, tmp_path / "log")
    collector.says("collecting")
    first = record("4006381333931", noRead=None)
    odd = record("a\tb\\c\nd\r|e\u0000f€")
    publish(fleet, [first, first, odd])
    publish(fleet, [record("", noRead="no symbol", symbology="none")], topic="reticle/till-1/no-read")
    until(lambda: count(database) == 3)
    rows = database.rows(f"SELECT station, symbology, text, sequence, captured AT TIME ZONE 'UTC' FROM scans WHERE id = '{first['id']}'")
    assert rows == [["till-1", "code128", "4006381333931", "1", "2026-11-29 09:30:00.125"]]
    text, exact = database.rows(f"SELECT encode(convert_to(text, 'UTF8'), 'hex'), encode(convert_to(record::text, 'UTF8'), 'hex') FROM scans WHERE id = '{odd['id']}'")[0]
    assert bytes.fromhex(text).decode() == "a\tb\\c\nd\r|e\u2400f€"
    assert json.loads(bytes.fromhex(exact)) == odd
    assert count(database, "no_read = 'no symbol'") == 1
    assert collector.end() == 0
    assert "stored 3, repeated 1, refused 0" in collector.words()


def test_what_is_no_scan_is_kept_apart_with_the_reason(fleet, database, tmp_path):
    collector = Collector(fleet, database, tmp_path / "log")
    collector.says("collecting")
    before = count(database)
    good = [record(f"good {number}") for number in range(3)]
    # The last one is right in form; PostgreSQL does not know its date.
    publish(fleet, [good[0], b"{", b"\xff\x00", record("x", "not-an-id"), good[1], record("x", captured="2026-13-45T00:00:00Z"), good[2]])
    until(lambda: count(database) == before + 3 and len(database.rows("SELECT 1 FROM scans_refused")) == 4)
    reasons = {row[0] for row in database.rows("SELECT reason FROM scans_refused")}
    assert {"it is not UTF-8", "it is not a record of a scan", "its id is not a UUID of version 7"} < reasons
    assert any("2026-13-45" in reason for reason in reasons)
    # The same once more changes nothing.
    publish(fleet, [b"{", good[1]])
    publish(fleet, [record("after")])
    until(lambda: count(database) == before + 4)
    assert len(database.rows("SELECT 1 FROM scans_refused")) == 4
    assert collector.end() == 0


def test_days_have_partitions_and_wrong_clocks_share_one(fleet, database, tmp_path):
    collector = Collector(fleet, database, tmp_path / "log")
    collector.says("collecting")
    today = record("today")
    publish(fleet, [today, record("long ago", new_id(86400)), record("in ten years", new_id(time.time() + 3650 * 86400))])
    until(lambda: count(database, "text IN ('today', 'long ago', 'in ten years')") == 3)
    name = time.strftime("scans_%Y_%m_%d", time.gmtime(int(today["id"].replace("-", "")[:12], 16) / 1000))
    partitions = dict(database.rows("SELECT text, tableoid::regclass FROM scans WHERE text IN ('today', 'long ago', 'in ten years')"))
    assert partitions == {"today": name, "long ago": "scans_other", "in ten years": "scans_other"}
    assert collector.end() == 0


def test_nothing_is_lost_or_doubled_when_collector_database_and_broker_end(fleet, database, tmp_path):
    texts = [f"lasting {number}" for number in range(240)]
    collector = Collector(fleet, database, tmp_path / "log")
    collector.says("collecting")
    sender = subprocess.Popen(
        fleet.client("mosquitto_pub", fleet.credentials("till-1"), "-q", "1", "-t", "reticle/till-1/scan", "-l"), stdin=subprocess.PIPE)
    for number, text in enumerate(texts):
        sender.stdin.write(json.dumps(record(text)).encode() + b"\n")
        sender.stdin.flush()
        time.sleep(0.02)
        if number % 60 == 20:
            collector.end(signal.SIGKILL)
            collector = Collector(fleet, database, tmp_path / "log")
        if number == 100:
            database.stop("immediate")
        if number == 150:
            database.start()
    sender.stdin.close()
    assert sender.wait(30) == 0
    until(lambda: count(database, "text LIKE 'lasting %'") == len(texts), 60)
    assert database.rows("SELECT count(DISTINCT text) FROM scans WHERE text LIKE 'lasting %'") == [[str(len(texts))]]
    assert collector.end() == 0
    assert "waiting: the database" in collector.words()
    # While no collector runs, the broker keeps the scans, through its own restart, too.
    publish(fleet, [record(f"kept {number}") for number in range(5)])
    assert fleet.stop() == 0
    fleet.start()
    collector = Collector(fleet, database, tmp_path / "log")
    until(lambda: count(database, "text LIKE 'kept %'") == 5)
    assert collector.end() == 0


def test_scans_whose_commit_fails_come_again(fleet, database, tmp_path):
    collector = Collector(fleet, database, tmp_path / "log")
    collector.says("collecting")
    # The commit waits for a lock until the server crashes.
    holder = subprocess.Popen(
        ["psql", "--no-psqlrc", "--quiet", f"--dbname={database.address}", "--command=BEGIN; LOCK TABLE scans; SELECT pg_sleep(60)"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: database.rows("SELECT count(*) FROM pg_locks WHERE relation = 'scans'::regclass AND granted") == [["1"]])
    publish(fleet, [record(f"in hand {number}") for number in range(3)])
    until(lambda: database.rows("SELECT count(*) FROM pg_locks WHERE relation = 'scans'::regclass AND NOT granted") == [["1"]])
    database.stop("immediate")
    holder.wait(30)
    database.start()
    until(lambda: count(database, "text LIKE 'in hand %'") == 3)
    assert collector.end() == 0


def test_two_collectors_share_the_work(fleet, database, tmp_path):
    topic = ["--topic", "$share/store/reticle/+/scan"]
    collectors = [Collector(fleet, database, tmp_path / f"log-{name}", *topic, "--client-id", name) for name in ("one", "two")]
    for collector in collectors:
        collector.says("collecting")
    publish(fleet, [record(f"shared {number}") for number in range(20)])
    until(lambda: count(database, "text LIKE 'shared %'") == 20)
    assert [collector.end() for collector in collectors] == [0, 0]
    assert all("repeated 0, refused 0" in collector.words() for collector in collectors)


@pytest.mark.parametrize("arguments, status, complaint", [
    (["--broker", "broker.example"], 64, "--broker is not an address"),
    (["--broker", "mqtt://localhost", "--ca-file", "/nowhere"], 64, "certificates are set for mqtt://"),
])
def test_wrong_input_gets_one_clear_error(arguments, status, complaint):
    outcome = subprocess.run([PROGRAM, "collect", *arguments], capture_output=True, text=True, timeout=30)
    assert outcome.returncode == status and complaint in outcome.stderr


@pytest.mark.parametrize("address, complaint", [("postgresql:///reticle?host=/nowhere", "waiting: the database: psql: error")])
def test_a_database_that_is_not_there_is_named_and_tried_again(fleet, database, tmp_path, address, complaint):
    collector = Collector(fleet, database, tmp_path / "log", "--client-id", "another", address=address)
    collector.says(complaint)
    time.sleep(2)
    assert collector.words().count("waiting:") == 1 and collector.process.poll() is None
    assert collector.end() == 0


def test_parquet_files_have_each_scan_of_the_table(fleet, database, tmp_path):
    def export():
        outcome = subprocess.run(
            [sys.executable, FLEET / "parquet", "--database", database.address, tmp_path / "files"], capture_output=True, text=True, timeout=60)
        assert outcome.returncode == 0, outcome.stderr
        return outcome.stdout

    collector = Collector(fleet, database, tmp_path / "log")
    collector.says("collecting")
    odd = record('quoted "text",\nsecond line')
    publish(fleet, [odd])
    until(lambda: count(database, f"id = '{odd['id']}'") == 1)
    assert "scans.parquet: " in export()
    table = pyarrow.parquet.read_table(tmp_path / "files")
    rows = {row["id"]: row for row in table.to_pylist()}
    assert len(rows) == table.num_rows == count(database)
    assert rows[odd["id"]]["text"] == odd["text"] and json.loads(rows[odd["id"]]["record"]) == odd
    assert rows[odd["id"]]["captured"].isoformat() == "2026-11-29T09:30:00.125000+00:00"
    assert rows[odd["id"]]["no_read"] is None and {row["text"] for row in rows.values() if row["no_read"]} == {""}
    # Nothing is new: nothing is written. A late scan writes its day alone.
    assert export() == ""
    publish(fleet, [record("late", new_id(time.time() - 3 * 86400))])
    until(lambda: count(database, "text = 'late'") == 1)
    assert export().count("scans.parquet: 1 scans") == 1
    assert collector.end() == 0
