"""What people do with the console of a running station. Each flow ends in a look at what really happened."""
import contextlib
import csv
import re
import shutil

from playwright.sync_api import Error, expect

from pages import PHONE, VIEWS, log_in, open_view, picture_count, wait_for_pictures
from stations import NASTY_TEXT, REFUSED_TEXT, TOKENS, eventually

PICTURES_PER_SECOND_MIN = 8
OUTLINE = (61, 220, 132)

COUNT_OUTLINE_PIXELS = """
([red, green, blue]) => {
  const canvas = document.querySelector('canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] === red && data[i + 1] === green && data[i + 2] === blue) count += 1;
  }
  return count;
}
"""


def named(page, role, name, **options):
    return page.get_by_role(role, name=name, **options)


def log_in_with_wrong_and_right_token(lab, browser):
    with browser.console(lab.station.url) as page:
        page.guard.expect("401")
        page.locator("input[type=password]").fill("wrong-token-0123456789")
        page.keyboard.press("Enter")
        expect(page.locator("[role=alert]")).to_contain_text("token is wrong")
        assert not page.context.cookies(), "a wrong token opens no session"
        log_in(page, TOKENS["configure"])
        (cookie,) = page.context.cookies()
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
        page.reload()
        expect(page.locator("nav")).to_be_visible()
        page.locator(".settings summary").click()
        named(page, "button", "Log out").click()
        expect(page.locator("input[type=password]")).to_be_visible()
        status = page.evaluate("fetch('/api/scans').then((answer) => answer.status)")
        assert status == 401, f"the session goes on after logging out: {status}"


def log_out_while_the_page_asks(lab, browser):
    """What the page still asks ends with the session: nothing is refused."""
    with browser.console(lab.station.url, "look") as page:
        held = []
        page.context.route("**/api/status", lambda route: held.append(route))
        with page.expect_request("**/api/status"):
            pass  # The page asks every 4 s.
        page.locator(".settings summary").click()
        named(page, "button", "Log out").click()
        expect(page.locator("input[type=password]")).to_be_visible()
        for route in held:
            with contextlib.suppress(Error):  # Given up already.
                route.continue_()
        page.context.unroute("**/api/status")
        # Longer than the page waits until it asks again.
        page.wait_for_timeout(5000)
        log_in(page, TOKENS["look"])
        wait_for_pictures(page, 3)
        expect(page.locator("header [role=status]")).to_contain_text("Ready")


def look_without_operating(lab, browser):
    with browser.console(lab.station.url, "look") as page:
        expect(page.locator("nav a")).to_have_count(5)
        expect(page.locator(".commands")).to_have_count(0)
        open_view(page, "sinks", "article")
        expect(page.locator(".view button")).to_have_count(0)
        open_view(page, "live")
        expect(page.locator(".tools")).to_have_count(0)
        page.guard.expect("403")
        status = page.evaluate("""async () => {
          const { csrf } = await (await fetch('/api/session')).json();
          const headers = { 'X-Reticle-CSRF': csrf, 'Content-Type': 'application/json' };
          return (await fetch('/api/commands/disable', { method: 'POST', headers, body: '{}' })).status;
        }""")
        assert status == 403, f"the role look gives commands: {status}"


def operate_without_configuring(lab, browser):
    with browser.console(lab.station.url, "operate") as page:
        expect(named(page, "button", "Pause")).to_be_visible()
        expect(page.locator('nav a[href="#configuration"]')).to_have_count(0)
        open_view(page, "sinks", "article")
        expect(named(page, "button", "Test: till")).to_be_visible()
        expect(named(page, "button", "Give up", exact=False)).to_have_count(0)
        expect(named(page, "link", "Edit", exact=False)).to_have_count(0)


