"""deploy/month: that its judge sees what a station could do wrong, by records made by hand; and days of it in the device lab."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

DEPLOY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("RETICLE_SHARED", DEPLOY.parent.parent / "shared"))
sys.path.insert(0, str(DEPLOY / "simulated_month"))
import schedule
from judge import judge

PLAN = {"seed": 1, "end": schedule.end(1)}
# When the first label is shown, and how many follow, one every 10 s.
BEGIN, LABELS = 1000, 8
KEEPERS = ("till", "belt", "ledger", "shop")


def at(t, kind, **fields):
    return {"t": t, "kind": kind, **fields}


def label(number):
    """What a station without faults does with a label: it is shown, the lamp lights, and it arrives everywhere, and is typed."""
    t, text, id = BEGIN + 10 * number, f"ART-{number}", f"id-{number}"
    scan = {"id": id, "text": text, "took": True, "told": True}
    web = {"sequence": number, "bootId": "boot", "captured": t + 0.3, "status": 200}
    return [
        at(t, "shown", n=number, text=text, place=number), at(t + 0.4, "beep"),
        *(at(t + 0.5, "arrival", sink=sink, **scan, **(web if sink in ("ledger", "shop") else {})) for sink in KEEPERS),
        at(t + 0.6, "typed", text=text), at(t + 1, "hidden", n=number),
    ]


@pytest.fixture
def day():
    """The record of a day on which nothing went wrong."""
    records = [at(0, "boot", boot="boot", offset=0), at(0, "station started", pid=1)]
    for number in range(LABELS):
        records += label(number)
    records += [
        at(2000 + 5 * look, "measure", pid=1, age=2000, files=60, kilobytes=60000, outbox=100000, open=True) for look in range(200)]
    records += [
        at(4000, "state", what="camera, in order", expected="available", seen="available"),
        at(5000, "glances", counts=[{"reason": "may be lit", "lit": True, "count": 9}]), at(5001, "end", waiting=0)]
    return records


def kinds(records):
    """The kinds of failures that the judge finds in a record."""
    records = sorted(records, key=lambda record: record["t"])
    return {text.split(":")[0] for _, text in judge(PLAN, records)[2]}


def arrival(records, sink, number):
    return next(record for record in records if record["kind"] == "arrival" and (record["sink"], record["id"]) == (sink, f"id-{number}"))


def without(records, kind, number):
    """The record without a label's records of a kind."""
    text, begin = f"ART-{number}", BEGIN + 10 * number
    return [
        record for record in records
        if not (record["kind"] == kind and (record.get("text") == text or kind == "beep" and begin <= record["t"] < begin + 10))]


def test_a_day_without_faults_passes(day):
    assert kinds(day) == set()
    counts, rows, _ = judge(PLAN, day)
    assert (counts["labels shown"], counts["scans"], counts["arrivals"]) == (LABELS, LABELS, 4 * LABELS)
    assert rows == [(0, LABELS, LABELS, 4 * LABELS, 0, 0)]


@pytest.mark.parametrize("sink", KEEPERS)
def test_an_id_that_a_receiver_never_took_is_lost(day, sink):
    day.remove(arrival(day, sink, 3))
    assert kinds(day) == {"lost"}


def test_a_scan_that_a_receiver_refused_for_good_is_lost(day):
    arrival(day, "shop", 3)["took"] = False
    assert kinds(day) == {"lost"}


def test_a_scan_that_the_lamp_promised_and_that_came_nowhere_is_lost(day):
    assert kinds(without(without(day, "arrival", 3), "typed", 3)) == {"lost"}


def test_a_text_that_was_not_typed_is_lost(day):
    assert kinds(without(day, "typed", 3)) == {"lost"}


def test_a_label_that_was_shown_once_is_not_two_scans(day):
    for record in label(3):
        if record["kind"] in ("arrival", "typed"):
            day.append({**record, "t": record["t"] + 0.2, **({"id": "another"} if "id" in record else {})})
    assert kinds(day) == {"doubled"}


def test_the_lamp_lights_once_for_a_label(day):
    day.append(at(BEGIN + 30.9, "beep"))
    assert kinds(day) == {"doubled"}


def test_a_scan_comes_again_only_with_a_cause(day):
    again = {**arrival(day, "belt", 3), "t": BEGIN + 36}
    assert kinds([*day, again]) == {"repeated without cause"}
    death = [at(BEGIN + 32, "station ended", status=-9, cause="killed"), at(BEGIN + 33, "station started", pid=2)]
    assert kinds([*day, again, *death]) == set()
    arrival(day, "belt", 3)["told"] = False
    assert kinds([*day, again]) == set()


def test_a_fault_of_another_receiver_is_no_cause_for_a_repeat(day):
    again = {**arrival(day, "belt", 3), "t": BEGIN + 36}

    def fault(name):
        return [at(BEGIN + 30, "fault", name=name, on=True, seconds=4), at(BEGIN + 34, "fault", name=name, on=False)]
    assert kinds([*day, again, *fault("ledger away")]) == {"repeated without cause"}
    assert kinds([*day, again, *fault("belt away")]) == set()


