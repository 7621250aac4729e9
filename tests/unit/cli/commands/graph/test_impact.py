"""`spm impact`: tools and fields, golden requests, and text that cannot steer the terminal."""

import json


def test_a_tool_and_a_field_as_json(in_shop):
    done = in_shop("impact", "lookup_order", "--json")
    assert (done.code, done.err) == (0, "")
    assert (done.json["kind"], done.json["name"]) == ("tool", "orders/lookup_order")
    assert done.json["observed"]["trajectories"] > 100
    done = in_shop("impact", "customer_email", "--json")
    assert done.json["kind"] == "field"
    assert done.json["stopped"]


def test_people_see_losses_use_and_alternatives(in_shop):
    done = in_shop("impact", "lookup_order", "--limit", 3)
    assert done.code == 0
    for heading in (
        "Without the tool orders/lookup_order",
        "Fields that lose their last producer: 1",
        "Tools that can no longer run: 1",
        "Trajectories that go through it: 147 (29.7%)",
        "Tools that could replace it",
    ):
        assert heading in done.out
    assert "more; see them with --limit" in done.out
    assert max(map(len, done.out.splitlines())) <= 100  # requests are not cut


def test_a_field_names_who_makes_and_takes_it(in_shop):
    done = in_shop("impact", "customer_email", "--field")
    assert "made by customers/get_customer_email" in done.out
    assert "optional for nobody" in done.out
    assert "messaging/send_email_receipt" in done.out
    assert "only producer lost" in done.out.replace("\n", " ")


def test_golden_requests_are_checked(in_shop, tmp_path):
    file = tmp_path / "golden.jsonl"
    lines = [
        {"request": "Where is order 7?", "path": ["lookup_order"]},
        {"request": "Book a room", "path": ["book_meeting_room"]},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    done = in_shop("impact", "lookup_order", "--golden", file)
    assert "Golden requests that break, of 2: 1" in done.out
    assert "Where is order 7?" in done.out
    done = in_shop("impact", "lookup_order", "--golden", tmp_path / "none")
    assert (done.code, done.out) == (1, "")


def test_an_unknown_name_is_refused_with_the_nearest(in_shop):
    done = in_shop("impact", "lookup_ordr")
    assert (done.code, done.out) == (1, "")
    assert "orders/lookup_order" in done.err


def test_a_tool_out_of_service_says_so(spm, tmp_path):
    file = tmp_path / "m.yaml"
    file.write_text(
        "spm: 1\nservice: s\ntools:\n"
        "  - {name: old, status: deprecated, successor: new, description: x}\n"
        "  - {name: new, description: x}\n"
    )
    assert spm("tools", "register", file, "--store", tmp_path / "s").code == 0
    done = spm("impact", "old", "--store", tmp_path / "s")
    assert "s/old, which is deprecated," in done.out
    assert "the successor" in done.out
    assert "Trajectories that go through it: none" in done.out
