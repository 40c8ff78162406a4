"""Starts turns: appends their first events in one batch, and starts the thread that runs them."""

from collections.abc import Callable, Sequence

from engine.chats.open_chats import Chats
from engine.chats.signals import LiveTurn
from engine.commands.catalog import TurnStart
from engine.config import UNBOUNDED, Bounds, Settings
from engine.deciders.chat_state import ChatState
from engine.models.messages import OFFLINE
from engine.models.model import Model
from engine.models.registry import Models
from engine.turn.parts import Turn, TurnRules
from engine.turn.running_turns import RunningTurns
from events.catalog.chat import MessageAdded
from events.catalog.turn import TurnFinished, TurnStarted
from events.event import Event
from events.identity import Clock, NewId
from events.json_value import JSONObject

__all__ = ["Starter"]


class Starter:
    """Starts turns, and continues turns that waited."""

    def __init__(
        self,
        *,
        chats: Chats,
        turns: RunningTurns,
        models: Models,
        settings: Callable[[], Settings],
        clock: Clock,
        new_id: NewId,
        bounds: Bounds = UNBOUNDED,
    ) -> None:
        self._chats = chats
        self._turns = turns
        self._models = models
        self._settings = settings
        self._clock = clock
        self._new_id = new_id
        self._bounds = bounds

    def resolve(self, state: ChatState, form: JSONObject | None = None) -> Model:
        """Return the model that answers in a chat; for a query form, return the offline analyst.

        Raises:
            Refused: no model has that name.
        """
        if form is not None:
            return self._models.resolve(OFFLINE)
        return self._models.resolve(state.model, state.base_url)

    def start(
        self,
        chat_id: str,
        state: ChatState,
        before: Sequence[Event],
        question: MessageAdded,
        model: Model | None,
        allow_confirmations: bool,
        *,
        then: Callable[[str], Sequence[Event]] = lambda _: (),
        form: JSONObject | None = None,
    ) -> TurnStart:
        """In one batch, append `before`, the turn's start, and the events that `then` makes from the turn's id; then
        run the turn.

        If `model` is None, the last message that `then` returns contains the call to run.
        """
        turn_id = self._new_id()
        name, base_url = (state.model, state.base_url) if form is None else (OFFLINE, None)
        started = TurnStarted(
            turn_id=turn_id,
            message_id=question.message_id,
            model=name,
            base_url=base_url,
            by_user=model is None,
            form=form,
        )
        after = list(then(turn_id))
        self._chats.transact(chat_id, lambda _: [*before, started, *after], correlation_id=turn_id)
        made = [event.message_id for event in after if isinstance(event, MessageAdded)]
        stands = made[-1] if made else question.message_id
        turn = Turn(chat_id, turn_id, stands, name, model, self._rules(state, allow_confirmations), form)
        return self._run(turn, question.message_id)

    def model_of(self, state: ChatState, turn_id: str) -> Model | None:
        """Return the model that a turn started with, even if the chat now uses a different model. Raise if the turn's
        model no longer exists.
        """
        started = state.turns[turn_id].started
        return None if started.by_user else self._models.resolve(started.model, started.base_url)

    def go_on(
        self, chat_id: str, turn_id: str, state: ChatState, model: Model | None, allow_confirmations: bool
    ) -> TurnStart:
        """Continue a turn that waited, with the model from `model_of`; `TurnResumed` must already be appended."""
        known = state.turns[turn_id]
        started = known.started
        rules = self._rules(state, allow_confirmations)
        turn = Turn(chat_id, turn_id, known.last_message_id, started.model, model, rules, started.form)
        return self._run(turn, started.message_id)

    def _run(self, turn: Turn, question_id: str) -> TurnStart:
        live = LiveTurn(turn.turn_id, question_id, self._clock().timestamp())
        try:
            self._turns.start(turn, live)
        except Exception as error:  # no thread, or the app is closing: end the turn, which will never run
            ended = TurnFinished(turn_id=turn.turn_id, reason="interrupted", message=str(error))
            self._chats.transact(turn.chat_id, lambda _: [ended], correlation_id=turn.turn_id)
            raise
        return TurnStart(turn.chat_id, turn.turn_id, question_id)

    def _rules(self, state: ChatState, allow_confirmations: bool) -> TurnRules:
        settings = self._settings()
        thorough = state.depth == "thorough"
        return TurnRules(
            max_steps=settings.thorough_steps if thorough else settings.max_tool_iterations,
            max_steps_on=settings.max_tool_iterations_on,
            instructions=settings.instructions,
            allow_confirmations=allow_confirmations,
            sending=settings.sending,
            disclosure=settings.disclosure,
            disclosure_tokens=settings.disclosure_tokens,
            keep_picks=settings.keep_picks,
            recheck_numbers=settings.recheck_numbers,
            review_numbers=settings.review_numbers,
            max_calls=self._bounds.turn_calls,
            max_seconds=self._bounds.turn_seconds,
        )
