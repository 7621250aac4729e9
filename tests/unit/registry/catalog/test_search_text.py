"""The text by which a tool is found."""

from spm.registry.catalog.search_text import first_sentences, plain, search_text
from spm.registry.models import InputSpec, OutputSpec, ToolSpec


def test_what_it_holds():
    tool = ToolSpec(
        name="getOrder",
        title="Order lookup",
        description="Finds **one** order. See [the guide](http://x). More text. And more.",
        inputs=(InputSpec(name="orderId"), InputSpec(name="page", required=False)),
        outputs=(OutputSpec(name="total"),),
        call={"path": "/shop/orders/{orderId}"},
    )
    assert search_text(tool) == (
        "Order lookup. get order. shop orders. Finds one order. See the guide. order id"
    )


def test_answers_are_no_part_of_it():
    tool = ToolSpec(name="a", outputs=(OutputSpec(name="zebra"),))
    assert "zebra" not in search_text(tool)


def test_markup_goes():
    assert plain("Use `x` <b>now</b>, see [here](http://y)") == "Use x now , see here"


def test_only_the_first_sentences():
    assert first_sentences("One. Two. Three.") == "One. Two."
    assert len(first_sentences("word " * 500)) <= 300
