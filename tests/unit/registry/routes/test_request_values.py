"""What a request gives to tools, and what it only names."""

import pytest

from spm.registry.request.values import Input
from spm.registry.routes.request_values import RequestValues
from spm.registry.routes.tool_map import MapCard


class Inputs:
    """A map that knows the inputs of one tool."""

    def __init__(self, *inputs):
        self._inputs = inputs

    def inputs(self, tools):
        return dict.fromkeys(tools, self._inputs)

    def cards(self, tools):
        return dict.fromkeys(tools, MapCard("get", "any/project", "any", "read", (), ()))

    def asked(self, trajectories):
        return []


def values(request, *inputs):
    read = RequestValues(request, Inputs(*inputs))
    read.read(["tool"])
    return read


COUPON = Input("coupon", "coupon", "coupon", description="The ID of the coupon.", tool="tool")
USER = Input("user", "user", "user", description="User ID.", tool="tool")


def test_a_key_is_given():
    read = values("Delete the coupon co_8Zx1", COUPON)
    assert (read.fields("tool"), read.named("tool")) == ({"coupon"}, set())


def test_a_name_says_which_one_is_meant_and_has_to_be_looked_up():
    read = values("Delete the coupon 'Xmas'", COUPON)
    assert (read.fields("tool"), read.named("tool")) == (set(), {"coupon"})


def test_a_quotation_that_fits_a_plain_reference_is_a_name_too():
    read = values("Delete the coupon 'Xmas'", Input("coupon", "coupon", "coupon", tool="tool"))
    assert (read.fields("tool"), read.named("tool")) == (set(), {"coupon"})


def test_an_address_means_a_person():
    read = values("Log jo@acme.com out everywhere", USER)
    assert (read.fields("tool"), read.named("tool")) == (set(), {"user"})


def test_what_a_tool_takes_beside_others():
    read = values("Delete the coupon co_8Zx1", COUPON)
    assert (read.share("tool"), read.share_beside("tool", ["tool"])) == (1.0, 0.0)


SLUG = "Its ID or slug"
ORG = Input("org", "org", "org", description=SLUG, required=True, place="path", tool="tool")
PROJECT = Input(
    "project", "project", "project", description=SLUG, required=True, place="path", depth=5,
    tool="tool",
)  # fmt: skip


def test_a_bare_name_says_where_a_thing_is_and_the_thing_itself_is_looked_up():
    read = values("show checkout-web in lumen", ORG, PROJECT)
    assert [match.value.text for match in read.given("tool")] == ["checkout-web", "lumen"]
    assert read.fields("tool") == {"org"}


def test_a_bare_name_does_not_speak_for_a_tool():
    """Any tool would take it that lacks one."""
    assert values("show checkout-web in lumen", ORG, PROJECT).share("tool") == 0.0
    assert values("show project checkout-web", ORG, PROJECT).share("tool") == 1.0


QUOTE = Input("quote", "quote", "quote", required=True, place="path", tool="tool")
QUERY = Input("query", "query", "", required=True, place="query", tool="tool")


def test_a_key_is_no_plain_word_and_no_files_name():
    assert values("Finalise the draft quote", QUOTE).fields("tool") == set()
    assert values("Finalise the quote for offer-2025.pdf", QUOTE).fields("tool") == set()
    assert values("Finalise quote qt_1Nv0FGQ9", QUOTE).fields("tool") == {"quote"}


def test_a_persons_address_is_no_search_for_other_things():
    assert values("Find quotes for jo@acme.example", QUERY).fields("tool") == set()
    assert values("Search for 'red shoes'", QUERY).fields("tool") == {"query"}


CREW = Input("crew", "crew_id", "crew", format="uuid", tool="tool")


def test_a_code_beside_its_noun_is_looked_up_where_the_input_takes_other_keys():
    assert values("Send the crew North-3 there", CREW).named("tool") == {"crew_id"}
    own = Input("crew", "crew_id", "crew", description="ID of the crew.", tool="tool")
    read = values("Send the crew North-3 there", own)
    assert (read.fields("tool"), read.named("tool")) == ({"crew_id"}, set())


@pytest.mark.parametrize(
    ("request_text", "inputs", "found"),
    [
        ("Cancel Ann Lee's visit", [Input("q", tool="tool")], True),
        ("Cancel Ann Lee's visit", [Input("full_name", tool="tool")], True),
        ("Cancel Ann Lee's visit", [Input("plate", tool="tool")], False),
        ("Cancel the visit of ann@x.org", [Input("email", tool="tool")], True),
        ("Cancel the visit of ann@x.org", [Input("full_name", tool="tool")], False),
        ("Jobs of the lorry with plate B-KX", [Input("plate", tool="tool")], True),
    ],
)
def test_what_finds_a_thing_by_how_it_is_called(request_text, inputs, found):
    read = values(request_text, *inputs)
    left = read.names_beside([])
    assert any(read.finds("tool", value) for value in left) is found


def test_the_number_of_an_owner_is_not_that_of_the_thing():
    fee = Input("fee_no", "fee_no", "fee", type="integer", required=True, tool="tool")
    assert values("Waive the fee of student 4388120", fee).fields("tool") == set()
    assert values("Waive fee 4388120", fee).fields("tool") == {"fee_no"}
