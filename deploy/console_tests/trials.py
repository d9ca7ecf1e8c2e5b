"""Changes of the configuration: on trial, kept, taken back; its history."""
import re
import time

from playwright.sync_api import expect

from flows import named
from pages import open_view, wait_for_pictures
from stations import eventually

# A trial lasts 30 s at most; this is what the machine may take besides.
TRIAL_SECONDS = 45
# Browsers log what is lost while the station starts over.
LOSSES = ("net::ERR_", "503", "ERR_CONNECTION", "ERR_INCOMPLETE")


def open_form(page, section):
    open_view(page, "configuration", ".sections")
    page.locator(".sections summary", has_text=section).first.click()


def field(page, name):
    return page.locator(f'.key[data-name="{name}"] .entry > *')


def save(page):
    button = page.locator(".pending button", has_text="Save")
    expect(button).to_be_enabled()
    button.click()
    expect(page.locator(".trial")).to_contain_text("tries the new configuration")


def wait_until_kept(page):
    expect(page.locator(".trial")).to_contain_text("is kept", timeout=TRIAL_SECONDS * 1000)
    named(page.locator(".trial"), "button", "Close").click()


def edit_a_sink(lab, browser):
    before = lab.station.text
    with browser.console(lab.station.url, "configure") as page:
        page.guard.expect(*LOSSES)
        open_view(page, "sinks", "article")
        named(page, "link", "Edit: till").click()
        field(page, "sinks.0.webhook.url").fill("ftp://nowhere")
        row = page.locator('.key[data-name="sinks.0.webhook.url"]')
        expect(row.locator(".problem")).not_to_be_empty()
        expect(field(page, "sinks.0.webhook.url")).to_have_attribute("aria-invalid", "true")
        expect(page.locator(".pending")).to_contain_text("sinks.0.webhook.url")
        expect(page.locator(".pending button", has_text="Save")).to_be_disabled()
        assert lab.station.text == before, "the file changed before it was saved"
        wanted = lab.till.url + "?from=till-3"
        field(page, "sinks.0.webhook.url").fill(wanted)
        save(page)
        wait_until_kept(page)
    after = lab.station.text
    assert wanted in after, after
    for comment in re.findall("#.*", before):
        assert comment in after, f"the comment is gone: {comment}"
    assert after.replace(f'"{wanted}"', lab.till.url) == before, after


def drag_the_viewport(lab, browser):
    with browser.console(lab.station.url, "configure") as page:
        page.guard.expect(*LOSSES)
        wait_for_pictures(page, 3)
        named(page, "button", "Change viewport").click()
        edges = page.locator(".frame").bounding_box()
        page.mouse.move(edges["x"] + edges["width"] * 0.2, edges["y"] + edges["height"] * 0.2)
        handle = page.locator('.viewport [data-handle="se"]').bounding_box()
        page.mouse.move(handle["x"] + handle["width"] / 2 - 2, handle["y"] + handle["height"] / 2 - 2)
        page.mouse.down()
        page.mouse.move(edges["x"] + edges["width"] * 0.75, edges["y"] + edges["height"] * 0.8, steps=8)
        page.mouse.up()
        page.keyboard.press("ArrowRight")
        wanted = [float(page.get_by_label(side, exact=False).input_value()) for side in ("Left", "Top", "Width", "Height")]
        assert 0.5 <= wanted[0] <= 1.5 and 70 < wanted[2] < 80 and 75 < wanted[3] < 85, wanted
        named(page.locator(".tools"), "button", "Save").click()
        wait_until_kept(page)
        (line,) = re.findall(r"(?m)^viewport: \[(.*)\]", lab.station.text)
        assert [round(float(part) * 100, 1) for part in line.split(",")] == wanted, line


def undo_a_change(lab, browser):
    before = lab.station.text
    with browser.console(lab.station.url, "configure") as page:
        page.guard.expect(*LOSSES)
        open_form(page, "camera")
        field(page, "camera.frame_rate").fill("7")
        save(page)
        eventually(lambda: "frame_rate: 7" in lab.station.text, 5, "the file has the new value")
        named(page, "button", "Undo now").click()
        expect(page.locator(".trial")).to_contain_text("went back", timeout=TRIAL_SECONDS * 1000)
        assert lab.station.text == before
        assert "# as fast as the belt needs" in before


def compare_former_texts(lab, browser):
    if not lab.station.get("/api/configuration/history")["revisions"]:
        drag_the_viewport(lab, browser)
    with browser.console(lab.station.url, "configure") as page:
        page.guard.expect(*LOSSES)
        open_view(page, "configuration", ".sections")
        named(page, "button", "History").click()
        expect(page.locator(".lines li")).not_to_have_count(0)
        named(page, "button", "Show difference").click()
        expect(page.locator(".difference")).to_contain_text("viewport: [")
        named(page, "button", "Text").click()
        with page.expect_download() as download:
            named(page, "link", "Download").click()
        with open(download.value.path(), encoding="utf-8") as file:
            downloaded = file.read()
        assert "# the cash desk" in downloaded and lab.till.url not in downloaded, "comments go along, secrets do not"
        changed = lab.station.folder / "changed.yaml"
        changed.write_text(lab.station.text.replace("frame_rate: 10", "frame_rate: fast"))
        page.locator("input[type=file]").set_input_files(changed)
        expect(page.locator("ul[aria-live] li.problem")).to_contain_text("frame_rate")
        expect(page.locator(".pending button", has_text="Save")).to_be_disabled()
        changed.write_text(lab.station.text.replace("frame_rate: 10", "frame_rate: 9"))
        page.locator("input[type=file]").set_input_files(changed)
        expect(page.locator(".pending")).to_contain_text("no problems")
        named(page, "button", "Review").click()
        expect(page.locator("dialog .difference")).to_contain_text("frame_rate: 9")
        page.keyboard.press("Escape")
        named(page, "button", "Discard").click()
        page.locator("dialog button.danger").click()
        expect(page.locator(".pending")).to_be_hidden()
        assert "frame_rate: 9" not in lab.station.text


def lose_the_browser(lab, browser):
    """Nobody can reach the console any more, such as after a change of its address: the former text comes back."""
    before, start = lab.station.text, time.monotonic()
    with browser.console(lab.station.url, "configure") as page:
        page.guard.expect(*LOSSES)
        open_form(page, "camera")
        field(page, "camera.frame_rate").fill("6")
        page.context.route("**/api/configuration/trial", lambda route: route.abort())
        save(page)
        eventually(lambda: "frame_rate: 6" in lab.station.text, 5, "the file has the new value")
    eventually(lambda: lab.station.text == before, TRIAL_SECONDS, "the former text is back")
    assert time.monotonic() - start > 25, "the trial ended early"
    eventually(lambda: "did not reach the console" in lab.station.log.read_text(), 5, "the log says why")


def break_the_camera(lab, browser):
    before = lab.station.text
    with browser.console(lab.station.url, "configure") as page:
        page.guard.expect(*LOSSES)
        open_form(page, "camera")
        field(page, "camera.pictures").fill(str(lab.station.folder / "missing"))
        save(page)
        expect(page.locator(".trial")).to_contain_text("went back", timeout=TRIAL_SECONDS * 1000)
        expect(page.locator(".trial")).to_contain_text("missing")
    assert lab.station.text == before
    eventually(lambda: lab.station.get("/api/status")["ready"], 10, "the station is well again")


KEPT = [edit_a_sink, drag_the_viewport, compare_former_texts]
TAKEN_BACK = [undo_a_change, break_the_camera, lose_the_browser]
