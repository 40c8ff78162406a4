"""Long analyses by questions: rows are removed and changed, the user rewinds and branches, states are compared.

The analyst answers each question from its text and from the results of its calls. Like a model after compaction, it
keeps no state between questions. The expected values are computed separately, in Python.
"""

import json
import random
import re
from collections import Counter
from dataclasses import dataclass, field

from engine.app.app import App
from engine.commands.catalog import Ask, ChangeSetting, CreateChat, RewindChat, SelectLeaf, Upload
from tests.support.policy import Seen, query, say, tool
from tests.support.providers.replies import Call, Reply
from tests.support.providers.server import fake_provider

__all__ = ["CHANGED", "LongAnalysis", "Turn"]

Rows = dict[int, int]
"""Order → amount."""
CHANGED = "'replaced': 1"
"""What the answer to a change says."""
_ASKED = re.compile(
    r"(Remove order|Double order|What left since|Total of both|Total at|Total of branch)[^.?]*[.?]"
)


def analyst(body: object) -> Reply:
    """Answer the last question of a request: first with calls, then from their results."""
    messages = body["messages"]  # type: ignore[index]
    at = max(n for n, m in enumerate(messages) if m["role"] == "user" and _ASKED.search(str(m["content"])))
    asked = _ASKED.search(str(messages[at]["content"]))
    assert asked is not None
    words = asked[0]
    called = any(m["role"] == "assistant" for m in messages[at:])
    numbers = [int(number) for number in re.findall(r"-?\b\d+\b", words)]
    names = re.findall(r"\bm\d+\b", words)
    if called:
        result = Seen(body).results[-1]
        rows = result.get("rows") if isinstance(result, dict) else None
        return say(f"It is {json.dumps(rows[0])}." if rows else f"Done: {str(result)[:300]}")
    if words.startswith("Remove"):
        edit = tool("edit_file", path="orders.csv", old=f"\n{numbers[0]},{numbers[1]}\n", new="\n")
        return say("I name the files first.", Call("name_moment", {"name": names[0]}), edit)
    if words.startswith("Double"):
        old, new = f"\n{numbers[0]},{numbers[1]}\n", f"\n{numbers[0]},{numbers[1] * 2}\n"
        edit = tool("edit_file", path="orders.csv", old=old, new=new)
        return say("I name the files first.", Call("name_moment", {"name": names[0]}), edit)
    return say("I compare.", query(_sql(words, names, numbers)))


def _sql(words: str, names: list[str], numbers: list[int]) -> str:
    if words.startswith("What left"):
        left = f"SELECT * FROM {names[0]}.orders EXCEPT ALL SELECT * FROM orders"
        return f"SELECT count(*), coalesce(sum(amount), 0)::INT FROM ({left})"
    if words.startswith("Total of both"):
        both = " UNION ALL ".join(f"SELECT * FROM {name}.orders" for name in names)
        return f"SELECT count(*), sum(amount)::INT FROM ({both})"
    schema = f"branch {numbers[0]}" if "branch" in words else f"at {numbers[0]}"
    return f'SELECT count(*), sum(amount)::INT FROM "{schema}".orders'


def _said(amounts: list[int]) -> str:
    """How the answer states the number of rows and their total."""
    return f"It is [{len(amounts)}, {sum(amounts)}]."


@dataclass
class Turn:
    """One question, its answer, and the expected values."""

    question: str
    answer: str
    right: str

    @property
    def is_right(self) -> bool:
        """Whether the answer has the expected values."""
        return self.right in self.answer


@dataclass
class LongAnalysis:
    """One long analysis, generated from a seed, in a new chat."""

    app: App
    seed: int
    turns: list[Turn] = field(default_factory=list)

    def play(self, count: int) -> list[Turn]:
        """Ask `count` questions, with rewinds and branches in between."""
        self.dice = random.Random(self.seed)
        self.rows: Rows = {n: self.dice.randint(1, 900) for n in range(1, 41)}
        self.named: dict[str, Rows] = {}
        self.positions: dict[int, Rows] = {}
        self.app.send(ChangeSetting("recheck_numbers", False))  # the analyst writes each answer once
        with fake_provider("openai", policy=analyst) as server:
            self.chat_id = self.app.send(CreateChat(model="openai:gpt-5", base_url=server.base_url))
            for number in range(count):
                self._turn(number, changes=number < 3 or (number < count - 5 and self.dice.random() < 0.4))
            assert server.problems == []
        return self.turns

    def _turn(self, number: int, *, changes: bool) -> None:
        if number and number % 7 == 0:
            self._go_back()
        uploads = [Upload("orders.csv", self._csv())] if number == 0 else []
        question, right = self._change() if changes else self._compare()
        turn = self.app.send(Ask(self.chat_id, question, uploads))
        assert self.app.wait(turn.turn_id, 500)
        self.turns.append(Turn(question, self.app.chat(self.chat_id).branch()[-1].text, right))
        self.positions[self.app.log.head()] = dict(self.rows)

    def _csv(self) -> bytes:
        return "\n".join(["id,amount", *(f"{n},{amount}" for n, amount in self.rows.items()), ""]).encode()

    def _go_back(self) -> None:
        """Rewind to an earlier answer, or select it and leave the files of this branch there."""
        position = self.dice.choice(sorted(self.positions)[:-1])
        if self.dice.random() < 0.5:
            self.app.send(RewindChat(self.chat_id, position))
        else:
            then = self.app.chat(self.chat_id, at=position)
            self.app.send(SelectLeaf(self.chat_id, then.leaf))
        self.rows = dict(self.positions[position])
        self.positions[self.app.log.head()] = dict(self.rows)

    def _change(self) -> tuple[str, str]:
        name = f"m{len(self.named)}"
        self.named[name] = dict(self.rows)
        order = self.dice.choice(sorted(self.rows))
        amount = self.rows[order]
        if self.dice.random() < 0.5:
            del self.rows[order]
            return f"Remove order {order} of {amount}, and call the files before {name}.", CHANGED
        self.rows[order] = amount * 2
        return f"Double order {order} of {amount}, and call the files before {name}.", CHANGED

    def _compare(self) -> tuple[str, str]:
        kind = self.dice.randrange(4)
        if kind == 0:
            name = self.dice.choice(sorted(self.named))
            left = Counter(self.named[name].items()) - Counter(self.rows.items())
            return f"What left since {name}?", _said([amount for (_, amount), _ in left.items()])
        if kind == 1:
            one, other = self.dice.choices(sorted(self.named), k=2)
            return f"Total of both {one} and {other}?", _said(
                [*self.named[one].values(), *self.named[other].values()]
            )
        if kind == 2:
            position = self.dice.choice(sorted(self.positions))
            return f"Total at {position}?", _said(list(self.positions[position].values()))
        return f"Total of branch {self._branch()}?", _said(list(self.rows.values()))

    def _branch(self) -> int:
        """The number of the branch that the next question is on; its first message is counted by hand."""
        view = self.app.chat(self.chat_id)
        messages = sorted(view.messages.values(), key=lambda message: message.position)
        first_children = {message.parent_id: message.message_id for message in reversed(messages)}
        begun = [
            m.message_id
            for m in messages
            if m.parent_id is None or first_children[m.parent_id] != m.message_id
        ]
        if view.leaf in first_children:
            return len(begun) + 1
        return max(n for n, first in enumerate(begun, 1) if first in {m.message_id for m in view.branch()})
