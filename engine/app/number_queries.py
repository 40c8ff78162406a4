"""An app's queries about the numbers in answers: where they came from, and how they have changed."""

from dataclasses import replace
from functools import cached_property

from engine.app.chat_queries import ChatQueries
from engine.app.storage_errors import translate_storage_errors
from engine.commands.catalog import RerunChat, Upload
from engine.errors import AnabranchError, Invalid, NotFound
from engine.numbers.judged_sentence import JudgedSentence
from engine.rendering.plans import TablePlan
from engine.replay.provenance.rows_behind import MOST_LISTED, CellAsked, RowsBehind
from engine.replay.provenance.rows_refused import RowsRefused
from engine.system.cancellation import Cancellation
from engine.tools.file_tables import TableSource
from engine.views.answer_number import AnswerNumber
from engine.views.call_dossier import CallDossier, FileDossier
from engine.views.changed_inputs import ChangedInputs
from engine.views.chat import CallView, ChatView
from engine.views.dossier import Dossier, dossier_of
from engine.views.inputs import file_steps, input_files
from engine.views.moved_numbers import (
    RereadAnswer,
    reread_answers,
    reread_numbers_document,
    sentences_document,
)
from engine.views.numbers import AnswerNumbers
from engine.views.reruns import rerun_document
from engine.views.results import ResultReads
from engine.views.standing import StandingQuestion
from engine.views.vouched_numbers import with_vouched
from engine.workspace.input_rows import FoundRows, InputTotals
from events.json_value import JSONObject

__all__ = ["NumberQueries"]


