"""Canonical field names: they decide whether an output of one tool is an input of another.

Case, separators and plurals are folded. Names that say nothing alone (id, name, date …) are
qualified by what they belong to. Names that steer a call rather than carry data (paging, keys,
formats) are never produced, so that they link nothing.
"""

import re
from functools import lru_cache

from spm.registry.catalog.naming import words

# What things have. A name made only of such words (id, start_date, first_name, created_at) says
# nothing without its owner: `id` of an order is another field than `id` of a customer.
ATTRIBUTES = frozenset(
    "id identifier uid uuid guid key code number no num nr ref reference index hash sha "
    "name title label slug type kind status state version "
    "date time datetime timestamp day month year start end begin finish from to at on "
    "created updated deleted create update modified "
    "value amount total count quantity size length rate score rank level price currency "
    "first last full min max average".split()
)
# Alone these say as little, but they can own an attribute themselves: `message_id` is complete.
GENERIC = ATTRIBUTES | frozenset(
    "symbol tag color category class token url link uri href path image img photo picture icon "
    "file text content body message note description desc summary detail info information comment "
    "query q search keyword term data result response output input item list object record entry "
    "element source target language lang country region email phone address".split()
)
# Steer a call or say with whom one talks, not what about; nobody hands them from tool to tool.
_CONTROL = (
    "page page_number page_size page_token page_info pagesize per_page next_page next_page_token "
    "next_page_url next_token next_link nextlink next_url next_cursor next prev prev_page "
    "prev_cursor previous previous_page previous_cursor previous_url pagination paging "
    "starting_after ending_before start_cursor end_cursor cursor limit offset skip take top "
    "max_results sort sort_by sort_order order_by order_direction direction ascending has_more "
    "has_next has_previous has_next_page has_previous_page total_count total_pages total_items "
    "total_results total_elements quota_user api_key apikey x_api_key access_token refresh_token "
    "id_token bearer bearer_token auth_token x_auth_token authorization client_secret secret "
    "password csrf_token x_csrf_token cookie set_cookie format output_format response_format "
    "pretty pretty_print expand verbose debug callback jsonp locale timezone api_version "
    "x_api_version "
    "request_id x_request_id correlation_id x_correlation_id trace_id traceparent idempotency_key "
    "x_idempotency_key etag e_tag if_match if_none_match if_modified_since if_unmodified_since "
    "user_agent accept accept_language accept_encoding content_type content_length "
    "content_language cache_control x_ratelimit_limit x_ratelimit_remaining x_ratelimit_reset "
    "retry_after links self success error error_message error_code status_code http_status".split()
)
_IRREGULAR = {
    "people": "person", "children": "child", "indices": "index", "vertices": "vertex",
    "statuses": "status", "buses": "bus", "caches": "cache", "analyses": "analysis",
    "aliases": "alias", "movies": "movie", "cookies": "cookie", "calories": "calorie",
    "menus": "menu", "apis": "api", "series": "series", "news": "news", "species": "species",
    "bonuses": "bonus", "axes": "axis", "matrices": "matrix", "lens": "lens",
    "canvases": "canvas", "canvas": "canvas", "alias": "alias", "gas": "gas", "sms": "sms",
    "gps": "gps", "https": "https", "dns": "dns", "css": "css", "aws": "aws", "ios": "ios",
    "skus": "sku", "cpus": "cpu", "gpus": "gpu", "uris": "uri", "kpis": "kpi", "taxis": "taxi",
    "emojis": "emoji", "viruses": "virus", "campuses": "campus", "lenses": "lens", "gases": "gas",
    "quizzes": "quiz", "crises": "crisis", "theses": "thesis", "diagnoses": "diagnosis",
    "hypotheses": "hypothesis", "selfies": "selfie", "zombies": "zombie", "bias": "bias",
}  # fmt: skip
# The s of IDs and URLs, which camel case would take for the beginning of a word.
_ACRONYMS = re.compile(r"(?<=[A-Z]{2})s(?![a-z])")
_IES = re.compile(r"[^aeiou]ies$")
_ES = re.compile(r"(?:ss|sh|ch|x|zz)es$")
_S = re.compile(r"[^sui]s$")


@lru_cache(50_000)
def singular(word: str) -> str:
    """The singular of an English noun in lower case, as well as rules can tell."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and _IES.search(word):
        return word[:-3] + "y"
    if _ES.search(word):
        return word[:-2]
    return word[:-1] if len(word) > 2 and _S.search(word) else word


def folded(name: str) -> list[str]:
    """The words of a name in lower case, the last one in the singular."""
    parts = words(_ACRONYMS.sub("", name))
    for at in range(len(parts) - 1, 0, -1):
        if parts[at - 1] == "e" and parts[at] in ("mail", "mails"):  # E-mail, eMail
            parts[at - 1 : at + 1] = [f"e{parts[at]}"]
    return [*parts[:-1], singular(parts[-1])] if parts else []


def canonical(name: str, owner: str = "") -> str:
    """The name under which a field meets others.

    `orderIDs` is `order_id`; `id` with the owner `Customers` is `customer_id`; without an owner a
    generic name stays as it is.
    """
    parts = folded(name)
    if _says_nothing(parts):
        noun = folded(owner)
        if noun and parts[: len(noun)] != noun:
            parts = [*noun, *parts]
    return "_".join(parts)


def is_generic(name: str) -> bool:
    """Whether a name says nothing without its owner."""
    return _says_nothing(folded(name))


def _says_nothing(parts: list[str]) -> bool:
    if len(parts) == 1:
        return parts[0] in GENERIC
    return all(part in ATTRIBUTES for part in parts)


def is_control(name: str) -> bool:
    """Whether a name steers a call (paging, keys, formats) instead of carrying data."""
    return "_".join(folded(name)) in CONTROL


CONTROL = frozenset("_".join(folded(name)) for name in _CONTROL)
