"""Finding, showing and removing tools."""

import pytest

from spm.registry.catalog.tools import Resolver
from spm.registry.errors import AmbiguousTool, ToolInUse, UnknownTool
from spm.registry.importers.detection import read_source
from tests.support.help_desk import SPECIFICATION


@pytest.fixture
def mail(registry, manifest):
    registry.register(
        manifest(
            "mail",
            send_mail=(["address", "body"], ["message_id"]),
            read_mail=(["message_id"], ["body"]),
            lookup=([], ["address"]),
        )
    )
    registry.register(manifest("shop", lookup=(["order_id"], ["order_total"])))
    return registry


@pytest.mark.parametrize(
    "name", ["mail/send_mail", "send_mail", "sendMail", "Send mail", "SEND-MAIL"]
)
def test_a_tool_is_found_by_id_name_and_other_spellings(mail, name):
    assert Resolver(mail.store).resolve(name) == "mail/send_mail"


def test_a_name_of_two_tools_is_ambiguous_and_both_are_named(mail):
    with pytest.raises(AmbiguousTool, match=r"'lookup' names 2 tools.*mail/lookup, shop/lookup"):
        mail.show("lookup")
    assert mail.show("shop/lookup").tool["service"] == "shop"


def test_the_exact_spelling_goes_before_the_folded_one(registry, manifest):
    registry.register(manifest("a", sendMail=([], [])))
    registry.register(manifest("b", send_mail=([], [])))
    assert Resolver(registry.store).resolve("sendMail") == "a/sendMail"
    assert Resolver(registry.store).resolve("send_mail") == "b/send_mail"
    with pytest.raises(AmbiguousTool):
        Resolver(registry.store).resolve("Send Mail")


def test_an_unknown_name_comes_with_the_nearest(mail):
    with pytest.raises(UnknownTool) as caught:
        mail.show("sendmial")
    assert caught.value.nearest == ["mail/send_mail"]
    assert str(caught.value) == (
        "No tool named 'sendmial'. Nearest: 'mail/send_mail'. List all with: spm tools list"
    )


def test_an_unknown_name_in_an_empty_registry_has_no_nearest(registry):
    with pytest.raises(UnknownTool, match=r"No tool named 'x'\. List all with"):
        registry.show("x")


@pytest.mark.parametrize("name", ["", " ", "--", "x" * 100_000, "\ud800", "\x00", "' OR 1=1"])
def test_strange_names_are_only_unknown(mail, name):
    with pytest.raises(UnknownTool):
        mail.show(name)


def test_a_view_shows_whom_the_tool_feeds_and_who_feeds_it(mail, manifest):
    mail.register(
        manifest("post", list_mails=([], ["message_id"]), read_mail=(["message_id"], ["body"]))
    )
    assert mail.show("list_mails").consumers == {"message_id": ["mail/read_mail", "post/read_mail"]}
    view = mail.show("post/read_mail")
    assert view.producers == {"message_id": ["post/list_mails"]}
    assert view.consumers == {}  # nobody has to look up what people write
    assert view.definition["name"] == "read_mail"
    assert [v["version"] for v in view.versions] == ["1"]


def test_a_view_shows_roles_in_which_others_take_a_resource(registry):
    registry.add(read_source(str(SPECIFICATION)))
    assert registry.show("findUser").consumers == {
        "assignee_id": ["help-desk/assignTicket"],
        "requester_id": ["help-desk/createTicket"],
    }
    producers = registry.show("createTicket").producers
    assert producers == {"requester_id": ["help-desk/findUser", "help-desk/whoIsOnCall"]}


def test_listing_filters(mail):
    assert [r["id"] for r in mail.tools(service="shop")] == ["shop/lookup"]
    assert mail.tools(family="nothing") == []
    assert len(mail.tools(status="active")) == 4


def test_a_tool_without_traces_is_removed_with_what_only_it_had(mail):
    assert mail.remove("shop/lookup") == "shop/lookup"
    assert mail.tools(service="shop") == []
    names = {row["field"] for row in mail.store.read("fields/vocabulary")}
    assert names == {"address", "body", "message_id"}
    assert mail.cypher("MATCH (s:Service) RETURN s.name AS name").rows == [{"name": "mail"}]


def test_a_tool_in_use_is_removed_only_by_force(mail, trace):
    mail.import_traces([trace("send_mail", "read_mail"), trace("send_mail", request="again")])
    with pytest.raises(ToolInUse, match=r"step of 2 observed.*spm tools remove mail/send_mail --f"):
        mail.remove("send_mail")
    assert mail.show("send_mail")
    mail.remove("send_mail", force=True)
    with pytest.raises(UnknownTool):
        mail.show("send_mail")
    assert mail.status()["trajectories"] == 2


def test_removing_twice_says_that_it_is_unknown(mail):
    mail.remove("shop/lookup")
    with pytest.raises(UnknownTool):
        mail.remove("shop/lookup")
