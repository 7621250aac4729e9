"""Suggesting that two fields are the same, and a person's word on it."""

from typing import Any

import numpy as np
import pytest

from spm.registry.catalog.field_decisions import declare, merge, split
from spm.registry.catalog.field_suggestions import (
    ELSEWHERE,
    HALF,
    MINIMUM,
    PER_FIELD,
    WEIGHTS,
    suggest,
)
from spm.registry.errors import InputError, UnknownField
from spm.registry.models import Trace


@pytest.fixture
def shop_registry(registry, manifest):
    registry.register(
        manifest(
            "s",
            find=([], ["client_number", "parcel_weight"]),
            mail=(["customer_number"], ["receipt_id"]),
            other=(["page", "weather_report"], ["api_key"]),
            last=(["weather_report"], []),
        )
    )
    return registry


def pairs(found):
    return [(s.output, s.input) for s in found]


def test_names_that_share_words_are_suggested_without_an_encoder(shop_registry):
    found = suggest(shop_registry.store, minimum=0.1)
    assert pairs(found)[0] == ("client_number", "customer_number")
    # number says little alone and counts half: 0.5 of 2.5 words; the types agree
    assert found[0].reasons == {"name": 0.2, "type": 1.0}
    assert found[0].confidence == pytest.approx(WEIGHTS["name"] * 0.2 + WEIGHTS["type"])


def test_the_real_encoder_knows_that_a_client_is_a_customer(shop_registry, encoder):
    found = suggest(shop_registry.store, encoder.encode_documents)
    assert pairs(found)[0] == ("client_number", "customer_number")
    assert found[0].confidence >= MINIMUM
    assert found[0].reasons["description"] > 0.5
    assert suggest(shop_registry.store) == []


def test_observed_transitions_are_evidence(shop_registry, trace):
    before = suggest(shop_registry.store, minimum=0)
    shop_registry.import_traces([trace("find", "mail", trace_id=str(i)) for i in range(3)])
    after = suggest(shop_registry.store, minimum=0)
    assert all("flow" not in s.reasons for s in before)
    flowed = {(s.output, s.input): s.reasons.get("flow") for s in after}
    assert flowed["client_number", "customer_number"] == 1.0
    assert flowed.get(("client_number", "weather_report")) is None


def seen(count, first="k-", result="badge", argument="weather_report"):
    """Trajectories in which a value of `find` became an argument of `other`."""
    return [
        Trace.model_validate(
            {
                "trace_id": f"{first}{i}",
                "request": "x",
                "steps": [
                    {"tool": "find", "result": {result: f"value-{i}"}},
                    {"tool": "other", "arguments": {argument: f"value-{i}"}},
                ],
            }
        )
        for i in range(count)
    ]


def judged(registry, output="badge", taken="weather_report"):
    found = suggest(registry.store, minimum=0, count=500)
    return next((s for s in found if (s.output, s.input) == (output, taken)), None)


def test_observed_values_are_evidence_of_their_own_that_grows(shop_registry):
    assert judged(shop_registry) is None
    heard = []
    for size in (1, 2, 12):
        shop_registry.import_traces(seen(size))  # those that are known count no more
        heard.append(judged(shop_registry))
    assert [s.observed for s in heard] == [1, 2, 12]
    assert heard[0].confidence >= MINIMUM
    assert heard[0].confidence < heard[1].confidence < heard[2].confidence < 1
    circumstances = sum(WEIGHTS[kind] * value for kind, value in heard[2].reasons.items())
    expected = 1 - (1 - circumstances) * HALF / (HALF + 12)
    assert heard[2].confidence == pytest.approx(expected, abs=1e-3)


def test_observed_values_weigh_less_when_they_fade_and_still_show_their_count(shop_registry):
    from datetime import UTC, datetime, timedelta

    from spm.registry.traces.statistics import decay

    old = [t.model_copy(update={"time": datetime(2026, 1, 1, tzinfo=UTC)}) for t in seen(8)]
    shop_registry.import_traces(old)
    fresh = judged(shop_registry)
    decay(shop_registry.store, timedelta(days=30), datetime(2026, 3, 2, tzinfo=UTC))
    faded = judged(shop_registry)
    (row,) = shop_registry.store.read("fields/observed")
    assert (row["count"], row["weight"]) == (8, 2)
    assert (fresh.observed, faded.observed) == (8, 8)
    assert faded.confidence < fresh.confidence
    shop_registry.import_traces(seen(1, first="later"))
    assert shop_registry.store.read("fields/observed")[0]["weight"] == 3


def test_whatever_was_observed_is_suggested_beside_the_best_guesses(registry, manifest):
    gives = [f"badge_{c}" for c in "abcdef"]
    registry.register(
        manifest("s", find=([], [*gives, "weather_1", "weather_2"]), other=(["weather_report"], []))
    )
    for name in gives:
        registry.import_traces(seen(1, first=name, result=name))
    found = suggest(registry.store, minimum=0)
    assert {s.output for s in found if s.observed} == set(gives)
    assert len(found) <= len(gives) + PER_FIELD


