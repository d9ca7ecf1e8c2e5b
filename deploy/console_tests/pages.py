"""A browser that looks at a console, and notes everything that a good page never does."""
import contextlib
import pathlib
import re
import shutil
import tempfile
import urllib.parse

from playwright.sync_api import expect, sync_playwright

from stations import TOKENS

# A name of this machine that a console does not take for one, as if the browser were elsewhere.
ELSEWHERE = "station.example"
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
VIEWS = ("live", "aim", "scans", "sinks", "health", "configuration", "rules")

expect.set_options(timeout=10_000)

NOTE_VIOLATIONS = """
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


class Guard:
    """Collects console messages, script errors and requests to other hosts of one page."""

    def __init__(self, page, host):
        self.faults = []
        self.expected = []
        page.on("console", self.take_message)
        page.on("pageerror", lambda error: self.faults.append(f"script error: {error}"))
        page.on("request", lambda request: self.take_request(request, host))
        page.add_init_script(NOTE_VIOLATIONS)
        self.page = page

    def expect(self, *texts):
        """Permits console messages with these texts: browsers log each answer that is an error."""
        self.expected += texts

    def take_message(self, message):
        if message.type in ("error", "warning") and not any(text in message.text for text in self.expected):
            self.faults.append(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

    def take_request(self, request, host):
        parts = urllib.parse.urlsplit(request.url)
        if parts.scheme not in ("blob", "data") and parts.netloc != host:
            self.faults.append(f"request to {request.url}")

    def check(self):
        violations = self.page.evaluate("window.violations ?? []")
        assert not violations, f"policy violations: {violations}"
        assert not self.faults, "; ".join(self.faults)


class Browser:
    """A headless Chromium.

    With a folder `page`, the page's files come from there instead of from the program: for those who change them.
    """

    def __init__(self, page=None):
        self.page_folder = page
        self.playwright = sync_playwright().start()
        arguments = ["--no-sandbox", f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1"]
        program = shutil.which("chromium")
        self.chromium = self.playwright.chromium.launch(executable_path=program, args=arguments)

    def stop(self):
        self.chromium.close()
        self.playwright.stop()

    def serve_page(self, route):
        name = urllib.parse.urlsplit(route.request.url).path.removeprefix("/page/").strip("/") or "index.html"
        # The station may just have closed a connection that was idle.
        response = route.fetch(max_retries=2)
        route.fulfill(response=response, body=(self.page_folder / name).read_text())

    @contextlib.contextmanager
    def console(self, url, role=None, size=None, language="en-GB", theme="light", **options):
        """A page of the console, logged in with a role's token; checked at the end."""
        context = self.chromium.new_context(
            viewport=size or DESKTOP, locale=language, color_scheme=theme, reduced_motion="reduce", **options)
        if self.page_folder:
            context.route(re.compile(r"//[^/]+/(page/[\w.]+)?$"), self.serve_page)
        page = context.new_page()
        page.guard = Guard(page, urllib.parse.urlsplit(url).netloc)
        try:
            page.goto(url)
            if role:
                log_in(page, TOKENS[role])
            yield page
            page.guard.check()
        except BaseException:
            with contextlib.suppress(Exception):
                picture = pathlib.Path(tempfile.gettempdir(), f"test-console-{id(page)}.png")
                page.screenshot(path=picture)
                print(f"the page at its failure: {picture}", flush=True)
            raise
        finally:
            context.unroute_all(behavior="ignoreErrors")
            context.close()


def log_in(page, token):
    page.locator("input[type=password]").fill(token)
    page.keyboard.press("Enter")
    expect(page.locator("nav")).to_be_visible()


def open_view(page, view, role="h1"):
    """Opens a view by its link, as a user does."""
    link = page.locator(f'nav a[href="#{view}"]')
    if not link.is_visible():
        page.locator("nav .extras").click()
    link.click()
    expect(page.locator(f'.view[data-view="{view}"] {role}').first).to_be_visible()


def picture_count(page):
    return int(page.locator("canvas").get_attribute("data-pictures") or 0)


def wait_for_pictures(page, count):
    page.wait_for_function("count => Number(document.querySelector('canvas')?.dataset.pictures ?? 0) >= count", arg=count)