def watch_live_pictures(lab, browser):
    with browser.console(lab.station.url, "look") as page:
        wait_for_pictures(page, 5)
        count, start = picture_count(page), page.evaluate("performance.now()")
        wait_for_pictures(page, count + 30)
        rate = (picture_count(page) - count) * 1000 / (page.evaluate("performance.now()") - start)
        assert rate >= PICTURES_PER_SECOND_MIN, f"{rate:.1f} pictures per second"
        expect(page.locator(".found")).to_contain_text(re.compile("SHELF-0042|4006381333931|https://example.org/reticle"))
        page.wait_for_function(f"colour => ({COUNT_OUTLINE_PIXELS})(colour) > 200", arg=list(OUTLINE))
        expect(page.locator(".recent")).to_contain_text("SHELF-0042")
        return f"{rate:.1f} pictures per second"


def aim_the_camera(lab, browser):
    with browser.console(lab.station.url, "look") as page:
        open_view(page, "aim")
        figure = page.locator("output.huge")
        expect(figure).not_to_have_text("–")
        before = figure.inner_text()
        expect(figure).not_to_have_text(before)
        page.wait_for_function("() => document.querySelector('.curve').points.numberOfItems > 5")
        expect(page.locator(".bar").nth(1)).to_be_attached()
        page.locator("input[type=number]").fill("0.25")
        with page.expect_popup() as popup:
            named(page, "link", "Test card", exact=False).click()
        expect(popup.value.locator("svg")).to_contain_text("Test card")


def find_a_scan(lab, browser):
    with browser.console(lab.station.url, "look") as page:
        open_view(page, "scans", "tbody tr")
        page.get_by_label("Search scans").fill("shelf")
        rows = page.locator(".view tbody tr")
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text("till: delivered")
        with page.expect_download() as download:
            named(page, "link", "Download CSV").click()
        with open(download.value.path(), newline="", encoding="utf-8") as file:
            (scan,) = csv.DictReader(file)
        assert scan["text"] == "SHELF-0042" and "till=delivered" in scan["deliveries"], scan
        named(page, "button", "SHELF-0042").click()
        drawer = page.locator("dialog.drawer")
        expect(drawer).to_contain_text("S-0042")
        page.wait_for_function("() => document.querySelector('.drawer img')?.naturalWidth > 0")
        page.keyboard.press("Escape")
        expect(named(page, "button", "SHELF-0042")).to_be_focused()


def show_hostile_content_as_text(lab, browser):
    with browser.console(lab.station.url, "look") as page:
        page.on("dialog", lambda dialog: page.guard.faults.append("a label's script ran"))
        open_view(page, "scans", "tbody tr")
        row = page.locator(".view tbody tr", has_text="<script>")
        expect(row).to_contain_text("<script>alert(1)</script>\"'&")
        marks = row.locator(".control")
        expect(marks).to_have_text(["RLO", "BEL"])
        assert page.locator(".view script").count() == 0
        assert "\u202e" not in page.locator("body").inner_text(), "a label turns the page's direction"
        row.locator("button").click()
        expect(page.locator(".drawer .control").first).to_have_text("RLO")
        found = next(scan for scan in lab.station.get("/api/scans")["scans"] if "<script>" in scan["text"])
        assert found["text"] == NASTY_TEXT


def test_a_sink(lab, browser):
    with browser.console(lab.station.url, "operate") as page:
        open_view(page, "sinks", "article")
        named(page, "button", "Test: till").click()
        expect(page.locator("article", has_text="till").first).to_contain_text("Test scan delivered to till")
        assert "RETICLE TEST" in lab.till.text, lab.till.text
        assert not any("RETICLE TEST" in body for body in lab.erp.taken), "the other sink got the test scan"


def send_a_dead_letter_again(lab, browser):
    with browser.console(lab.station.url, "configure") as page:
        open_view(page, "sinks", "article")
        letter = page.locator(".view tbody tr", has_text=REFUSED_TEXT)
        expect(letter).to_contain_text("422")
        named(letter, "button", "Give up", exact=False).click()
        named(page, "button", "Cancel").last.click()
        expect(letter).to_be_visible()
        lab.erp.refuses = False
        named(letter, "button", "Retry", exact=False).click()
        eventually(lambda: any(REFUSED_TEXT in body for body in lab.erp.taken), 10, "the scan is delivered")
        expect(letter).to_have_count(0)
        assert lab.station.get("/api/dead-letters")["letters"] == []


