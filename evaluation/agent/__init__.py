"""A model in front of a menu: runs over an OpenAI-compatible endpoint, judged, kept as traces."""

from spm.evaluation.agent.endpoint import Endpoint
from spm.evaluation.agent.runner import Agent, Episode, run

__all__ = ["Agent", "Endpoint", "Episode", "run"]
