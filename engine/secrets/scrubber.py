"""Removes secrets from everything that is stored or sent (LOG-6): each secret becomes `[secret:NAME]`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from engine.secrets.secret_encodings import SecretEncoding, cased, encodings_of, longest_encoding
from engine.secrets.secret_names import short_name
from engine.secrets.secret_variables import SHORTEST
from events.late_dataclass import dataclass

__all__ = ["Scrubber"]

_CHUNK = 1 << 20

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class _Secret:
    name: str
    begins: tuple[str, ...]
    """The spellings of the secret without encoding.

    Text that has only partly arrived may end with the beginning of one of these spellings.
    """
    marker: str
    forms: tuple[SecretEncoding, ...]
    wide: bytes
    """The secret in UTF-16, which some systems use for text files. The last zero byte is left out, so that the secret
    is found in either byte order.
    """
    is_number: bool


@dataclass(frozen=True, slots=True)
class _Known:
    values: Mapping[str, str]
    secrets: tuple[_Secret, ...]
    """All secrets, the longest first, so that a secret inside another one is not found first."""
    longest: int
    has_number: bool


class Scrubber:
    """Finds the secrets that `values` returns. Thread-safe."""

    def __init__(self, values: Callable[[], Mapping[str, str]]) -> None:
        """`values`, such as `Vault.values`, is called at each use; each different result is compiled only once."""
        self._values = values
        self._lock = Lock()
        self._made = _Known({}, (), 0, False)

    def __repr__(self) -> str:
        return f"Scrubber({len(self._made.secrets)} secrets)"

    def text(self, text: str) -> str:
        """Return `text` with every secret in it replaced; the same object if it contains no secret."""
        return _scrubbed(self._known(), text)

    def json(self, value: Value) -> Value:
        """Return a JSON value with secrets in its keys and values replaced; the same object if there are none.

        The value may be nested to any depth. A number whose digits are a secret becomes text.
        """
        known = self._known()
        if not _may_hold(known, value) or not any(_differs(known, leaf) for leaf in _leaves(value)):
            return value
        result: list[Any] = [value]
        waiting: list[tuple[Any, Any]] = [(result, 0)]
        while waiting:
            parent, place = waiting.pop()
            node = parent[place]
            if isinstance(node, dict):
                fresh: Any = _with_keys(known, node)
                waiting += [(fresh, key) for key in fresh]
            elif isinstance(node, list | tuple):
                fresh = list(node)
                waiting += [(fresh, index) for index in range(len(fresh))]
            else:
                fresh = _leaf(known, node)
            parent[place] = fresh
        scrubbed: Value = result[0]
        return scrubbed

    def may_begin(self, text: str) -> int:
        """Return how many characters at the end of `text` may be the beginning of a secret."""
        known = self._known()
        if not known.secrets:
            return 0
        return max(_overlap(text, written) for secret in known.secrets for written in secret.begins)

    def bytes_hold(self, data: bytes) -> tuple[str, ...]:
        """Return the short names of the secrets in `data`, sorted."""
        known = self._known()
        return tuple(sorted({secret.name for secret in known.secrets if _holds(secret, data)}))

    def file_holds(self, path: Path) -> tuple[str, ...]:
        """Return the short names of the secrets in a file, sorted. The file is read piece by piece.

        Raises:
            OSError: the file cannot be read.
        """
        known = self._known()
        missing = list(known.secrets)
        found: set[str] = set()
        step = max(_CHUNK, known.longest)
        rest = b""
        with path.open("rb") as file:
            while missing and (piece := file.read(step)):
                data = rest + piece
                found |= {secret.name for secret in missing if _holds(secret, data)}
                missing = [secret for secret in missing if secret.name not in found]
                rest = data[-known.longest :]
        return tuple(sorted(found))

    def _known(self) -> _Known:
        values = self._values()
        made = self._made
        if values == made.values:
            return made
        with self._lock:
            self._made = _compiled(dict(values))
            return self._made


def _compiled(values: Mapping[str, str]) -> _Known:
    names = {short_name(name) for name in values}
    distinct: dict[str, str] = {}
    for name, value in values.items():
        stands_in_a_marker = any(value in f"[secret:{other}]" for other in names)
        if len(value) >= SHORTEST and not stands_in_a_marker:
            distinct.setdefault(value.strip(), short_name(name))
    markers = [f"[secret:{name}]" for name in names]
    secrets = tuple(
        _Secret(
            name,
            (value, value[::-1], *cased(value)),
            f"[secret:{name}]",
            _outside(markers, encodings_of(value)),
            value.encode("utf-16-le", "surrogatepass")[:-1],
            all(sign in "0123456789.-+eE" for sign in value),
        )
        for value, name in sorted(distinct.items(), key=lambda item: -len(item[0]))
    )
    longest = max((longest_encoding(value) for value in distinct), default=0)
    return _Known(values, secrets, longest, any(secret.is_number for secret in secrets))


def _outside(markers: Sequence[str], forms: tuple[SecretEncoding, ...]) -> tuple[SecretEncoding, ...]:
    """Return the forms that match none of the markers. A form that matches a marker would be found again in the text
    that replaced a secret.
    """
    return tuple(
        form
        for form in forms
        if not any(
            anchor in marker and form.pattern.search(marker) for anchor in form.anchors for marker in markers
        )
    )


def _scrubbed(known: _Known, text: str) -> str:
    for secret in known.secrets:
        for form in secret.forms:
            for anchor in form.anchors:
                if anchor in text:
                    text = form.pattern.sub(lambda _, marker=secret.marker: marker, text)  # type: ignore[misc]
                    break
    return text


def _overlap(text: str, value: str) -> int:
    """Return the length of the longest ending of `text` with which `value` begins, if it is shorter than `value`."""
    first = value[0]
    at = text.find(first, max(0, len(text) - len(value) + 1))
    while at >= 0:
        if value.startswith(text[at:]):
            return len(text) - at
        at = text.find(first, at + 1)
    return 0


def _holds(secret: _Secret, data: bytes) -> bool:
    if secret.wide in data:
        return True
    text: str | None = None
    for form in secret.forms:
        if any(anchor in data for anchor in form.byte_anchors):
            text = data.decode("utf-8", "replace") if text is None else text
            if form.pattern.search(text):
                return True
    return False


def _leaves(value: Any) -> Iterator[Any]:
    """Yield every text and number in a JSON value, including keys."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield from node
            waiting += node.values()
        elif isinstance(node, list | tuple):
            waiting += node
        else:
            yield node


