"""The options of `spm agent run`: requests, model, backend and judge."""

import json
import os
from pathlib import Path
from urllib.parse import urlsplit

import typer

from spm.cli.views.console import note
from spm.evaluation.agent import Agent, Endpoint
from spm.evaluation.agent.backends import backend as backend_of
from spm.evaluation.agent.judge import judge as judge_of
from spm.registry.addresses import is_loopback
from spm.registry.errors import InputError
from spm.registry.menus.golden import GoldenRequest, read_golden

KEY = "OPENAI_API_KEY"


def goldens(
    request: str | None,
    requests: Path | None,
    folder: Path | None,
    split: str,
    limit: int | None,
    state: tuple[str, ...],
) -> list[GoldenRequest]:
    """The requests that are meant, each once.

    Raises:
        typer.BadParameter: none is meant, or in two ways.
        InputError: a file cannot be used.
    """
    if sum(source is not None for source in (request, requests, folder)) != 1:
        raise typer.BadParameter("give one of: a request in quotes, --requests or --folder")
    if state and request is None:
        raise typer.BadParameter('--state goes with one request; in files it is "state": […]')
    if request is not None:
        return [GoldenRequest(request, (), state)]
    if requests is not None:
        found = list(read_golden(requests, open_ended=True))
    else:
        from spm.evaluation.datasets import read

        assert folder is not None
        episodes = read(folder).part(split)
        found = [GoldenRequest(e.request, tuple(e.path), tuple(e.state)) for e in episodes]
    once = list(dict.fromkeys(found))
    if len(once) < len(found):
        note(f"{len(found) - len(once)} requests stand there twice; each is run once.")
    if not once:
        raise InputError(f"{str(requests or folder)!r} has no request to run.")
    return once[:limit]


def endpoint(
    base_url: str,
    model: str,
    temperature: float,
    seed: int,
    body: str,
    timeout: float,
    retries: int,
) -> Endpoint:
    """The model that is meant; its key comes from the environment and is shown nowhere.

    Raises:
        typer.BadParameter: something is missing or no JSON.
        InputError: the address or the key cannot be used.
    """
    if not base_url or not model:
        raise typer.BadParameter(
            "a model is needed: --base-url http://HOST:PORT/v1 (or $OPENAI_BASE_URL) and --model"
        )
    try:
        more = json.loads(body)
    except ValueError:
        more = None
    if not isinstance(more, dict):
        raise typer.BadParameter("--body must be a JSON object")
    key = os.environ.get(KEY, "").strip()
    made = Endpoint(base_url, model, key, temperature, seed, more, timeout, retries)
    parts = urlsplit(made.url)
    if key and parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        note(f"The key goes to {parts.hostname} unencrypted: http.")
    return made


def agent(
    endpoint: Endpoint,
    backend: str,
    judge: str | None,
    asked: list[GoldenRequest],
    calls: int,
    approved: bool,
) -> tuple[Agent, str]:
    """The model with its backend and judge, and what the judge is called.

    Raises:
        typer.BadParameter: a path is to judge, and none is known.
        InputError: there is no such backend or judge.
    """
    known = any(golden.path for golden in asked)
    if judge == "path" and not known:
        raise typer.BadParameter("--judge path needs requests with a path")
    named = judge or ("path" if known else "none")
    tools = backend_of(backend, seed=endpoint.seed, timeout=endpoint.timeout)
    return Agent(endpoint, tools, judge_of(named), calls, approved), named
