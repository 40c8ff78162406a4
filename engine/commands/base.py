"""What every command is."""

__all__ = ["Command"]


class Command:
    """A request; each is a frozen dataclass that says what it returns."""

    __slots__ = ()
