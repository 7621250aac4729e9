"""The SVG that all pictures are made of."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from spm.registry.pictures import svg

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS, TEXTS)
def test_no_text_leaves_its_place(said, value):
    inside = svg.label(1, 2, said, class_=value)
    root = ElementTree.fromstring(svg.document(10, 20, said, said, svg.text(said), inside))
    assert [node.tag.rpartition("}")[2] for node in root] == [
        "title", "desc", "style", "rect", "text"
    ]  # fmt: skip
    assert root[0].text == root[4].text


def test_attributes_are_written_as_svg_names_them():
    assert svg.tag("path", class_="a", stroke_width=1.25, x=3, d=None) == (
        '<path class="a" stroke-width="1.2" x="3"/>'
    )
    assert svg.tag("text", "x", title='"<&') == '<text title="&quot;&lt;&amp;">x</text>'


def test_every_colour_is_there_in_light_and_in_dark():
    light, _, dark = svg.THEME.partition("@media")
    for name, (day, night) in svg.COLOURS.items():
        assert f"--{name}: {day};" in light
        assert f"--{name}: {night};" in dark
