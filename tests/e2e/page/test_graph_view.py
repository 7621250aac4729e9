"""The views beside the menu: browsing the graph, health, the report; hostile and large ones."""

from urllib.parse import quote_plus

import pytest

from spm.registry.models import Manifest
from spm.registry.registry import Registry

expect = pytest.importorskip("playwright.sync_api").expect


def test_browsing_goes_from_families_to_tools_and_fields(window):
    page = window.open("#/browse")
    expect(page.locator(".families li")).to_have_count(20)
    page.get_by_label("Filter families").fill("ord")
    expect(page.locator(".families li")).to_have_count(1)
    page.locator("#piece .canvas .node.family", has_text="order").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Family order")
    expect(page.locator(".grid tbody tr")).to_have_count(7)
    page.locator("#piece .canvas .node", has_text="lookup_order").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("orders/lookup_order")
    page.locator("#piece .canvas .node.field", has_text="customer_id").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Field customer_id")
    page.go_back()
    page.locator(".words summary").click()
    expect(page.locator(".words")).to_contain_text("order_id is needed by lookup_order")
    page.get_by_role("link", name="Why is it in the menu, or why not?").click()
    expect(page.locator("#q")).to_be_visible()


def test_an_input_that_nobody_makes_for_a_tool_looks_so_though_others_answer_with_its_name(window):
    """As the list of fields that no tool makes says, by FEEDS."""
    page = window.open("#/browse?tool=payments%2Fcreate_receipt")
    canvas = page.locator("#piece .canvas")
    expect(canvas.locator(".node.ask[data-id='in field order_total']")).to_have_count(1)
    expect(canvas.locator(".node.field[data-id='in field order_id']")).to_have_count(1)


def test_what_is_looked_for_and_not_there_is_told(window):
    page = window.open("#/browse?tool=nobody%2Fnothing")
    expect(page.locator("#browse-problem")).to_contain_text("No tool named")
    page.get_by_role("link", name="All families").click()
    expect(page.locator(".families li")).to_have_count(20)
    window.forgive(404)


def test_a_drawing_that_cannot_be_placed_says_so_and_comes_back(window):
    page = window.open("#/browse")
    page.locator("#piece .canvas .node").first.wait_for()
    busy = {"status": 429, "json": {"detail": "Too many ask at once.", "next": "Wait a second."}}
    page.route("**/page/layout", lambda route: route.fulfill(**busy))
    window.forgive(429)
    page.locator(".families a", has_text="order").first.click()
    expect(page.locator("#piece .canvas .problem")).to_contain_text("Too many ask at once.")
    expect(page.locator(".grid tbody tr")).to_have_count(7)  # the words are there all the same
    page.unroute("**/page/layout")
    page.go_back()
    page.go_forward()
    expect(page.locator("#piece .canvas .node").first).to_be_visible()


