"""From a store to the arrays of a snapshot.

What is taken from the snapshot before: the vectors and the terms of every text that has not
changed; on a server these are nearly all that goes over the line. Read anew each time: tools,
fields, steps and counts, which a handful of queries bring.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spm.gnn.arrays.from_store import codes_of, counts_of, incidence, paths_of
from spm.gnn.arrays.library import Counts, Feeders, Ints, Rows
from spm.gnn.arrays.merged_fields import merge_fields
from spm.gnn.snapshot.bm25_index import indexed
from spm.gnn.snapshot.container import Container
from spm.gnn.snapshot.map_cards import collect_cards, collect_inputs, kinds_asked
from spm.gnn.snapshot.snapshot import AccessClasses
from spm.gnn.snapshot.strings import Texts
from spm.registry.catalog.naming import words
from spm.registry.encoding import node_texts, recorded
from spm.registry.frontier.frontier import Floats
from spm.registry.search import bm25
from spm.registry.store.interface import Kind, Row, Store

Arrays = dict[str, NDArray[Any]]
CARD = ("name", "title", "description", "effects")


def collect(store: Store, before: Container | None) -> tuple[dict[str, Any], Arrays] | None:
    """What a snapshot says and holds; None while texts lack their vectors.

    A server searches the words of encoded texts alone, so only a complete state has one answer.
    """
    texts = {kind: _texts(store, kind) for kind in ("tool", "trajectory")}
    if None in texts.values():
        return None
    state = store.read("state/registry")
    tools = sorted(store.read("library/tools"), key=lambda row: row["id"])
    number = {row["id"]: at for at, row in enumerate(tools)}
    ways = paths_of(store.read("library/steps"), number)
    asked = sorted(ways.keys() & (texts["trajectory"] or {}).keys())
    others = sorted(ways.keys() - set(asked))
    paths = Rows.of([ways[name] for name in (*asked, *others)])
    distinct = [list(dict.fromkeys(paths[row].tolist())) for row in range(len(paths))]
    followers = counts_of(store.read("library/precedes"), number)
    said, fields = _fields(store, number)
    feeds = store.read("library/feeds")
    cards = collect_cards(store, tools, feeds)
    inputs, input_digests = collect_inputs(store, tools, cards, before)
    access = AccessClasses.of(tools)
    said["access_cards"] = access.cards
    arrays = {
        **_tools(tools),
        "access.numbers": access.numbers,
        **fields,
        **_rows("paths", paths),
        **_rows("ways", Rows.of(distinct)),
        **_counts("followers", followers),
        **_counts("leaders", followers.turned()),
        **_counts("later", counts_of(store.read("library/before"), number)),
        **_feeders(Feeders.of(feeds, number)),
        **_strings("map", cards),
        **_strings("inputs", inputs),
        "inputs.digests": input_digests,
        "trajectory.kinds": kinds_asked([(texts["trajectory"] or {})[name][0] for name in asked]),
        **_encoded(store, "tool", list(number), texts["tool"] or {}, before),
        **_encoded(store, "trajectory", asked, texts["trajectory"] or {}, before),
    }
    said["revision"] = int(state[0]["revision"]) if state else 0
    return {**said, "encoder": recorded(store)}, arrays


def _texts(store: Store, kind: Kind) -> dict[str, tuple[str, str]] | None:
    """Every text with its digest; None when one has no vector, or the vector of another text."""
    encoded = store.encoded(kind)
    found = {}
    for one in node_texts(store, kind):
        found[one.id] = one.text, one.digest
        if encoded.get(one.id) != one.digest:
            return None
    return found


def _tools(tools: Sequence[Row]) -> Arrays:
    spelled = [frozenset(words(row["name"])) for row in tools]
    known = {word: at for at, word in enumerate(sorted(frozenset().union(*spelled)))}
    return {
        **_strings("tool.ids", Texts.of(row["id"] for row in tools)),
        **_strings("cards", Texts.of(json.dumps({c: row[c] for c in CARD}) for row in tools)),
        "family": codes_of([row["family"] for row in tools]),
        "service": codes_of([row["service"] for row in tools]),
        "frequency": np.array([row["frequency"] for row in tools], dtype=np.float32),
        "entries": np.array([row["entry_frequency"] for row in tools], dtype=np.float32),
        **_rows("words", Rows.of([sorted(map(known.__getitem__, name)) for name in spelled])),
    }


def _fields(store: Store, number: dict[str, int]) -> tuple[dict[str, Any], Arrays]:
    """Which tool takes and gives what, and the words in which people speak of it."""
    pairs = [(row["field"], row["same"]) for row in store.read("insight/same")]
    inputs = [row for row in store.read("insight/inputs") if row["id"] in number]
    gives = [row for row in store.read("insight/outputs") if row["id"] in number]
    takes = [row for row in inputs if row["required"]]
    vocabulary = store.read("fields/vocabulary")
    code = {row["field"]: at for at, row in enumerate(vocabulary)}
    taken, given = (incidence(rows, number, code, {}) for rows in (takes, gives))
    merged = merge_fields(list(code), taken, given, pairs)
    arrays = {
        **_strings("fields", Texts.of(merged.fields)),
        **_strings("vocabulary", Texts.of(map(json.dumps, vocabulary))),
        **_rows("takes", merged.takes),
        **_rows("gives", merged.gives),
        **_rows("declared.takes", taken),
        **_rows("declared.gives", given),
        **_rows("mentions", incidence([*inputs, *gives], number, code, {})),
    }
    return {"same": merged.same, "pairs": pairs}, arrays


def _feeders(feeders: Feeders) -> Arrays:
    return {
        "feeds.starts": feeders.starts,
        "feeds.producers": feeders.producers,
        "feeds.weights": feeders.weights,
        **_rows("feeds.carried", feeders.carried),
        **_strings("feeds.fields", Texts.of(feeders.fields)),
    }


def _encoded(
    store: Store,
    kind: Kind,
    ids: Sequence[str],
    texts: Mapping[str, tuple[str, str]],
    before: Container | None,
) -> Arrays:
    """Ids, vectors and the index of their texts; what has not changed is copied."""
    digests = np.array([int(texts[node][1], 16) for node in ids], dtype=np.uint64).view(np.int64)
    source = _sources(kind, ids, digests, before, recorded(store))
    new = np.flatnonzero(source < 0).tolist()
    fresh = store.vectors(kind, [ids[at] for at in new])
    kept = before.arrays[f"{kind}.vectors"] if before is not None and len(new) < len(ids) else fresh
    vectors: Floats = np.zeros((len(ids), max(kept.shape[1], fresh.shape[1])), dtype=np.float32)
    vectors[source >= 0] = kept[source[source >= 0]]
    if new:  # of no texts, a server cannot say how wide their vectors are
        vectors[new] = fresh
    old = None if before is None else before.part(f"{kind}.index.")
    fresh_texts = {at: texts[ids[at]][0] for at in new}
    gains_of = bm25.tool_gains if kind == "tool" else bm25.request_gains
    index = indexed(fresh_texts, gains_of, len(ids), old, source)
    return {
        **(
            _grams(fresh_texts, source, before)
            if kind == "tool"
            else _strings(f"{kind}.ids", Texts.of(ids))
        ),
        f"{kind}.digests": digests,
        f"{kind}.vectors": vectors,
        **{f"{kind}.index.{name}": values for name, values in index.items()},
    }


def _grams(texts: Mapping[int, str], source: Ints, before: Container | None) -> Arrays:
    """The grams of titles and names; those of texts that have not changed are copied."""
    old = None
    if before is not None:
        old = Rows(before.arrays["grams.starts"], before.arrays["grams.values"])
    found = [
        bm25.tool_grams(texts[at]) if old is None or at in texts else old[int(source[at])]
        for at in range(len(source))
    ]
    return _rows("grams", Rows.of(found))


def _sources(
    kind: Kind, ids: Sequence[str], digests: Ints, before: Container | None, encoder: str | None
) -> Ints:
    """Where each text stood in the snapshot before; -1 where it is new or was another."""
    if before is None or before.said["encoder"] != encoder:
        return np.full(len(ids), -1, dtype=np.int64)
    names = Texts(before.arrays[f"{kind}.ids.starts"], before.arrays[f"{kind}.ids.data"])
    place = {name: at for at, name in enumerate(names)}
    known = before.arrays[f"{kind}.digests"]
    found = np.array([place.get(node, -1) for node in ids], dtype=np.int64)
    if len(known):
        found[known[found] != digests] = -1
    return found


def _strings(name: str, texts: Texts) -> Arrays:
    return {f"{name}.starts": texts.starts, f"{name}.data": texts.data}


def _rows(name: str, rows: Rows) -> Arrays:
    return {f"{name}.starts": rows.starts, f"{name}.values": rows.values}


def _counts(name: str, counts: Counts) -> Arrays:
    return {
        f"{name}.starts": counts.starts,
        f"{name}.others": counts.others,
        f"{name}.counts": counts.counts,
    }
