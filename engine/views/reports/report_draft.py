"""A report draft: the parts that a chat offers for a report, and the blocks chosen so far, in order. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from engine.rendering.plans import ChartPlan, ImagesPlan, TablePlan
from engine.views.chat import ChatView
from engine.views.exchanges import Exchange, exchanges
from engine.views.model_info import without_offer
from engine.views.placement import results_of, without_places
from engine.views.reports.report_file import (
    Block,
    ReportFile,
    read_report,
    report_blocks,
    report_text,
    written_report,
)
from events.late_dataclass import dataclass

__all__ = ["DraftBlock", "Offer", "ReportDraft", "draft_of", "offers_of"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A part of the chat that a report can show."""

    key: str
    """The key: `answer:MESSAGE_ID` or `result:NAME`."""
    question: str
    label: str
    note: str
    """A note such as `table, 5 rows`."""
    kind: str
    """The kind: `answer`, `table`, `chart` or `picture`."""
    text: str = ""
    """The text of an answer."""
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class DraftBlock:
    """A block with an id. The id stays the same when blocks move, so that the block's fields on the page keep their
    contents.
    """

    id: int
    block: Block
    source: str = ""
    """The key of the offer from which the block was made; "" for a text by the user."""


@dataclass(frozen=True, slots=True)
class ReportDraft:
    """The draft, with its last saved state."""

    title: str
    subtitle: str = ""
    blocks: tuple[DraftBlock, ...] = ()
    path: str = ""
    """The file that the draft was saved to; "" before it is saved."""
    saved: str = ""
    """The text that was saved."""
    removed: tuple[tuple[int, DraftBlock], ...] = field(default=())
    """The removed blocks, each with its place, in the order in which they were removed."""
    revision: int = 0
    """The number of changes that did not come from the draft's own fields and checkboxes. After such a change, the page
    draws the fields again, because the browser may still have their old values.
    """

    @property
    def text(self) -> str:
        """Return the report file's text."""
        body = report_text([one.block for one in self.blocks])
        return written_report(ReportFile(self.title, self.subtitle, body))

    @property
    def is_saved(self) -> bool:
        """Whether the file has this text."""
        return bool(self.path) and self.saved == self.text

    def saved_as(self, path: str) -> "ReportDraft":
        """Return the draft marked as saved in a file."""
        return replace(self, path=path, saved=self.text)

    def has(self, key: str) -> bool:
        """Return whether a block with this key is in the report."""
        return any(one.source == key for one in self.blocks)

    def with_offer(self, offer: Offer) -> "ReportDraft":
        """Return the draft with an offer at its end."""
        if offer.kind == "answer":
            return self._with(Block(offer.text), offer.key)
        return self._with(Block(offer.label, offer.key.removeprefix("result:")), offer.key)

    def with_text(self, place: int) -> "ReportDraft":
        """Return the draft with an empty text before the block at `place`."""
        added = DraftBlock(self._next(), Block())
        return replace(self, blocks=(*self.blocks[:place], added, *self.blocks[place:]))

    def with_text_above(self, block_id: int) -> "ReportDraft":
        """Return the draft with an empty text before a block."""
        return self.with_text(next(at for at, one in enumerate(self.blocks) if one.id == block_id))

    def changed(self, block_id: int, text: str) -> "ReportDraft":
        """Return the draft in which a block has a new text or caption."""
        blocks = (
            replace(b, block=replace(b.block, text=text)) if b.id == block_id else b for b in self.blocks
        )
        return replace(self, blocks=tuple(blocks))

    def moved(self, block_id: int, by: int) -> "ReportDraft":
        """Return the draft with a block moved by this many places."""
        blocks = list(self.blocks)
        at = next(place for place, one in enumerate(blocks) if one.id == block_id)
        to = max(0, min(len(blocks) - 1, at + by))
        blocks.insert(to, blocks.pop(at))
        return replace(self, blocks=tuple(blocks))

    def without(self, key: str = "", block_id: int | None = None) -> "ReportDraft":
        """Return the draft without the blocks of an offer, or without one block. `restored` adds the last removed block
        again.
        """
        out = [(at, b) for at, b in enumerate(self.blocks) if (b.source == key if key else b.id == block_id)]
        kept = tuple(b for b in self.blocks if all(b is not one for _, one in out))
        revision = self.revision + (not key)
        return replace(self, blocks=kept, removed=(*self.removed, *out), revision=revision)

    def restored(self) -> "ReportDraft":
        """Return the draft with the last removed block."""
        if not self.removed:
            return self
        at, block = self.removed[-1]
        blocks, revision = (*self.blocks[:at], block, *self.blocks[at:]), self.revision + 1
        return replace(self, blocks=blocks, removed=self.removed[:-1], revision=revision)

    def _with(self, block: Block, source: str) -> "ReportDraft":
        return replace(self, blocks=(*self.blocks, DraftBlock(self._next(), block, source)))

    def _next(self) -> int:
        return 1 + max((one.id for one in (*self.blocks, *(b for _, b in self.removed))), default=0)


def draft_of(text: str, path: str, offers: Sequence[Offer], revision: int = 0) -> ReportDraft:
    """Return the draft of a report file; blocks that the chat offers are recognized as such."""
    file = read_report(text)
    answers = {offer.text.strip(): offer.key for offer in offers if offer.kind == "answer"}
    blocks = tuple(
        DraftBlock(
            number, block, f"result:{block.result}" if block.result else answers.get(block.text.strip(), "")
        )
        for number, block in enumerate(report_blocks(file.body), 1)
    )
    draft = ReportDraft(file.title, file.subtitle, blocks, path, revision=revision)
    return replace(draft, saved=draft.text)


def offers_of(view: ChatView) -> list[Offer]:
    """Return the parts that the current branch offers, in order; if several results have the same name, only the
    last."""
    found = [offer for one in exchanges(view) for offer in _of_exchange(one)]
    last = {offer.key: offer for offer in found}
    return [offer for offer in found if last[offer.key] is offer]


def _of_exchange(exchange: Exchange) -> Iterator[Offer]:
    question, answer = exchange.question.text, exchange.answer
    if answer is not None:
        text = without_places(without_offer(answer.content)[0]).strip()
        words = len(text.split())
        note = f"{words:,} word{'' if words == 1 else 's'}"
        yield Offer(f"answer:{answer.message_id}", question, "Answer", note, "answer", text)
    for result in results_of([call for step in exchange.steps for call in step.calls]):
        plan = result.plan
        if not plan.name or not isinstance(plan, TablePlan | ChartPlan | ImagesPlan):
            continue
        kind = (
            "table" if isinstance(plan, TablePlan) else "chart" if isinstance(plan, ChartPlan) else "picture"
        )
        rows = result.call.result.get("row_count") if isinstance(result.call.result, dict) else None
        counted = (
            f", {rows:,} row{'' if rows == 1 else 's'}" if kind == "table" and isinstance(rows, int) else ""
        )
        label = plan.title or plan.name.replace("_", " ").capitalize()
        yield Offer(
            f"result:{plan.name}", question, label, f"{kind}{counted}", kind, call_id=result.call.call_id
        )