def test_health_lists_what_the_atlas_finds(window, shop):
    from spm.registry.insight.atlas import survey

    atlas = survey(shop.store)
    page = window.open("#/health")
    expect(page.locator(".tile", has_text="Fields that no tool makes")).to_contain_text(
        str(len(atlas.asked))
    )
    expect(page.locator("#atlas-failing li")).to_have_count(len(atlas.failing))
    page.locator("#atlas-failing a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(atlas.failing[0].tool)


def test_a_report_is_shown_or_it_is_said_how_to_make_one(windows, serve, tmp_path):
    window = windows()
    page = window.open("#/report")
    expect(page.locator("#report")).to_contain_text("spm eval")
    window.forgive(404)
    file = tmp_path / "report.html"
    file.write_text("<h1>Figures</h1><script>document.body.append('it runs')</script>")
    page = windows(serve(report=str(file))).open("#/report")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading")).to_have_text("Figures")
    expect(frame.locator("body")).to_contain_text("it runs")
    page.evaluate("sessionStorage.setItem('spm.token', 'x')")
    stolen = page.frames[1].evaluate(
        "() => { try { return parent.sessionStorage.length } catch (e) { return e.name } }"
    )
    assert stolen == "SecurityError", "a report sees nothing of the page"


EVIL = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


@pytest.fixture
def hostile(serve, tmp_path, encoder):
    """A registry whose tools try to become markup."""
    tools = [
        {"name": "find_thing", "title": EVIL, "description": f"Find the thing {EVIL}",
         "family": EVIL[:60], "outputs": [{"name": "thing_id"}]},
        {"name": "send_thing", "description": f"Send the thing {EVIL}", "family": EVIL[:60],
         "inputs": [{"name": "thing_id"}], "effects": "destructive"},
    ]  # fmt: skip
    with Registry.open(str(tmp_path / "evil")) as registry:
        registry.register(Manifest.model_validate({"spm": 1, "service": "evil", "tools": tools}))
        registry.encode(encoder)
    return serve(tmp_path / "evil")


def test_tools_of_one_name_are_told_apart(windows, serve, tmp_path, encoder):
    with Registry.open(str(tmp_path / "two")) as registry:
        for service in ("billing", "shipping"):
            tools = [{"name": "create_label", "description": f"Print a label for {service}."}]
            one = {"spm": 1, "service": service, "tools": tools}
            registry.register(Manifest.model_validate(one))
        registry.encode(encoder)
    page = windows(serve(tmp_path / "two")).open("#/menu?q=Print+a+label")
    expect(page.locator(".tool .open")).to_have_count(2)
    shown = {text.strip() for text in page.locator(".tool .open").all_inner_texts()}
    assert shown == {"billing/create_label", "shipping/create_label"}


def test_what_tools_say_stays_text(windows, hostile):
    window = windows(hostile)
    page = window.open(f"#/menu?q={quote_plus(f'Send the thing {EVIL}')}")
    expect(page.locator(".tool")).to_have_count(2)
    page.locator("#route-graph .node.review").click()
    expect(page.locator("#why")).to_contain_text("Send the thing <img src=x onerror=")
    for place in ("#/browse", f"#/browse?family={quote_plus(EVIL[:60])}", "#/health"):
        page.goto(f"{window.base}/{place}")
        page.wait_for_load_state("networkidle")
        assert page.locator("main img, main script").count() == 0
    assert page.evaluate("window.hacked") is None


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Three thousand tools in twelve families; menus are not asked, so nothing is encoded."""
    folder = tmp_path_factory.mktemp("large") / "store"
    tools = [
        {"name": f"tool_{n}", "family": f"family_{n % 12}", "description": f"Does {n}.",
         "inputs": [{"name": f"field_{n % 97}"}], "outputs": [{"name": f"field_{n * 7 % 89}"}]}
        for n in range(3_000)
    ]  # fmt: skip
    with Registry.open(str(folder)) as registry:
        registry.register(Manifest.model_validate({"spm": 1, "service": "large", "tools": tools}))
    return folder


def test_thousands_of_tools_do_not_freeze_the_page(windows, serve, large):
    page = windows(serve(large)).open()
    page.evaluate("""() => {
      window.longest = 0;
      const watch = (list) => list.getEntries().forEach((entry) => {
        window.longest = Math.max(window.longest, entry.duration);
      });
      new PerformanceObserver(watch).observe({ type: "longtask" });
    }""")
    page.get_by_role("link", name="Browse").click()
    expect(page.locator(".families li")).to_have_count(12)
    page.locator(".families a").first.click()
    expect(page.locator("#piece .canvas .node.toolnode")).to_have_count(24)
    page.get_by_role("link", name="226 more tools").click()
    expect(page.locator("#piece")).to_contain_text("202 more tools")
    page.locator("#piece .canvas .node.toolnode").first.click()
    expect(page.locator("#piece .canvas .node.target")).to_have_count(1)
    page.locator("#piece .canvas .node.field, #piece .canvas .node.ask").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Field field_")
    page.get_by_role("link", name="Health").click()
    expect(page.locator(".tile").first).to_contain_text("3,000")
    assert page.evaluate("window.longest") < 1_500  # milliseconds, on a busy machine too
