"""A model behind an OpenAI-compatible endpoint: one question, one message, with patience.

Servers differ: arguments come as text or as an object, ids are missing, content comes in parts. All
that is evened out here. The key goes into one header and nowhere else.
"""

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from spm.evaluation.agent.protocol import SEED
from spm.registry.addresses import address
from spm.registry.calling.arguments import Invalid, parsed
from spm.registry.calling.client import Response, Unreachable, post
from spm.registry.errors import EndpointError, EndpointRefused, InputError
from spm.registry.menus.provider_names import OPENAI

Json = dict[str, Any]
CHAT = "/chat/completions"
AGAIN = (408, 409, 425, 429)  # and everything from 500 on
ONE = (400, 413, 422)  # this request is too long or malformed; the next one may be fine
MAX_WAIT = 120.0  # seconds; who asks for more is not waited for
SAID = 300  # characters of a server's message


@dataclass(frozen=True)
class Asked:
    """A call that the model asks for, as it said it."""

    id: str
    name: str
    arguments: object

    def message(self) -> Json:
        """The call as it goes back with the history.

        Servers refuse a whole conversation for a name or for arguments that they would not take
        from anybody, so that what the model got wrong is evened out; the observation tells it.
        """
        name = self.name if OPENAI.fits(self.name) else OPENAI.illegal.sub("_", self.name)[:64]
        try:
            arguments = json.dumps(parsed(self.arguments))
        except Invalid:
            arguments = "{}"
        called = {"name": name or "tool", "arguments": arguments}
        return {"id": self.id, "type": "function", "function": called}


@dataclass(frozen=True)
class Reply:
    """One message of the model, and what it cost."""

    text: str
    calls: tuple[Asked, ...]
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def message(self) -> Json:
        """The message as it goes back with the history."""
        found: Json = {"role": "assistant", "content": self.text}
        return {**found, "tool_calls": [c.message() for c in self.calls]} if self.calls else found


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked, and how.

    Attributes:
        base_url: such as `http://localhost:8000/v1`.
        model: what the server calls it.
        key: of the Authorization header; empty for servers that want none.
        temperature: 0 for the likeliest words.
        seed: for servers that draw all the same.
        more: other keys of the request; null takes one away that would be sent.
        timeout: seconds without an answer.
        retries: how often a busy or failing server is asked again.
        sleep: waits.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    temperature: float = 0.0
    seed: int = SEED
    more: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 120.0
    retries: int = 5
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        """Refuse what cannot be asked.

        Raises:
            InputError: the address is none, or the key cannot stand in a header.
        """
        address(self.base_url, "--base-url")
        if not (self.key.isascii() and self.key.isprintable()) or " " in self.key:
            raise InputError(
                "The key holds spaces or characters that a header cannot carry. "
                "Look at what OPENAI_API_KEY is set to; it is not shown here."
            )

    @property
    def url(self) -> str:
        """Where chats go."""
        parts = address(self.base_url, "--base-url")
        path = parts.path.rstrip("/").removesuffix(CHAT) + CHAT
        return parts._replace(path=path, fragment="").geturl()

    def chat(self, messages: Sequence[Json], tools: Sequence[Json]) -> Reply:
        """Ask for the next message.

        Raises:
            EndpointRefused: the server does not take this conversation.
            EndpointError: nobody answers, or not as a chat does.
        """
        body: Json = {"model": self.model, "messages": list(messages)}
        if tools:  # an empty list is refused
            body["tools"] = list(tools)
        body |= {"temperature": self.temperature, "seed": self.seed, **self.more}
        sent = {key: value for key, value in body.items() if value is not None}
        response = self._answer(sent)
        try:
            return _reply(response.json(), len(messages))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise EndpointError(
                f"{self._shown} answered, but not with a chat completion: {self._said(response)}. "
                "Does --base-url lead to an OpenAI-compatible server (…/v1)?"
            ) from error

    def _answer(self, body: Json) -> Response:
        """The first answer that is no refusal to work right now."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        problem = ""
        for tried in range(self.retries + 1):
            wait = _backoff(tried)
            try:
                response = post(self.url, body, self.timeout, headers)
            except Unreachable as error:
                problem = str(error)
                if error.final:
                    raise self._unreachable(problem) from error
            else:
                if response.status < 300:
                    return response
                problem = f"{response.status}: {self._said(response)}"
                if response.status not in AGAIN and response.status < 500:
                    raise self._refusal(response)
                wait = _retry_after(response, wait)
                if wait > MAX_WAIT:
                    raise EndpointError(
                        f"{self._shown} asks to wait {wait:,.0f} seconds ({problem}). Go on then; "
                        "with --out and --resume nothing finished is run again."
                    )
            if tried < self.retries:
                self.sleep(wait)
        raise EndpointError(
            f"{self._shown} failed {self.retries + 1} times, at last with {problem}. Look at the "
            "server, or raise --retries or --timeout; with --out and --resume nothing finished is "
            "run again."
        )

    def _unreachable(self, problem: str) -> EndpointError:
        return EndpointError(
            f"{self._shown} cannot be reached: {problem}. Start the server, or correct --base-url."
        )

    def _refusal(self, response: Response) -> EndpointError:
        said, status = self._said(response), response.status
        if status in ONE:
            return EndpointRefused(f"{self._shown} does not take the request ({status}): {said}")
        if status in (401, 403):
            hint = "Set OPENAI_API_KEY to a key that may use this model."
        elif status == 404:
            hint = f"Does it know the model {self.model!r}, and does --base-url end as it should?"
        else:
            hint = "Correct --base-url: it must lead straight to the server."
        return EndpointError(f"{self._shown} answered {status}: {said}. {hint}")

    @property
    def _shown(self) -> str:
        return repr(self.url.partition("?")[0])

    def _said(self, response: Response) -> str:
        """A server's own words, without the key that some of them repeat."""
        try:
            found: Any = response.json()
            found = found.get("error", found)
            text = str(found.get("message", found) if isinstance(found, dict) else found)
        except (ValueError, AttributeError):
            text = response.body.decode("utf-8", "replace")
        text = text.replace(self.key, "[key]") if self.key else text
        return " ".join(text.split())[:SAID].rstrip(".") or "no message"


def _reply(document: Any, turn: int) -> Reply:
    message = document["choices"][0]["message"]
    used = document.get("usage") or {}
    calls = [
        Asked(
            str(call.get("id") or f"call{turn:03d}{place:02d}"),
            str(call["function"].get("name") or ""),
            call["function"].get("arguments"),
        )
        for place, call in enumerate(message.get("tool_calls") or [])
    ]
    return Reply(
        _text(message.get("content")),
        tuple(calls),
        int(used.get("prompt_tokens") or 0),
        int(used.get("completion_tokens") or 0),
    )


def _text(content: object) -> str:
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _backoff(tried: int) -> float:
    """One second, then twice as long each time; not all at once after a common failure."""
    return float(min(2**tried, 30)) * random.uniform(0.75, 1.25)


def _retry_after(response: Response, otherwise: float) -> float:
    """The seconds that a server asks for, as a number or as a date."""
    said = response.headers.get("Retry-After", "").strip()
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(said)
    except ValueError:
        return otherwise
    moment = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