def test_order_is_kept_at_each_receiver_that_promises_it(day):
    first, second = arrival(day, "till", 3), arrival(day, "till", 4)
    first["t"], second["t"] = second["t"], first["t"]
    assert kinds(day) == {"out of order"}


def test_texts_are_typed_in_order(day):
    typed = [record for record in day if record["kind"] == "typed"]
    typed[3]["text"], typed[4]["text"] = typed[4]["text"], typed[3]["text"]
    assert kinds(day) == {"lost", "invented"}


def test_a_text_is_typed_again_only_after_a_death_and_behind_its_part(day):
    again = at(BEGIN + 39, "typed", text="ART-3")
    death = [at(BEGIN + 37, "station ended", status=-9, cause="killed"), at(BEGIN + 38, "station started", pid=2)]
    assert kinds([*day, again]) == {"invented"}
    assert kinds([*day, again, *death]) == set()
    again["text"] = "ARART-3"
    assert kinds([*day, again, *death]) == set()


def test_scans_that_nobody_showed_are_invented(day):
    arrivals = [{**record, "text": "ART-99"} if record.get("id") == "id-3" else record for record in without(day, "typed", 3)]
    arrivals.append(at(BEGIN + 30.6, "typed", text="ART-99"))
    assert kinds(arrivals) == {"invented", "lost"}


def test_a_text_that_differs_between_receivers_is_changed(day):
    arrival(day, "till", 3)["text"] = "ART-8"
    assert "changed" in kinds(day)


def test_a_label_that_was_not_read_needs_a_fault(day):
    missed = without(without(without(day, "arrival", 3), "typed", 3), "beep", 3)
    assert kinds(missed) == {"missed"}
    fault = [at(BEGIN + 20, "fault", name="camera frozen", on=True, seconds=5), at(BEGIN + 25, "fault", name="camera frozen", on=False)]
    assert kinds([*missed, *fault]) == set()
    other = [{**record, "name": "till silent"} for record in fault]
    assert kinds([*missed, *other]) == {"missed"}


def test_a_stored_scan_lights_the_lamp(day):
    assert kinds(without(day, "beep", 3)) == {"not signalled"}


@pytest.mark.parametrize("record, kind", [
    (at(4500, "torch", reason="the station is dead"), "torch lit"),
    (at(4500, "state", what="camera, lost", expected="unavailable", seen="available"), "wrong state"),
    (at(4500, "station ended", status=-11, cause=None), "ended unasked"),
    (at(4500, "measure", pid=1, age=3000, files=60, kilobytes=60000, outbox=1 << 30, open=True), "outbox too large"),
    (at(4500, "keys dropped"), "desk too slow"),
])
def test_what_the_observer_saw_is_judged(day, record, kind):
    assert kinds([*day, record]) == {kind}


@pytest.mark.parametrize("name, growth, kind", [("kilobytes", 40, "memory grows"), ("files", 1, "open files grow")])
def test_what_grows_with_time_is_seen(day, name, growth, kind):
    for look, record in enumerate([record for record in day if record["kind"] == "measure"]):
        record[name] += growth * look
    assert kinds(day) == {kind}


def test_a_torch_that_never_lights_and_a_record_without_end_prove_nothing(day):
    assert kinds([record for record in day if record["kind"] != "glances"]) == {"torch never lit"}
    assert kinds([record for record in day if record["kind"] != "end"]) == {"unfinished"}
    day[-1]["waiting"] = 2
    assert kinds(day) == {"left over"}


def test_faults_come_from_the_seed_at_their_rates():
    month = schedule.faults(1, 300)
    assert month == schedule.faults(1, 300) and month != schedule.faults(2, 300)
    for name, rate in schedule.RATES.items():
        drawn = sum(fault["name"] == name for fault in month)
        assert 0.8 * rate <= drawn / 300 <= 1.2 * rate, name


def test_a_power_cut_is_found_by_its_time_even_if_sleep_ended_early():
    faults = [{"t": 10, "name": "power cut", "off": 1}, {"t": 15}, {"t": 20.01, "name": "switched off", "off": 2}]
    assert [schedule.cut(faults, t)["off"] for t in (10, 10.002, 20.003)] == [1, 1, 2]


DAYS = int(float(os.environ.get("RETICLE_DEPTH", 1)))


@pytest.mark.skipif(not os.access(SHARED / "lab/lab", os.X_OK), reason="the device lab is neither in RETICLE_SHARED nor next to the checkout")
def test_days_in_the_lab_pass():
    words = [sys.executable, DEPLOY / "month", "--days", str(DAYS), "--lab", SHARED / "lab"]
    if "RETICLE_PROGRAM" in os.environ:
        words += ["--program", os.environ["RETICLE_PROGRAM"]]
    run = subprocess.run(words, capture_output=True, text=True)
    print(run.stdout)
    assert run.returncode == 0, run.stdout + run.stderr
