"""The numbers of an answer with their origins (TIM-11), for the page, the CLI and the API."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.numbers.evidence import Evidence
from engine.numbers.judged_sentence import JudgedSentence
from engine.numbers.reviewed_number import ReviewedNumber
from engine.numbers.traced_number import TracedNumber
from engine.numbers.traced_reply import TracedReply
from engine.system.weighted_cache import WeightedCache
from engine.views.answer_number import AnswerNumber
from engine.views.briefed_tables import BriefedTables
from engine.views.chat import CallView, ChatView, MessageView
from engine.views.number_evidence import ResultTables, files_told, quoted_numbers, replaced_results
from engine.views.rerun_numbers import answered_before, numbers_now, run_of, sentences_now
from engine.views.vouched_numbers import VouchedCell, with_vouched
from engine.workspace.blobs import BlobStore

__all__ = ["AnswerNumbers", "whole_answer"]

_KEPT = 20_000
"""The maximum number of traced numbers in the cache."""
_MOST_CALLS = 100
"""The maximum number of earlier calls whose results are searched for an answer's numbers. If there are more, the latest
are searched. A number's panel says how many were searched.
"""

_Key = tuple[str, str, bool, frozenset[tuple[int, VouchedCell | None]]]
"""Chat, answer, whether a re-run wrote the answer, and the cells that the user confirmed in the answer before the
re-run."""


class AnswerNumbers:
    """Traces the numbers of answers. Traces are cached, because an answer and the results before it never change."""

    def __init__(self, chat: Callable[[str], ChatView], blobs_of: Callable[[str], BlobStore]) -> None:
        self._chat, self._briefed, self._tables = chat, BriefedTables(blobs_of), ResultTables()
        self._found: WeightedCache[_Key, tuple[AnswerNumber, ...]] = WeightedCache(
            _KEPT, lambda numbers: len(numbers) + 1
        )

    def of(self, view: ChatView, message_id: str) -> tuple[AnswerNumber, ...]:
        """Return the numbers of an answer or a draft, in order; none while its turn is running, and none in the list of
        commands that `/help` shows.
        """
        message = view.messages.get(message_id)
        turn = view.turns.get(message.turn_id or "") if message is not None else None
        if message is None or not _answer_text(message) or (turn and (turn.reason is None or turn.by_user)):
            return ()
        run = run_of(view, message_id)
        old = answered_before(view, run, message) if run is not None else None
        confirmed = (
            frozenset(view.vouched.get(old.message_id, {}).items()) if old is not None else frozenset()
        )
        key = view.chat_id, message_id, run is not None, confirmed
        found = self._found.get(key)
        if found is None:
            if run is not None and old is not None:
                tables = self._evidence(view, message_id).every
                found = numbers_now(run, self._confirmed(view, old.message_id), tables)
            else:
                review = view.reviews.get(message_id)
                evidence = replace(
                    self._evidence(view, message_id),
                    workings=message.workings,
                    review=review.numbers if review is not None else (),
                )
                found = _numbered(_answer_text(message), evidence)
            self._found.put(key, found)
        return found

    def answer(self, chat_id: str, message_id: str) -> tuple[AnswerNumber, ...]:
        """Return the numbers of an answer in the current state of its chat."""
        return self.of(self._chat(chat_id), message_id)

    def sentences(self, view: ChatView, message_id: str) -> list[JudgedSentence]:
        """Return the sentences of an answer on a branch that ran again, and whether each is still true."""
        run, message = run_of(view, message_id), view.messages.get(message_id)
        old = answered_before(view, run, message) if run is not None and message is not None else None
        if run is None or old is None:
            return []
        now = self.of(view, message_id)
        tables = self._evidence(view, message_id).every
        return sentences_now(run, old, self._confirmed(view, old.message_id), now, tables)

    def _confirmed(self, view: ChatView, message_id: str) -> tuple[AnswerNumber, ...]:
        """Return the numbers of an answer, with the cells that the user confirmed for them."""
        cells = {at: cell for at, cell in view.vouched.get(message_id, {}).items() if cell is not None}
        return tuple(replace(with_vouched(one, cells), vouched=False) for one in self.of(view, message_id))

    def of_reply(
        self,
        chat_id: str,
        message_id: str,
        text: str,
        workings: str,
        review: tuple[ReviewedNumber, ...] = (),
    ) -> TracedReply | None:
        """Return the numbers of a reply that is not recorded yet and would follow `message_id`, with their evidence.
        Return None if there are neither tables nor results on the branch up to `message_id`.
        """
        known = self._evidence(self._chat(chat_id), message_id)
        evidence = replace(known, workings=workings, review=review)
        return TracedReply(text, tuple(_traced(text, evidence)), evidence) if evidence.every else None

    def in_text(self, view: ChatView, leaf: str, text: str) -> tuple[AnswerNumber, ...]:
        """Return the numbers in a text by the user, such as a report, traced on the branch that ends at `leaf`."""
        return _numbered(text, self._evidence(view, leaf))

    def _evidence(self, view: ChatView, message_id: str) -> Evidence:
        """Return the evidence for an answer at the end of a branch."""
        path = view.branch(message_id)
        parts = [view.data_parts[one.message_id] for one in path if one.message_id in view.data_parts]
        told, files = self._briefed.told(view.chat_id, parts)
        calls: list[CallView] = [
            call for message in path for call in message.calls if call.status == "success"
        ]
        calls = calls[-_MOST_CALLS:]
        tables = [table for call in calls for table in self._tables.of(view.chat_id, call)]
        questions = tuple(message.text for message in path if message.role == "user" and message.text)
        replaced, quoted = replaced_results([*tables, *told], calls), quoted_numbers(calls)
        return Evidence(tuple(tables), questions, (*files, *files_told(calls)), replaced, told, quoted)

    def forget(self) -> None:
        """Drop all cached traces, so that everything is traced again."""
        self._found.clear()
        self._tables.forget()


def _answer_text(message: MessageView) -> str:
    """Return the text of an answer, or of a draft of an answer; "" for other messages."""
    return "" if message.role == "user" else message.text if message.sent_back else message.content


def _numbered(text: str, evidence: Evidence) -> tuple[AnswerNumber, ...]:
    numbers, place = [], 0
    for traced in _traced(text, evidence):
        place += traced.status != "plain"
        numbers.append(AnswerNumber(place if traced.status != "plain" else 0, traced, evidence.every))
    return tuple(numbers)


def _traced(text: str, evidence: Evidence) -> list[TracedNumber]:
    from engine.numbers.trace import trace  # noqa: PLC0415 - imports the matcher when it is first needed

    return trace(text, evidence)


def whole_answer(answer: str, numbers: Sequence[AnswerNumber]) -> bool:
    """Return whether an answer was examined to its end. Of a long answer, only the first numbers are traced."""
    from engine.numbers.trace import MOST_CHARACTERS, MOST_NUMBERS  # noqa: PLC0415 - as above

    return len(answer) <= MOST_CHARACTERS and len(numbers) < MOST_NUMBERS
