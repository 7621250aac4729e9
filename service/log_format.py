"""Logs as JSON lines on standard error, without the text of requests."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

requests = logging.getLogger("spm.requests")


class JsonLines(logging.Formatter):
    """One object a line; what a record carries as `told` becomes members of it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def install() -> None:
    """Let all logs of this process be such lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)


def request(**told: object) -> None:
    """Write the line of a request; looks at health that went well are not worth one."""
    quiet = told["route"] in ("/healthz", "/readyz", "/metrics") and told["status"] == 200
    requests.log(
        logging.DEBUG if quiet else logging.INFO,
        "%s %s %s", told["method"], told["route"], told["status"], extra={"told": told},
    )  # fmt: skip
