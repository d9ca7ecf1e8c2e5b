"""The first start: a station without a configuration is set up in a browser, until a scan is delivered."""
import re
import socket
import time

from playwright.sync_api import expect

from judgements import faults_of
from pages import ELSEWHERE, PHONE, wait_for_pictures
from stations import FIRST_START_PORT, Receiver, Station, draw, eventually, own_address
from trials import LOSSES

SECONDS_MAX = 120
# It stays in view: what was scanned before there was a sink is scanned for the first one.
LABELS = [("label", "GATE-0007", "code128")]


def unconfigured_station(program, folder):
    with socket.socket() as probe:
        in_use = probe.connect_ex(("127.0.0.1", FIRST_START_PORT)) == 0
    assert not in_use, f"port {FIRST_START_PORT} is in use: stop the station that uses it"
    pictures = draw(program, folder / "labels", LABELS)
    return Station(
        program, folder, None, FIRST_START_PORT, options=["--set-up", "--pictures", pictures],
        environment={"RETICLE_OUTBOX_PATH": str(folder / "outbox.sqlite")})


def go_through_the_wizard(page, station, receiver, look):
    """Sets the station up; returns the token and the seconds until the first scan was delivered."""
    start = time.monotonic()
    following = page.locator(".view button.main")
    page.get_by_label("Name of the station").fill("gate-7")
    look("name")
    following.click()
    wait_for_pictures(page, 1)
    expect(page.locator(".view")).to_contain_text("The camera works")
    look("camera")
    following.click()
    expect(page.locator(".viewport")).to_be_visible()
    look("viewport")
    following.click()
    page.get_by_label("url").fill("nonsense")
    following.click()
    expect(page.locator(".view [role=alert]")).not_to_be_empty()
    look("sink")
    page.get_by_label("url").fill(receiver.url)
    following.click()
    expect(page.locator(".view dl")).to_contain_text("gate-7")
    look("review")
    following.click()
    expect(page.locator(".view .verdict")).to_contain_text("delivered to webhook", timeout=SECONDS_MAX * 1000)
    look("done")
    seconds = time.monotonic() - start
    assert "GATE-0007" in receiver.text, receiver.text
    assert seconds < SECONDS_MAX, f"{seconds:.0f} s"
    expect(page.locator(".trial")).to_contain_text("is kept", timeout=45_000)
    text = station.text
    assert "name: gate-7" in text and receiver.url in text, text
    token = page.locator(".view code").last.inner_text()
    assert token == (station.folder / "console.token").read_text().strip()
    return token, seconds


def judge_steps(page, folder, name):
    """Judges the accessibility of each step, and takes its picture if a folder is given."""
    def look(step):
        faults = faults_of(page, f"setup, {step}")
        assert not faults, faults
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=folder / f"setup-{step}-{name}-light.png")
    return look


def visit_afterwards(browser, url, token):
    with browser.console(url) as page:
        page.locator("input[type=password]").fill(token)
        page.keyboard.press("Enter")
        expect(page.locator("nav")).to_be_visible()
        expect(page.locator("header .name")).to_have_text("gate-7")


def set_up_on_this_machine(program, folder, browser, screenshots=None):
    station, receiver = unconfigured_station(program, folder), Receiver(program, folder / "host")
    try:
        with browser.console(f"http://localhost:{FIRST_START_PORT}") as page:
            page.guard.expect(*LOSSES)
            look = judge_steps(page, screenshots, "desktop")
            token, seconds = go_through_the_wizard(page, station, receiver, look)
        visit_afterwards(browser, f"http://localhost:{FIRST_START_PORT}", token)
        return f"{seconds:.0f} s until the first scan was delivered"
    finally:
        station.stop()
        receiver.stop()


def set_up_from_elsewhere(program, folder, browser, screenshots=None):
    """As from another machine: the address is none of the loopback network, so the code of the log is needed."""
    station, receiver = unconfigured_station(program, folder), Receiver(program, folder / "host")
    try:
        url = f"http://{own_address() or ELSEWHERE}:{FIRST_START_PORT}"
        code = eventually(lambda: re.search(r"code=([A-Z0-9-]+)", station.log.read_text()), 5, "a code in the log").group(1)
        with browser.console(url, size=PHONE) as page:
            page.guard.expect(*LOSSES)
            page.locator("input[type=password]").fill(code.lower().replace("-", " "))
            page.keyboard.press("Enter")
            look = judge_steps(page, screenshots, "phone")
            token, seconds = go_through_the_wizard(page, station, receiver, look)
        with browser.console(url) as page:
            page.guard.expect("401")
            page.locator("input[type=password]").fill(code)
            page.keyboard.press("Enter")
            expect(page.locator("[role=alert]")).to_contain_text("wrong")
        visit_afterwards(browser, url, token)
        return f"{seconds:.0f} s until the first scan was delivered"
    finally:
        station.stop()
        receiver.stop()


FLOWS = [set_up_on_this_machine, set_up_from_elsewhere]
