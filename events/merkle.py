"""A Merkle tree over the events' hashes (RFC 9162 §2.1). Only its frontier is stored: it is enough to extend the tree
and to compute its root.

The frontier contains the root of each perfect subtree, the largest first. There is one subtree for each bit of the
tree's size that is 1.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

from events.late_dataclass import dataclass

__all__ = ["Frontier"]


@dataclass(frozen=True, slots=True)
class Frontier:
    """A tree of `size` leaves."""

    size: int = 0
    roots: tuple[bytes, ...] = ()

    def extended(self, leaves: Iterable[bytes]) -> "Frontier":
        """Return the tree extended by `leaves`, 32 bytes each."""
        size, roots = self.size, list(self.roots)
        for leaf in leaves:
            node, carried = sha256(b"\0" + leaf).digest(), size
            while carried & 1:
                node = sha256(b"\1" + roots.pop() + node).digest()
                carried >>= 1
            roots.append(node)
            size += 1
        return Frontier(size, tuple(roots))

    def root(self) -> bytes:
        """Return the tree's hash, 32 bytes; for an empty tree, the hash of no bytes."""
        if not self.roots:
            return sha256().digest()
        node = self.roots[-1]
        for left in reversed(self.roots[:-1]):
            node = sha256(b"\1" + left + node).digest()
        return node

    def to_hex(self) -> list[str]:
        """Return the subtrees' roots as text, for a file."""
        return [root.hex() for root in self.roots]

    @staticmethod
    def from_hex(size: int, roots: Sequence[str]) -> "Frontier":
        """Return the tree from the text that `to_hex` wrote.

        Raises:
            ValueError: a tree of that size does not have this number of roots.
        """
        found = tuple(bytes.fromhex(root) for root in roots)
        if size < 0 or len(found) != size.bit_count() or any(len(root) != 32 for root in found):
            raise ValueError(f"{len(found)} subtrees do not make a tree of {size} leaves.")
        return Frontier(size, found)