def look_at_health(lab, browser):
    with browser.console(lab.station.url, "look") as page:
        open_view(page, "health", "svg.plot")
        areas = {finding["area"] for finding in lab.station.get("/api/health")["findings"]}
        passed = page.locator("details", has_text="passed").first
        passed.locator("summary").click()
        for area in areas:
            expect(page.locator(".finding .tag", has_text=area).first).to_be_visible()
        expect(page.locator(".bar.scans").first).to_be_attached()
        page.locator("summary", has_text="As a table").first.click()
        expect(page.locator("[role=table]").first).to_be_visible()


def try_rules(lab, browser):
    with browser.console(lab.station.url, "configure") as page:
        open_view(page, "rules", "form")
        page.get_by_label("Symbology").select_option("code128")
        page.get_by_label("Content").fill("SHELF-77")
        named(page, "button", "Test rules").click()
        expect(page.locator("table.result")).to_contain_text("S-77")
        expect(page.locator("tr.match")).to_have_count(1)
        scan = page.get_by_label("From the last scans")
        value = scan.locator("option", has_text="SHELF-0042").first.get_attribute("value")
        scan.select_option(value)
        named(page, "button", "Test rules").click()
        expect(page.locator("table.result")).to_contain_text("S-0042")
        page.get_by_label("Content").fill("")
        named(page, "button", "Test rules").click()
        expect(page.locator(".toast")).to_contain_text("Enter the content")


def give_commands(lab, browser):
    with browser.console(lab.station.url, "operate") as page:
        page.guard.expect("409")
        named(page, "button", "Pause").click()
        eventually(lambda: lab.station.get("/api/status")["session"] != "scanning", 5, "the station pauses")
        expect(page.locator("header .more")).to_have_text("paused")
        expect(page.locator("header [role=status]")).to_contain_text("Not ready")
        named(page, "button", "Resume").click()
        eventually(lambda: lab.station.get("/api/status")["session"] == "scanning", 5, "the station goes on")
        # The station has neither a torch nor a screen.
        expect(named(page, "button", "Torch", exact=False)).to_have_count(0)
        expect(named(page, "button", "Turn screen")).to_have_count(0)
        named(page, "button", "Cancel").click()
        eventually(lambda: lab.station.get("/api/status")["session"] != "scanning", 5, "the session ends")
        named(page, "button", "Open session").click()
        eventually(lambda: lab.station.get("/api/status")["session"] == "scanning", 5, "a session opens")
        named(page, "button", "Cancel").click()
        eventually(lambda: lab.station.get("/api/status")["session"] != "scanning", 5, "the session ends")
        named(page, "button", "Trigger").click()
        eventually(lambda: lab.station.get("/api/status")["session"] == "scanning", 5, "a trigger opens a session")
        named(page, "button", "Trigger").click()
        expect(page.locator(".toast .fault")).to_contain_text("there is nothing for trigger to do")


def change_language_and_colours(lab, browser):
    with browser.console(lab.station.url, "configure", language="de-DE", theme="dark") as page:
        expect(page.locator("html")).to_have_attribute("lang", "de")
        expect(page.locator("nav")).to_contain_text("Zustand")
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.locator(".settings summary").click()
        page.get_by_label("Farben").select_option("light")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark, "the colours stay"
        page.get_by_label("Sprache").select_option("en")
        expect(page.locator("nav")).to_contain_text("Health")
        page.reload()
        expect(page.locator("html")).to_have_attribute("lang", "en")
        expect(page.locator("html")).to_have_attribute("data-theme", "light")


