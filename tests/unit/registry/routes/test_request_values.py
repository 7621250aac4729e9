"""What a request gives to tools, and what it only names."""

from spm.registry.request.values import Input
from spm.registry.routes.request_values import RequestValues


class Inputs:
    """A map that knows the inputs of one tool."""

    def __init__(self, *inputs):
        self._inputs = inputs

    def inputs(self, tools):
        return dict.fromkeys(tools, self._inputs)

    def cards(self, tools):
        return {}

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
