"""The menu view: routes, why and why not, editing what is visible, copying."""

import json
from urllib.parse import quote_plus

import pytest

from spm.registry import demo

expect = pytest.importorskip("playwright.sync_api").expect
ROUTE = ["lookup_order", "get_customer_email", "create_receipt", "send_email_receipt"]


def names(page, place="#route"):
    return [text.strip() for text in page.locator(f"{place} .open").all_inner_texts()]


def test_a_typed_request_shows_its_route_in_order(window):
    page = window.open()
    page.get_by_label("What should the agent do?").fill(demo.REQUEST)
    expect(page.locator("#route .open")).to_have_count(4)
    shown = names(page)
    assert shown[0] == "lookup_order"
    assert shown[-1] == "send_email_receipt"
    assert sorted(shown) == sorted(ROUTE)
    assert quote_plus(demo.REQUEST) in page.url
    assert len(names(page, "#backups")) == 28
    expect(page.locator("#live")).to_contain_text("Route of 4 tools: lookup_order")


def test_the_route_is_drawn_from_left_to_right_with_fields_on_its_edges(menu):
    nodes = menu.locator("#route-graph .node")
    boxes = {n.get_attribute("data-id"): n.bounding_box() for n in nodes.all()}
    at = {name.rpartition("/")[2]: box["x"] for name, box in boxes.items()}
    assert at["request"] < at["lookup_order"] < at["get_customer_email"] < at["send_email_receipt"]
    assert at["lookup_order"] < at["create_receipt"] < at["send_email_receipt"]
    along = menu.locator("#route-graph .along text").all_text_contents()
    assert {"order_id", "customer_id", "order_total", "customer_email", "receipt_id"} <= set(along)
    assert any(text.startswith("seen ") for text in along)
    widths = menu.eval_on_selector_all(
        "#route-graph .edge.flows path",
        "all => all.map(e => Number(e.getAttribute('stroke-width')))",
    )
    assert max(widths) > 2 * min(widths), "what was seen often is drawn wider"
    roles = {n.get_attribute("class").split()[1] for n in nodes.all()}
    assert roles == {"request", "entry", "bridge", "target"}
    for role in ("entry", "bridge", "target"):  # in words as well as in colour
        expect(menu.locator(f"#route-graph .node.{role} .note").first).to_have_text(role)
    assert menu.locator("#legend li").count() >= 5


def test_a_click_on_a_tool_says_why(menu):
    menu.locator("#route-graph .node", has_text="create_receipt").click()
    why = menu.locator("#why")
    expect(why.get_by_role("heading", level=2)).to_have_text("create_receipt")
    expect(why).to_contain_text("order_total from lookup_order")
    expect(why.get_by_role("heading", name="Score")).to_be_visible()
    expect(why).to_contain_text("after lookup_order, seen 24×")
    expect(why.locator(".traces")).to_contain_text("traces")
    expect(why.locator(".quotes li").first).to_be_visible()
    assert "tool=payments%2Fcreate_receipt" in menu.url
    why.get_by_role("button", name="lookup_order").first.click()
    expect(why.get_by_role("heading", level=2)).to_have_text("lookup_order")
    why.get_by_role("button", name="Close").click()
    expect(why.get_by_role("heading", level=2)).to_have_text("Why")


def test_an_absent_tool_says_why_not_and_what_would_admit_it(menu):
    find = menu.get_by_role("combobox", name="Find a tool by name or text")
    find.fill("refund_payment")
    menu.get_by_role("option", name="refund_payment").first.wait_for()
    find.press("ArrowDown")
    find.press("Enter")
    why = menu.locator("#why")
    expect(why).to_contain_text("not in this menu")
    expect(why).to_contain_text("the menu ends at 32")
    why.get_by_role("button", name="Show").click()
    expect(why.locator(".badge.absent")).to_have_count(0)
    assert "refund_payment" in names(menu, "#backups")
    assert int(menu.locator("#k").input_value()) > 32


def test_editing_the_visible_fields_changes_the_menu(menu):
    fields = menu.locator("#fields")
    expect(fields).to_contain_text("order_id")
    menu.get_by_role("button", name="order_id is not in the request").click()
    expect(menu.locator("#route-graph .node.ask")).to_be_visible()
    expect(menu.locator("#route .tool").first).to_contain_text("order_id from the user")
    menu.get_by_role("button", name="Put order_id back").click()
    expect(menu.locator("#route-graph .node.request")).to_be_visible()
    add = menu.get_by_role("combobox", name="Add a visible field")
    add.fill("customer em")
    menu.get_by_role("option", name="customer_email").wait_for()
    add.press("ArrowDown")
    add.press("Enter")
    expect(fields).to_contain_text("customer_email")
    expect(menu.locator("#route")).to_contain_text("customer_email from the request")
    menu.get_by_role("button", name="Remove customer_email").click()
    expect(menu.locator("#route")).to_contain_text("customer_email from get_customer_email")


