"""Canonical field names: what decides whether one tool's output meets another's input.

Case, separators and plurals are folded. Names that say nothing alone (id, name, date …) are
qualified by what they belong to. Names that steer a call rather than carry data (paging, keys,
formats) are never produced, so that they link nothing.
"""

from spm.registry.naming import words

# Say nothing without an owner: `id` of an order is another field than `id` of a customer.
GENERIC = frozenset(
    "id identifier uuid guid key code number no num nr name title label type kind category class "
    "status state date time datetime timestamp day month year start end begin finish from to "
    "value amount total count quantity size length rate score rank level price currency "
    "url link uri href image img photo picture icon file path text content body message note "
    "description desc summary detail info information comment query q search keyword term "
    "data result response output input item list object record entry element "
    "slug symbol tag version source target language lang country region "
    "address phone first last min max average".split()
)
# Steer the call; nobody hands them from one tool to the next.
CONTROL = frozenset(
    "page page_number page_size per_page page_token next_page next_page_token limit offset cursor "
    "skip take max_result sort sort_by sort_order order_by order_direction direction ascending "
    "api_key apikey access_token auth_token authorization bearer client_secret secret password "
    "format output_format response_format pretty verbose debug callback jsonp locale timezone "
    "x_request_id request_id etag user_agent accept content_type success error error_message "
    "error_code status_code http_status total_count total_page total_result has_more".split()
)
_KEEP_S = frozenset(
    "address status news series species analysis basis access business process class pass gas bus "
    "lens canvas alias sms gps https dns css aws ios os less address's previous plus minus bonus "
    "campus census focus radius virus corpus thesis axis crisis always this is has was".split()
)
_KEEP_IE = frozenset(
    "movie cookie calorie zombie selfie rookie pie tie lie die genie brownie".split()
)


def singular(word: str) -> str:
    """The singular of an English noun, by rule; unknown endings stay as they are."""
    if (
        len(word) < 4
        or word in _KEEP_S
        or not word.endswith("s")
        or word.endswith(("ss", "us", "is"))
    ):
        return word
    if word.endswith("ies"):
        return word[:-1] if word[:-1] in _KEEP_IE else word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes", "tuses")):
        return word[:-2]
    return word[:-1]


def folded(name: str) -> list[str]:
    """The words of a name in lower case, the last one in the singular."""
    parts = words(name)
    return [*parts[:-1], singular(parts[-1])] if parts else []


def canonical(name: str, owner: str = "") -> str:
    """The name under which a field meets others.

    `orderIDs` is `order_id`; `id` with the owner `Customers` is `customer_id`; without an owner a
    generic name stays as it is.
    """
    parts = folded(name)
    if all(part in GENERIC for part in parts):
        noun = folded(owner)
        if noun and parts[: len(noun)] != noun:
            parts = [*noun, *parts]
    return "_".join(parts)


def is_generic(name: str) -> bool:
    """Whether a name says nothing without its owner."""
    return all(part in GENERIC for part in folded(name))


def is_control(name: str) -> bool:
    """Whether a name steers a call (paging, keys, formats) instead of carrying data."""
    return "_".join(folded(name)) in CONTROL
