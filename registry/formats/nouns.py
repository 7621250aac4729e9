"""Which thing a field or a schema is about: nouns, owners, and names that say nothing alone."""

import re
from functools import lru_cache

from spm.registry.formats.loading import clean
from spm.registry.naming import fold as _fold

fold = lru_cache(50_000)(_fold)  # the same few thousand names, again and again

# How and with whom one talks, not what about: such a field would join every tool with every other.
# Never an output; as an input never required. Folded names.
NOISE = frozenset(
    "page page_size page_number page_token page_info per_page pagesize limit offset skip top "
    "cursor start_cursor end_cursor next_cursor previous_cursor prev_cursor next next_page "
    "next_page_token next_token nextlink next_link next_url next_page_url previous previous_page "
    "prev prev_page previous_url pagination paging starting_after ending_before max_results "
    "has_more has_next has_previous has_next_page has_previous_page total_count total_pages "
    "total_items total_results total_elements api_key apikey x_api_key authorization access_token "
    "refresh_token id_token bearer_token auth_token client_secret x_auth_token api_version "
    "x_api_version request_id x_request_id correlation_id x_correlation_id trace_id traceparent "
    "idempotency_key x_idempotency_key etag e_tag if_match if_none_match if_modified_since "
    "if_unmodified_since accept accept_language accept_encoding content_type content_length "
    "content_language user_agent cache_control cookie set_cookie x_csrf_token csrf_token locale "
    "x_ratelimit_limit x_ratelimit_remaining x_ratelimit_reset retry_after links self "
    "pretty_print pretty quota_user".split()
)
# Wrappings: what is inside belongs to what is around them.
ENVELOPES = frozenset(
    "data result results item items response responses payload content contents record records "
    "value values object objects body attributes embedded edges node nodes entity entities list "
    "rows entries docs elements members collection hits d output return".split()
)
# Names that say nothing without their owner.
GENERIC = frozenset(
    "id ids uid uuid guid key name names title label slug code number ref reference type kind "
    "status state description summary text body content value url uri href link path email phone "
    "address date time timestamp created updated created_at updated_at deleted_at created_on "
    "updated_on create_time update_time date_created start end amount total count quantity price "
    "currency size version hash sha token color note notes comment comments tags category".split()
)
# What the names of schemas have around the noun.
_AROUND = frozenset(
    "get list create update patch put post delete fetch find search retrieve add upsert new api "
    "rest http paginated paged page full minimal simple basic base partial short detailed detail "
    "details extended nullable public response responses request requests reply result results dto "
    "model schema type object input output params parameters param arguments args payload body "
    "resource entity collection array items data info summary view envelope wrapper "
    "definition properties schemas definitions defs value a an the of for with and to".split()
)
_IRREGULAR = {
    "people": "person", "children": "child", "indices": "index", "vertices": "vertex",
    "statuses": "status", "buses": "bus", "caches": "cache", "analyses": "analysis",
    "aliases": "alias", "movies": "movie", "cookies": "cookie", "menus": "menu", "apis": "api",
    "series": "series", "news": "news", "species": "species", "bonuses": "bonus",
    "axes": "axis", "matrices": "matrix", "lens": "lens", "canvases": "canvas",
}  # fmt: skip


def belongs(name: str, owner: str, *, nested: bool = False) -> str:
    """Whose a field is, if its own name does not say: `id` in an order is the order's.

    Args:
        name: of the field.
        owner: the noun of what it stands in.
        nested: whether it stands in an inner object, where every single word needs its owner.
    """
    folded = fold(name)
    generic = folded in GENERIC or (nested and "_" not in folded)
    return owner[:256] if generic and folded != owner else ""


def noun(name: object) -> str:
    """What a schema describes, by its title or its reference: `OrderListResponse` is an order."""
    if not isinstance(name, str) or len(name) > 400:
        return ""
    # The part that names: after the last slash of a reference, after the last dot of a package.
    for part in reversed(name.replace("~1", "/").rpartition("/")[2].split(".")):
        spelled = fold(clean(part)).split("_")
        parts = [w for w in spelled if w and not re.fullmatch(r"v?[0-9]+\w{0,8}", w)]
        while parts and parts[-1] in _AROUND:
            parts.pop()
        while parts and parts[0] in _AROUND:
            parts.pop(0)
        if parts:
            return singular("_".join(parts))[:256] if len(parts) <= 4 else ""
    return ""


def singular(name: str) -> str:
    """The singular of a folded English noun, as well as rules can tell."""
    head, _, last = name.rpartition("_")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif re.search(r"[^aeiou]ies$", last) and len(last) > 4:
        last = last[:-3] + "y"
    elif re.search(r"(?:ss|sh|ch|x|zz)es$", last):
        last = last[:-2]
    elif re.search(r"[^sui]s$", last) and len(last) > 2:
        last = last[:-1]
    return f"{head}_{last}" if head else last