def _may_hold(known: _Known, value: Any) -> bool:
    """Return whether a piece of any secret is in a JSON value. All its texts are searched at once."""
    if not known.secrets:
        return False
    kinds = (str, int, float) if known.has_number else str
    text = "\0".join(str(leaf) for leaf in _leaves(value) if isinstance(leaf, kinds))
    return any(anchor in text for secret in known.secrets for form in secret.forms for anchor in form.anchors)


def _leaf(known: _Known, node: Any) -> Any:
    if isinstance(node, str):
        return _scrubbed(known, node)
    if known.has_number and isinstance(node, int | float) and not isinstance(node, bool):
        written = str(node)
        scrubbed = _scrubbed(known, written)
        return node if scrubbed == written else scrubbed
    return node


def _differs(known: _Known, node: Any) -> bool:
    return isinstance(node, str | int | float) and _leaf(known, node) != node


def _with_keys(known: _Known, node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object with its keys scrubbed. Keys that become equal are numbered, so that nothing is lost."""
    fresh: dict[str, Any] = {}
    for key, value in node.items():
        name = scrubbed = _scrubbed(known, key)
        number = 2
        while name in fresh or (name != key and name in node):
            name, number = f"{scrubbed} ({number})", number + 1
        fresh[name] = value
    return fresh