def test_what_is_made_or_was_handed_on_is_not_suggested(registry, manifest):
    registry.register(
        manifest(
            "s",
            find=([], ["badge", "weather_reports_total"]),
            make=([], ["weather_report"]),
            other=(["weather_report"], []),
            last=(["weather_report"], []),
        )
    )
    assert suggest(registry.store, minimum=0) == []
    registry.import_traces(seen(3))
    assert suggest(registry.store, minimum=0) == []
    rows = registry.store.read("map/feeding", service="s")
    assert {row["evidence"] for row in rows} == {"declared", "observed"}


def test_only_required_fields_that_nobody_makes_are_asked_for(registry, manifest):
    registry.register(
        manifest(
            "s",
            make=([], ["order_id", "invoice_id"]),
            take=(["order_id"], []),
            maybe={"inputs": [{"name": "invoice_ref", "required": False}]},
        )
    )
    assert suggest(registry.store, minimum=0) == []


def test_what_steers_a_call_is_never_suggested(shop_registry):
    named = {name for pair in pairs(suggest(shop_registry.store, minimum=0)) for name in pair}
    assert named
    assert not named & {"page", "api_key"}


def test_suggestions_are_bounded_and_best_first(registry, manifest):
    makers: dict[str, Any] = {f"make{i}": ([], [f"invoice_part{i}_x"]) for i in range(6)}
    registry.register(manifest("s", take=(["invoice_number", "invoice_sum"], []), **makers))
    found = suggest(registry.store, minimum=0)
    assert len(found) == 2 * PER_FIELD
    assert [s.confidence for s in found] == sorted((s.confidence for s in found), reverse=True)
    assert len(suggest(registry.store, minimum=0, count=2)) == 2
    assert suggest(registry.store, minimum=1) == []


def test_an_empty_registry_has_nothing_to_suggest(registry):
    assert suggest(registry.store, lambda texts: np.ones((len(texts), 2), np.float32)) == []


def test_a_role_is_suggested_as_the_id_of_people_and_what_unblocks_most_comes_first(
    registry, manifest
):
    registry.register(
        manifest(
            "s",
            find=([], ["user_id", "hook_delivery_id"]),
            one=(["approver_id", "delivery_id"], []),
            two=(["approver_id"], []),
            three=(["approver_id", "subject", "mode", "access_token"], []),
        )
    )
    found = suggest(registry.store)
    assert [(s.says, s.unblocks) for s in found] == [
        ("approver_id is a user_id", 3),
        ("delivery_id is a hook_delivery_id", 1),
    ]
    assert found[0].command == "spm fields is approver_id user_id"
    assert found[0].because.startswith("a role that people have")
    declare(registry.store, "approver_id", "user_id", "Ann")
    assert [s.input for s in suggest(registry.store)] == ["delivery_id"]


def test_what_another_service_makes_is_half_as_likely(registry, manifest):
    registry.register(manifest("s", find=([], ["hook_delivery_id"])))
    registry.register(manifest("t", one=(["delivery_id"], [])))
    (far,) = suggest(registry.store, minimum=0)
    registry.register(manifest("t", look=([], ["hook_delivery_id"])))
    (near,) = suggest(registry.store, minimum=0)
    assert far.confidence == pytest.approx(near.confidence * ELSEWHERE)


def test_what_feeds_covers_is_not_suggested(registry, manifest):
    registry.register(
        manifest(
            "s",
            find=([], ["badge", "hook_delivery_id"]),
            list_delivery=([], ["delivery_id"]),
            other=(["delivery_id"], []),
        )
    )
    assert registry.store.read("exchange/feeds", ids=["s/list_delivery"])
    assert suggest(registry.store, minimum=0) == []


def expenses(takes, description, makes="colleague_id", needs="", verb="find"):
    """Somebody looks up colleagues, and somebody else takes one under another name."""
    look = {"inputs": [{"name": needs}] if needs else [], "outputs": [{"name": makes}]}
    return {
        f"{verb}_colleague": look,
        "submit": {"inputs": [{"name": takes, "description": description}]},
    }


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("approver_id", "The colleague who approves it"),
        ("approver", "The colleague that approves it"),
        ("second_id", "A trusted colleague whom to ask next"),
    ],
)
def test_a_description_says_who_is_meant(registry, manifest, name, description):
    registry.register(manifest("s", **expenses(name, description)))
    (found,) = suggest(registry.store)
    assert (found.output, found.input, found.unblocks) == ("colleague_id", name, 1)
    assert "its description says so" in found.because
    declare(registry.store, name, "colleague_id", "Ann")
    assert [row["producer"] for row in registry.store.read("map/feeding", service="s")]


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("approver_email", "The colleague who approves it"),
        ("approver_name", "The colleague who approves it"),
        ("approver_id", "Friend of colleague who approves it"),
    ],
)
def test_a_description_that_says_no_id(registry, manifest, name, description):
    registry.register(manifest("s", **expenses(name, description)))
    assert suggest(registry.store) == []


