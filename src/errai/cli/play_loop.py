"""A session at the terminal: its output and its input."""

from __future__ import annotations

import contextlib
from pathlib import Path

from rich.console import Console

from errai.agents.agent import StrategicAgent
from errai.arena.session import Session
from errai.arena.session_file import save_history, save_session
from errai.cli.arguments import Options
from errai.cli.inputs import output_path
from errai.cli.talk import Leave, Talk
from errai.errors import ErraiError, IllegalActionError
from errai.games.hand import PublicState
from errai.pictures.play import (
    choices_words,
    hint_shares,
    hint_warning,
    printable,
    read_action,
    result_words,
    score_words,
    short_name,
    table_view,
)
from errai.pictures.table import bars_terminal, table_terminal

Hole = tuple[int, ...]

HELP = """\
f            fold
k, c         check, call
r 300        bet or raise to 300: what you will have put in on this street (b means the same)
r 50%        half of the pot, after your call;  r pot  all of it
r 2.5x       two and a half times the bet you face;  r 3bb  three big blinds
r min        the smallest bet or raise;  a  all-in
h            hint: the advisor's strategy with your hand
s            the score
v            the previous hand
q            quit; the session is saved if it has a file\
"""


class PlayLoop(Talk):
    """The loop over the hands of a session: it draws the table, reads actions and answers questions."""

    def __init__(
        self,
        session: Session,
        console: Console,
        options: Options,
        path: Path | None,
        advisor: StrategicAgent | None,
    ) -> None:
        super().__init__(console, plain=options.plain)
        self.session = session
        self.path = path
        self.advisor = advisor
        self.options = options
        self.opponent = short_name(session.opponent.name)
        self.player = short_name(session.player)
        self.title = printable(session.subject.label)

    def play(self) -> None:
        """Play hand after hand; ends with :class:`Leave`, or after ``--hands``."""
        session = self.session
        self.begin()
        self.say(f"{self.title} against {printable(session.opponent.name)}, seed {session.seed}. Type ? for help.")
        if session.hands or session.hand is not None:
            self.say(f"The session is resumed. {self.score_words()}")
        while not self.is_over:
            if session.hand is None:
                session.deal()
                self.keep()
            self.play_hand()
            if not self.is_over:
                self.between_hands()

    @property
    def is_over(self) -> bool:
        """Whether all hands that were asked for have been played."""
        return self.options.hands is not None and len(self.session.hands) >= self.options.hands

    def play_hand(self) -> None:
        """Play the current hand to its end."""
        session = self.session
        hand = session.hand
        assert hand is not None
        while not hand.state.is_over:
            if session.players_turn:
                self.turn()
            else:
                with self.waiting(f"{self.opponent} is thinking"):
                    session.opponent_acts()
            self.keep()
        # The result is shown before the luck is estimated, which may take a while.
        session.finish(measure=False)
        self.keep()
        self.show_finished(len(session.hands) - 1)
        self.say(self.score_words(), style="dim")
        self.keep()

    def turn(self) -> None:
        """Show the state, and let the player act."""
        hand, seat = self.session.hand, self.session.seat
        assert hand is not None
        own = hand.deal.hole[seat]
        self.draw(hand.number, hand.state, seat, own, None)
        if self.options.hints:
            self.hint()
        choices = choices_words(hand.state)
        self.say("   ".join(choices), style="bold")
        while True:
            words = self.ask("> ")
            if self.aside(words):
                continue
            if not words:
                self.say(f"You can: {'; '.join(choices)}.")
                continue
            try:
                self.session.act(read_action(words, hand.state))
            except IllegalActionError as error:
                self.say(str(error))
                continue
            return

    def between_hands(self) -> None:
        """Wait until the player wants the next hand."""
        while True:
            words = self.ask("Press Enter to deal the next hand > ")
            if not words:
                return
            if not self.aside(words):
                self.say("Enter deals the next hand; s shows the score, v shows the previous hand, q quits.")

    def aside(self, words: str) -> bool:
        """Answer an input that is not an action; return False if it might be one."""
        word = words.lower()
        if word in ("q", "quit", "exit"):
            raise Leave(asked=True)
        if word in ("?", "help"):
            self.say(HELP)
        elif word in ("h", "hint"):
            self.hint()
        elif word in ("s", "score"):
            self.say(self.score_words(measure=True))
        elif word in ("v", "previous") and self.session.hands:
            self.show_finished(len(self.session.hands) - 1)
        elif word in ("v", "previous"):
            self.say("No hand has been finished yet.")
        else:
            return False
        return True

    def keep(self) -> None:
        """Write the session to its file, if it has one."""
        if self.path is not None:
            save_session(self.session, self.path)

    def leave(self, *, asked: bool) -> None:
        """End the session; if it has no file and the user can answer, ask for one."""
        self.say("")
        nothing = not self.session.hands and (self.session.hand is None or not self.session.hand.state.line)
        if self.path is None and asked and not nothing:
            with contextlib.suppress(Leave, KeyboardInterrupt):
                self.path = self.ask_path()
        self.keep()
        self.say(self.score_words(measure=True))
        if not nothing:
            self.farewell()

    def farewell(self) -> None:
        """Say where the session is saved."""
        if self.path is None:
            self.say("The session is not saved; --session FILE would save it.")
        else:
            self.say(f"The session is saved in {self.path}; --session {self.path} resumes it.")

    def ask_path(self) -> Path | None:
        """Ask where to save the session; return None if it is not to be saved."""
        stem = f"{Path(getattr(self.session.subject, 'name', '') or 'spot').name}-{self.session.seed}"
        proposed, number = Path(f"{stem}.json"), 1
        while proposed.exists():
            number += 1
            proposed = Path(f"{stem}-{number}.json")
        while True:
            words = self.ask(f"Press Enter to save the session in {proposed}, or type another name, or n for no: ")
            if words.lower() in ("n", "no", "q", "quit"):
                return None
            path = proposed if words.lower() in ("", "y", "yes") else Path(words)
            try:
                if not path.exists():
                    output_path(str(path))
                    save_session(self.session, path)
                    return path
                self.say(f"{str(path)!a} exists already; choose another name.")
            except (ErraiError, OSError, ValueError) as error:
                self.say(f"The session cannot be saved there: {error}")

    def write_history(self, path: Path | None) -> None:
        """Write the finished hands, as the user saw them, as PHH."""
        beside = path is None
        if beside and self.path is not None:
            path = self.path.with_name(f"{self.path.name.removesuffix('.json')}.phhs")
        if path is None or not self.session.hands:
            return
        hands = [self.session.seen(number, opened=self.options.open) for number in range(len(self.session.hands))]
        try:
            save_history(hands, path)
        except ErraiError:
            # The file beside the session is optional; there is none if PHH cannot hold the game.
            if not beside:
                raise
        else:
            self.say(f"The hands are saved in {path}.")

    def show_finished(self, number: int) -> None:
        """Show a hand that is over."""
        played, seat = self.session.hands[number], self.session.seat_in(number)
        seen = self.session.seen(number, opened=self.options.open)
        own = played.hole[seat]
        assert own is not None
        self.draw(number, played.final_state(), seat, own, seen.hole[1 - seat])
        self.say(result_words(played, seat, self.names(seat)), style="bold")

    def draw(self, number: int, state: PublicState, seat: int, own: Hole, others: Hole | None) -> None:
        """Draw a hand as the user sees it from a seat; ``others`` are the opponent's cards, if they are shown."""
        count = "" if self.options.hands is None else f" of {self.options.hands:,}"
        heading = f"Hand {number + 1:,}{count}: {self.title}"
        view = table_view(heading, state, seat, self.names(seat), own, others)
        self.console.print(table_terminal(view, self.console, plain=self.plain))

    def names(self, seat: int) -> tuple[str, str]:
        """Return the names by seat, if the user sits at ``seat``."""
        return (self.player, self.opponent) if seat == 0 else (self.opponent, self.player)

    def hint(self) -> None:
        """Show what the advisor would do."""
        hand = self.session.hand
        if self.advisor is None:
            self.say("The opponent does not state its strategy; --advisor AGENT names an agent that does.")
            return
        if hand is None or not self.session.players_turn:
            self.say("It is not your turn, so there is no hint.")
            return
        try:
            with self.waiting(f"{short_name(self.advisor.name)} is thinking"):
                shares = hint_shares(self.advisor, hand.state, hand.deal.hole[self.session.seat])
        except ErraiError as error:
            self.say(f"There is no hint: {printable(str(error))}")
            return
        if not shares:
            self.say(f"{short_name(self.advisor.name)} never reaches this point with this hand, so there is no hint.")
            return
        heading = f"{short_name(self.advisor.name)} with your hand:"
        self.console.print(bars_terminal(heading, shares, self.console, plain=self.plain))
        with self.waiting("The advisor's solution is being measured"):
            warning = hint_warning(self.advisor, hand.state)
        if warning:
            self.say(warning, style="yellow")

    def score_words(self, *, measure: bool = False) -> str:
        """Return the result so far, with and without luck; ``measure`` adds the name of the estimator."""
        try:
            with self.waiting("The luck is being estimated (up to a minute, once in a game); Ctrl-C skips it"):
                self.session.score()
        except KeyboardInterrupt:
            self.session.estimator = None
            self.say("The luck is not estimated until this session is resumed.")
        return score_words(self.session, measure=measure)
