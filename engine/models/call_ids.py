"""Call ids in requests: each provider accepts its own format."""

import hashlib
import re
from dataclasses import field

from engine.models.messages import ToolRequest
from events.late_dataclass import dataclass

__all__ = ["CallIds", "IdRule"]


@dataclass(frozen=True, slots=True)
class IdRule:
    """The rule for call ids that a provider accepts."""

    fits: re.Pattern[str]
    required: bool = True
    """Whether every call must have an id. If not, calls without an id from the provider are sent back without an id."""
    digits: int = 0
    """The number of hexadecimal digits in Anabranch's ids; 0 means the usual form, `call_` and 24 digits."""


@dataclass(slots=True)
class CallIds:
    """Makes ids for one request: the provider's own id if it is usable and unique, else an id made from Anabranch's."""

    rule: IdRule
    _used: set[str] = field(default_factory=set)

    def of(self, request: ToolRequest) -> str:
        """Return the id of a call; empty if it needs no id."""
        given = request.provider_call_id
        if not given and not self.rule.required:
            return ""
        tries = 0
        wire_id = given
        while not self.rule.fits.fullmatch(wire_id) or wire_id in self._used:
            wire_id = self._made(f"{request.call_id}/{tries}" if tries else request.call_id)
            tries += 1
        self._used.add(wire_id)
        return wire_id

    def _made(self, seed: str) -> str:
        digest = hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()
        return digest[: self.rule.digits] if self.rule.digits else f"call_{digest[:24]}"