def test_a_name_is_no_id(registry, manifest):
    registry.register(manifest("s", **expenses("client_name", "", makes="lead_client_id")))
    assert suggest(registry.store, minimum=0) == []
    registry.register(manifest("t", **expenses("client_name", "", makes="lead_client_name")))
    assert {s.output for s in suggest(registry.store, minimum=0)} == {"lead_client_name"}


def test_who_lacks_the_input_itself_feeds_nobody(registry, manifest):
    said = "The colleague who approves it"
    registry.register(manifest("s", **expenses("approver_id", said, needs="approver_id")))
    assert suggest(registry.store, minimum=0) == []


def test_what_makes_no_edge_is_not_suggested(registry, manifest):
    registry.register(manifest("s", **expenses("approver_id", "The colleague who", verb="notify")))
    assert suggest(registry.store, minimum=0) == []


# -- a person's word ---------------------------------------------------------------------------


def test_a_merge_is_kept_with_who_reviewed_it_and_suggested_no_more(shop_registry, encoder):
    row = merge(shop_registry.store, "customerNumbers", "Client Number", "Ann")
    assert row == {"field": "client_number", "same": "customer_number", "reviewed_by": "Ann"}
    (kept,) = shop_registry.store.read("fields/reviewed")
    assert {key: kept[key] for key in row} == row
    assert kept["at"]
    found = suggest(shop_registry.store, encoder.encode_documents, minimum=0)
    assert ("client_number", "customer_number") not in pairs(found)


def test_paths_and_plans_go_through_merged_fields_until_they_are_split(shop_registry):
    store = shop_registry.store
    assert shop_registry.paths("find", "mail") == []
    assert shop_registry.plan([], "mail").ask == ["customer_number"]
    merge(store, "client_number", "customer_number", "Ann")
    (path,) = shop_registry.paths("find", "mail")
    assert [(hop.source, hop.target) for hop in path.hops] == [("s/find", "s/mail")]
    plan = shop_registry.plan([], "mail")
    assert (plan.steps, plan.ask) == (["s/find", "s/mail"], [])
    assert shop_registry.plan(["client_number"], "mail").steps == ["s/mail"]
    assert split(store, "customer_number", "client_number") == {
        "field": "client_number",
        "same": "customer_number",
    }
    assert shop_registry.paths("find", "mail") == []
    assert shop_registry.plan([], "mail").ask == ["customer_number"]


def test_a_menu_lifts_who_makes_a_merged_field(shop_registry, encoder):
    shop_registry.encode(encoder)

    def find():
        items = shop_registry.menu("mail the customer").items
        return next(item for item in items if item.id == "s/find")

    before = find()
    assert before.signals["flow_out"] == 0
    merge(shop_registry.store, "client_number", "customer_number", "Ann")
    after = find()
    assert after.signals["flow_out"] > 0
    assert after.score > before.score


def test_merging_twice_leaves_one_edge(shop_registry):
    for by in ("Ann", "Bob"):
        merge(shop_registry.store, "client_number", "customer_number", by)
    (kept,) = shop_registry.store.read("fields/reviewed")
    assert kept["reviewed_by"] == "Bob"


def test_a_merge_outlives_a_new_registration_of_both_sides(shop_registry, manifest):
    merge(shop_registry.store, "client_number", "customer_number", "Ann")
    changed = {"description": "new", "outputs": [{"name": "client_number"}]}
    shop_registry.register(manifest("s", find=changed))
    assert shop_registry.paths("find", "mail")


@pytest.mark.parametrize("act", [lambda s, a, b: merge(s, a, b, "Ann"), split])
def test_unknown_fields_are_refused_with_the_nearest(shop_registry, act):
    with pytest.raises(UnknownField, match="client_number"):
        act(shop_registry.store, "client_numbr", "customer_number")
    with pytest.raises(UnknownField):
        act(shop_registry.store, "customer_number", "zzz")


def test_a_field_cannot_be_merged_with_itself(shop_registry):
    with pytest.raises(InputError, match="one field already"):
        merge(shop_registry.store, "client_number", "Client Numbers", "Ann")


def test_what_was_never_merged_cannot_be_split(shop_registry):
    revision = shop_registry.status()["revision"]
    with pytest.raises(InputError, match=r"never merged\. See: spm fields list"):
        split(shop_registry.store, "client_number", "customer_number")
    assert shop_registry.status()["revision"] == revision
