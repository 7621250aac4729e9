"""`spm schema`."""

from spm.registry.store.schema import LABELS, RELATIONSHIPS


def test_the_model_names_labels_types_and_indexes(in_shop):
    out = in_shop("schema").out
    assert "(:Tool)-[:FEEDS]->(:Tool)" in " ".join(out.split())
    assert "tool_id" in out
    model = in_shop("schema", "--json").json
    assert {one["name"] for one in model["labels"]} == set(LABELS)
    assert {one["name"] for one in model["relationships"]} == set(RELATIONSHIPS)
    assert all(one["count"] is None for one in model["labels"])
    kinds = {(one["kind"], one["label"], one["property"]) for one in model["indexes"]}
    assert {
        ("constraint", "Tool", "id"),
        ("index", "Tool", "key"),
        ("vector index", "Trajectory", "vector"),
        ("fulltext index", "Tool", "terms"),
    } <= kinds


def test_counts_are_those_of_the_store(in_shop):
    model = in_shop("schema", "--counts", "--json").json
    counted = {one["name"]: one["count"] for one in model["labels"]}
    assert (counted["Tool"], counted["Token"]) == (100, 0)
    edges = {one["name"]: one["count"] for one in model["relationships"]}
    rows = in_shop("cypher", "MATCH ()-[e:FEEDS]->() RETURN count(e) AS n", "--json").json
    assert edges["FEEDS"] == rows[0]["n"] > 0