def every_word_has_a_translation(lab, browser):
    with browser.console(lab.station.url, "configure") as page:
        missing = page.evaluate("""async () => {
          const files = ['api', 'app', 'configuration', 'health', 'live', 'scans', 'setup', 'sinks'];
          const texts = await Promise.all(files.map((file) => fetch(`/page/${file}.js`).then((answer) => answer.text())));
          const { isKnown } = await import('/page/words.js');
          const keys = texts.flatMap((text) => [...text.matchAll(/\\bt\\('([\\w.-]+)'/g)].map(([, key]) => key));
          return [...new Set(keys)].filter((key) => !isKnown(key));
        }""")
        assert not missing, f"words without a text: {missing}"


FOCUS = """
() => {
  const { activeElement: element } = document;
  if (element === document.body) return null;
  const style = getComputedStyle(element);
  const edges = element.getBoundingClientRect();
  return { name: `${element.tagName} ${element.textContent.trim().slice(0, 30)}`, top: edges.top,
    isVisible: edges.width > 0 && edges.height > 0 && edges.right > 0 && edges.bottom > 0,
    isMarked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 };
}
"""


def work_with_keys_alone(lab, browser):
    with browser.console(lab.station.url) as page:
        expect(page.locator("input[type=password]")).to_be_focused()
        page.keyboard.type(TOKENS["configure"])
        page.keyboard.press("Enter")
        expect(page.locator("nav")).to_be_visible()
        page.evaluate("document.activeElement.blur()")
        seen = []
        while len(seen) < 60:
            page.keyboard.press("Tab")
            focus = page.evaluate(FOCUS)
            if focus is None or (seen and focus["name"] == seen[0]):
                break
            assert focus["isVisible"], f"the focus is out of sight: {focus}"
            assert focus["isMarked"], f"the focus is not marked: {focus}"
            seen.append(focus["name"])
        places = [next(i for i, name in enumerate(seen) if word in name) for word in ("Skip", "Settings", "Live", "viewport")]
        assert places == sorted(places), f"the order is {seen}"
        page.locator('nav a[href="#scans"]').focus()
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_be_focused()
        expect(page.locator(".view tbody tr").first).to_be_visible()
        page.keyboard.press("Tab")
        expect(page.get_by_label("Search scans")).to_be_focused()


def use_a_phone(lab, browser):
    for language in ("en-GB", "de-DE"):
        with browser.console(
                lab.station.url, "configure", PHONE, language=language, has_touch=True, is_mobile=True) as page:
            wait_for_pictures(page, 3)
            for view in VIEWS:
                open_view(page, view)
                width = page.evaluate("document.documentElement.scrollWidth")
                assert width <= PHONE["width"], f"{view} in {language} is {width} pixels wide"


def meet_a_station_that_is_gone(lab, browser):
    with browser.console(lab.station.url, "look") as page:
        # The last: sessions end with the process, and the page asks on until it knows.
        page.guard.expect("net::ERR_", "ERR_CONNECTION", "401")
        wait_for_pictures(page, 3)
        lab.station.stop()
        shutil.rmtree(lab.station.folder / "pictures")
        expect(page.locator(".banner.fault")).to_contain_text(re.compile("No connection to the station since"))
        expect(page.locator("header [role=status]")).to_contain_text("State unknown")
        lab.station.start()
        expect(page.locator("input[type=password]")).to_be_visible(timeout=20_000)
        log_in(page, TOKENS["look"])
        expect(page.locator("header [role=status]")).to_contain_text("Ready")
        open_view(page, "scans", "tbody tr")
        former = page.locator(".view tbody tr", has_text="till: done earlier").last
        former.locator("button").click()
        expect(page.locator(".drawer")).to_contain_text("No picture is kept")


FLOWS = [
    log_in_with_wrong_and_right_token, log_out_while_the_page_asks, look_without_operating, operate_without_configuring,
    watch_live_pictures, aim_the_camera, find_a_scan, show_hostile_content_as_text, test_a_sink,
    send_a_dead_letter_again, look_at_health, try_rules, give_commands, change_language_and_colours,
    every_word_has_a_translation, work_with_keys_alone, use_a_phone, meet_a_station_that_is_gone,
]