class NumberQueries(ChatQueries):
    """The part of `App` that explains numbers."""

    _numbers: AnswerNumbers
    _rows: RowsBehind
    results: ResultReads

    @cached_property
    def _changed(self) -> ChangedInputs:
        return ChangedInputs(self.workspace)

    def numbers(self, chat_id: str, message_id: str) -> tuple[AnswerNumber, ...]:
        """Return the numbers in an answer with their origins, or no numbers while the answer is incomplete.

        A number has the status `stale` if one of its input files has changed on the current branch since the answer.
        """
        view = self.chat(chat_id)
        vouched = view.vouched.get(message_id, {})
        with translate_storage_errors():
            found = tuple(with_vouched(one, vouched) for one in self._numbers.of(view, message_id))
            return self._changed.marked(view, message_id, found)

    def dossier(self, chat_id: str, message_id: str, place: int) -> Dossier:
        """Return the origin of a number in an answer. `place` is the number's place among the answer's traced numbers,
        counted from 1.

        Raises:
            NotFound: the answer has no such number, or there is no such answer.
        """
        view = self.chat(chat_id)
        numbers = [one for one in self.numbers(chat_id, message_id) if one.place]
        if not 1 <= place <= len(numbers):
            raise NotFound(
                "number_not_found",
                f"The answer {message_id} has no traced number {place}; it has {len(numbers)} in total.",
            )
        number = numbers[place - 1]
        call = view.calls.get(number.call_id or "")
        made = self._call_dossier(view, call) if call is not None else None
        return dossier_of(view, message_id, number, made, self._hash(view.messages[message_id].position))

    def review_texts(self, chat_id: str, message_id: str) -> tuple[str, str] | None:
        """Return the request for the review of an answer's numbers, and the reply; None if it was not reviewed or the
        texts were removed.
        """
        review = self.chat(chat_id).reviews.get(message_id)
        if review is None or review.request is None or review.reply is None:
            return None
        read = self._workspaces.blobs(chat_id).read
        try:
            return read(review.request).decode(), read(review.reply).decode()
        except NotFound:
            return None

    def changed_files(self, chat_id: str, call_id: str) -> tuple[str, ...]:
        """Return the files behind a call's result that were changed or removed on the current branch."""
        with translate_storage_errors():
            return self._changed.of_call(self.chat(chat_id), call_id)

    def call_dossier(self, chat_id: str, call_id: str) -> CallDossier:
        """Return the dossier of a call: its inputs and how the call used them, its last re-run, its event.

        Raises:
            NotFound: there is no such call.
        """
        view = self.chat(chat_id)
        if call_id not in view.calls:
            raise NotFound("call_not_found", f"There is no call {call_id} in this chat.")
        return self._call_dossier(view, view.calls[call_id])

    def file_dossier(self, chat_id: str, path: str) -> FileDossier:
        """Return the origin of a current file of a chat.

        Raises:
            NotFound: there is no such chat or file.
        """
        view, files = self.chat(chat_id), self.workspace.files(chat_id)
        if path not in files:
            raise NotFound("file_not_found", f"There is no file {path} in this chat now.")
        steps = file_steps(view, path, view.manifest)
        wrote = view.calls.get(steps[-1].call_id or "") if steps else None
        made = self._call_dossier(view, wrote) if wrote is not None else None
        return FileDossier(chat_id, path, files[path], steps, made)

    def _call_dossier(self, view: ChatView, call: CallView) -> CallDossier:
        with translate_storage_errors():
            files = self._changed.inputs(view, call)
            changed = self._changed.of_call(view, call.call_id)
        totals, why = self._totals_of(view.chat_id, call)
        inputs = input_files(view, call, files, changed, totals)
        verdict = view.verdicts.get(call.call_id)
        return CallDossier(call, inputs, changed, why, verdict, self._hash(call.position))

    def _totals_of(self, chat_id: str, call: CallView) -> tuple[tuple[InputTotals, ...], str]:
        """Return the rows and values that a call used from each table, and the reason if they are not known."""
        sql = call.args.get("sql") if isinstance(call.args, dict) else None
        if not isinstance(sql, str):
            return (), "this call is not a single SELECT"
        if call.status != "success":
            return (), "the call has no result"
        try:
            return self._rows.totals(chat_id, call.call_id, sql), ""
        except RowsRefused as refused:
            return (), refused.why
        except AnabranchError as error:
            return (), error.message.rstrip(".")

    def _hash(self, position: int) -> str:
        """Return the hash of an event."""
        return next((one.hash for one in self.log.read_all(position - 1, 1)), "")

    def refreshed(self, chat_id: str, message_id: str) -> RerunChat | None:
        """Return the command that runs an answer's branch again with the current files; None if the user's files behind
        the answer's numbers are unchanged.
        """
        view = self.chat(chat_id)
        changed = {path for one in self.numbers(chat_id, message_id) for path in one.changed}
        brought = {path for one in view.branch() for path in view.uploads(one.message_id)}
        files, read = self.workspace.files(chat_id), self._workspaces.blobs(chat_id).read
        uploads = [Upload(path, read(files[path].sha256)) for path in sorted(changed & brought & set(files))]
        return RerunChat(chat_id, files=uploads) if uploads else None

    def rerun(self, chat_id: str, rerun_id: str) -> JSONObject:
        """Return the outcome of a re-run with a change, as a document.

        Raises:
            NotFound: there is no such re-run.
        """
        view = self.chat(chat_id)
        if rerun_id not in view.reruns:
            raise NotFound("rerun_not_found", f"There is no rerun {rerun_id} in this chat.")
        tools = {call_id: call.tool_id for call_id, call in view.calls.items()}
        run = view.reruns[rerun_id]
        answers = self.reread(chat_id, rerun_id)
        return rerun_document(
            chat_id, run, tools, reread_numbers_document(answers), sentences_document(answers)
        )

    def reread(self, chat_id: str, rerun_id: str) -> list[RereadAnswer]:
        """Return the answers of a branch that was run again, with their new numbers and a verdict on each sentence.
        Return an empty list if there is no such re-run.
        """
        view = self.chat(chat_id)
        run = view.reruns.get(rerun_id)
        with translate_storage_errors():
            return reread_answers(view, run, self._numbers) if run is not None else []

    def sentences(self, chat_id: str, message_id: str) -> list[JudgedSentence]:
        """Return the sentences of an answer on a branch that was run again, and whether each sentence is still true.

        Only sentences that rank, compare or contain traced numbers are judged. For other branches the list is empty.
        """
        with translate_storage_errors():
            return self._numbers.sentences(self.chat(chat_id), message_id)

    def standing_questions(self) -> list[StandingQuestion]:
        """Return the pinned answers of all chats that are not deleted; answers that need attention come first. Answers
        whose value moved include their sentences that no longer follow.
        """
        return [
            replace(one, sentences=tuple(self.sentences(one.of.chat_id, one.of.leaf)))
            if one.of.group == "moved" and one.of.leaf is not None
            else one
            for one in super().standing_questions()
        ]

    def rows_behind(
        self,
        chat_id: str,
        call_id: str,
        row: int,
        column: int | str,
        *,
        limit: int = 100,
        offset: int = 0,
        csv: bool = False,
        cancel: Cancellation | None = None,
    ) -> FoundRows:
        """Return the input rows behind a cell of a call's table.

        Args:
            chat_id: the chat.
            call_id: the call.
            row: the row of the table, counted from 0.
            column: the column, as its name or counted from 0.
            limit: the number of rows to list of each input, at most 1,000.
            offset: the number of rows to skip first in each input.
            csv: whether to write the rows as CSV too, up to a million rows of each input.
            cancel: stops the search when it is set.

        Raises:
            RowsRefused: the rows cannot be found for this SQL (`rows_refused`); the message says why.
            Invalid: `limit` or `offset` is out of range (`rows_range`).
            NotFound: there is no such call or cell, or a file is no longer stored.
            Unavailable: the rows cannot be read (`rows_unread`), or the search was stopped (`rows_stopped`).
        """
        if not 0 < limit <= MOST_LISTED or offset < 0:
            told = f"Give a limit from 1 to {MOST_LISTED:,} and an offset of 0 or more, not {limit:,} and {offset:,}."
            raise Invalid("rows_range", told)
        call = self.chat(chat_id).calls.get(call_id)
        if call is None:
            raise NotFound("call_not_found", f"There is no call {call_id} in this chat.")
        with translate_storage_errors():
            asked = self._cell(chat_id, call, row, column)
            return self._rows.of_cell(chat_id, asked, limit, offset, csv=csv, cancel=cancel)

    def _cell(self, chat_id: str, call: CallView, row: int, column: int | str) -> CellAsked:
        """Return a cell with its whole row, as stored in the call's result file."""
        plan = call.plan
        if not isinstance(plan, TablePlan) or plan.file is None or not plan.sql:
            name = call.tool_id.rpartition(":")[2]
            raise RowsRefused(f"{name} made this result, and it did not come from a single SELECT")
        page = self.results.page(TableSource(chat_id, plan.file.sha256, plan.file.path), 1, max(row, 0))
        names = [name for name, _ in page.columns]
        at = names.index(column) if column in names else column
        if not isinstance(at, int) or not 0 <= at < len(names) or not page.rows or row < 0:
            size = f"{page.total:,} rows and the columns {', '.join(names)}"
            raise NotFound(
                "cell_not_found", f"There is no cell {column!r} in row {row}; the result has {size}."
            )
        return CellAsked(call.call_id, plan.sql, tuple(names), page.rows[0], row, at)