def test_a_tool_that_ran_gives_the_next_menu(menu):
    menu.get_by_role("button", name="lookup_order ran: show the next menu").click()
    expect(menu.locator("#done")).to_contain_text("lookup_order")
    expect(menu.locator("#route .open", has_text="lookup_order")).to_have_count(0)
    expect(menu.locator("#route-graph .node.done")).to_be_visible()
    assert "done=orders%2Flookup_order" in menu.url
    menu.go_back()
    expect(menu.locator("#route .open").first).to_have_text("lookup_order")
    expect(menu.locator("#done-row")).to_be_hidden()


def test_options_are_asked_and_kept_in_the_address(menu):
    menu.get_by_label("Only tools that change nothing").check()
    expect(menu.locator("#route .open", has_text="create_receipt")).to_have_count(0)
    menu.get_by_label("Tools", exact=True).fill("7")
    menu.get_by_label("Tools", exact=True).press("Enter")
    expect(menu.locator(".tool")).to_have_count(7)
    url = menu.url
    assert "k=7" in url
    assert "readonly=1" in url
    menu.reload()
    expect(menu.locator(".tool")).to_have_count(7)
    expect(menu.get_by_label("Only tools that change nothing")).to_be_checked()


def test_tools_that_change_something_may_be_allowed_to_make_inputs(menu):
    allowed = menu.get_by_label("Tools that change something may make inputs")
    with menu.expect_request("**/v1/menus") as sent:
        allowed.check()
    assert sent.value.post_data_json["allow_writes"] is True
    assert "writes=1" in menu.url
    menu.get_by_label("Only tools that change nothing").check()
    expect(allowed).to_be_disabled()


@pytest.mark.parametrize(
    "hash", ["#/menu?k=x&k=-3", "#/nowhere", "#", "#/menu?q=%", "#/browse?q=1"]
)
def test_a_broken_address_does_no_harm(window, hash):
    page = window.open(hash)
    expect(page.get_by_role("navigation", name="Views")).to_be_visible()


def test_a_menu_can_be_copied_for_a_provider(window, asked):
    window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = window.open(asked)
    page.get_by_label("Format to copy").select_option("anthropic")
    page.get_by_role("button", name="Copy menu").click()
    expect(page.locator("#copy-said")).to_have_text("Copied.")
    text = page.get_by_label("Text to copy").input_value()
    assert {tool["name"] for tool in json.loads(text)} >= set(ROUTE)
    assert page.evaluate("navigator.clipboard.readText()") == text
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#live")).to_have_text("Link copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_fast_typing_asks_seldom_and_shows_the_last_answer(window):
    page = window.open()
    page.locator("#q").press_sequentially(demo.REQUEST, delay=8)
    expect(page.locator("#live")).to_contain_text("Route of 4 tools: lookup_order")
    sent = window.asked("/v1/menus")
    assert len(sent) <= len(demo.REQUEST) / 3  # a busy machine types with pauses
    assert json.loads(sent[-1].post_data)["request"] == demo.REQUEST


def test_a_problem_is_told_with_its_next_step(window):
    page = window.open()
    busy = {"title": "Busy", "status": 429, "detail": "Too many at once.", "next": "Wait a second."}
    page.route("**/v1/menus", lambda route: route.fulfill(
        status=429, content_type="application/problem+json", body=json.dumps(busy)))  # fmt: skip
    page.locator("#q").fill("anything")
    expect(page.get_by_role("alert")).to_have_text("Too many at once. Wait a second.")
    page.unroute("**/v1/menus")
    page.locator("#q").fill(demo.REQUEST)
    expect(page.locator("#route .open")).to_have_count(4)
    expect(page.locator("#menu-problem")).to_be_empty()
    window.forgive(429)


def test_a_token_is_sent_and_kept_in_this_tab_only(window, asked):
    page = window.open(asked)
    expect(page.locator("#route .open")).to_have_count(4)
    page.route("**/v1/menus", lambda route: route.fulfill(status=401, body="{}"))
    page.get_by_role("button", name="Access").click()
    page.get_by_label("Token").fill("spm_secret")
    with page.expect_request("**/v1/menus") as sent:
        page.get_by_label("Token").press("Enter")
    assert sent.value.headers["authorization"] == "Bearer spm_secret"
    expect(page.get_by_role("alert")).to_contain_text("token")
    assert "spm_secret" not in page.url
    assert page.evaluate("JSON.stringify({...localStorage}) + document.cookie") == "{}"
    page.unroute("**/v1/menus")
    page.get_by_role("button", name="Access").click()
    with page.expect_request("**/v1/menus") as forgotten:
        page.get_by_role("button", name="Forget it").click()
    assert "authorization" not in forgotten.value.headers
    expect(page.locator("#route .open")).to_have_count(4)
    expect(page.locator("#menu-problem")).to_be_empty()
    window.forgive(401)
