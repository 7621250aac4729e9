"""The page without a mouse, without sight, without colour, on small screens and large ones."""

import pytest

from spm.registry import demo

expect = pytest.importorskip("playwright.sync_api").expect


def test_everything_is_done_by_keyboard(window):
    page = window.open()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type(demo.REQUEST)
    page.keyboard.press("Enter")
    expect(page.locator("#route .open")).to_have_count(4)
    focus = "document.activeElement.dataset.id ?? document.activeElement.textContent"
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#route-graph .node')"):
            break
    assert page.evaluate(focus) == "orders/lookup_order"
    ring = "getComputedStyle(document.activeElement.querySelector('.outer')).strokeWidth"
    assert page.evaluate(ring) == "3.5px", "the focus can be seen"
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focus) in ("customers/get_customer_email", "payments/create_receipt")
    page.keyboard.press("End")
    assert page.evaluate(focus) == "messaging/send_email_receipt"
    page.keyboard.press("Enter")
    expect(page.locator("#why h2")).to_have_text("send_email_receipt")
    page.keyboard.press("Tab")  # the graph is one stop: the next is the first tool of the list
    assert page.evaluate(focus) == "lookup_order"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#why h2")).to_have_text(page.locator("#route .open").nth(1).inner_text())
    page.keyboard.press("Enter")
    expect(page.locator("#why h2")).to_have_text("Why")


def test_a_route_drawn_again_leaves_the_focus_where_it_was(menu):
    menu.locator("#route-graph .node[role=button]").nth(2).focus()
    held = menu.evaluate("document.activeElement.dataset.id")
    menu.evaluate("document.querySelector('#route-graph svg').dataset.old = 'yes'")
    menu.set_viewport_size({"width": 480, "height": 900})
    expect(menu.locator("#route-graph svg[data-old]")).to_have_count(0)
    assert menu.evaluate("document.activeElement.dataset.id") == held
    menu.keyboard.press("Home")
    assert menu.evaluate("document.activeElement.dataset.id") == "orders/lookup_order"


NAMELESS = """() => [...document.querySelectorAll("button, a[href], input, select, textarea")]
  .concat([...document.querySelectorAll("dialog, iframe, nav, section, [role=button]")])
  .filter((e) => !(e.getAttribute("aria-label") || e.labels?.length || e.textContent.trim()
    || e.title || document.getElementById(e.getAttribute("aria-labelledby"))))
  .map((e) => e.outerHTML.slice(0, 120))"""
TWICE = """() => { const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  return ids.filter((id, i) => ids.indexOf(id) !== i); }"""
BROKEN = """() => ["aria-controls", "aria-labelledby", "for"].flatMap((name) =>
  [...document.querySelectorAll(`[${name}]`)].map((e) => e.getAttribute(name)))
  .filter((id) => !document.getElementById(id))"""
# Every text that can be seen, against the nearest thing painted behind it.
CONTRAST = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const back = rgb(getComputedStyle(at).backgroundColor);
      if (back.length === 3 || back[3] > 0.9) return back;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest(".unseen, .skip, svg title")) continue;
    const shape = e.closest(".node, .along")?.querySelector(".outer, rect");
    const style = getComputedStyle(e);
    const ink = rgb(e instanceof SVGElement ? style.fill : style.color);
    const paper = shape ? rgb(getComputedStyle(shape).fill) : behind(e);
    const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const what = `${e.className.baseVal ?? e.className} ${e.textContent.slice(0, 30)}`;
    if (ratio < 4.5) found.push(`${what} ${ratio.toFixed(2)}`);
  }
  return [...new Set(found)];
}"""
PLACES = [
    "{asked}&tool=payments%2Fcreate_receipt&without=order_id&state=customer_id",
    "{asked}&tool=payments%2Frefund_payment&done=orders%2Flookup_order",
    "#/browse",
    "#/browse?family=order",
    "#/browse?tool=orders%2Fcancel_order",
    "#/health",
]


def visit(window, place, asked):
    """Open a place anew and wait until it is all there."""
    window.page.goto("about:blank")
    page = window.open(place.format(asked=asked))
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_is_named_and_readable(windows, asked, scheme):
    window = windows(color_scheme=scheme)
    for place in PLACES:
        page = visit(window, place, asked)
        assert page.evaluate(NAMELESS) == [], place
        assert page.evaluate(TWICE) == [], place
        assert page.evaluate(BROKEN) == [], place
        assert page.evaluate(CONTRAST) == [], place
        assert page.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").count() == 0
        assert page.locator("main h1:visible, main h1.unseen").count() >= 1
        assert page.locator("html").get_attribute("lang") == "en"


@pytest.mark.parametrize("width", [400, 760, 1920])
def test_nothing_is_wider_than_the_window(windows, asked, width):
    window = windows(viewport={"width": width, "height": 800})
    for place in PLACES:
        page = visit(window, place, asked)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, place


def test_on_a_narrow_screen_the_route_goes_downwards(windows, asked):
    page = windows(viewport={"width": 400, "height": 800}).open(asked)
    expect(page.locator("#route .open")).to_have_count(4)
    page.wait_for_load_state("networkidle")  # what comes later draws the route again
    nodes = page.locator("#route-graph .node").all()
    at = {n.get_attribute("data-id").rpartition("/")[2]: n.bounding_box()["y"] for n in nodes}
    assert at["request"] < at["lookup_order"] < at["create_receipt"] < at["send_email_receipt"]
    page.locator("#route .open").first.click()
    expect(page.locator("#why.open")).to_be_in_viewport()


def test_motion_stops_for_who_does_not_want_it(windows, asked):
    page = windows(reduced_motion="reduce").open(asked)
    expect(page.locator("#route-graph .node").first).to_have_css("transition-duration", "0s")
