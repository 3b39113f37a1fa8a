"""The protocol of slumbot.com's programs: its texts, and one of Errai's agents as a client.

A hand is no-limit hold'em with blinds 50 and 100 and stacks of 200 big blinds, which are full again in every hand.
Actions are ``k`` (check), ``c`` (call), ``f`` (fold) and ``bN`` (a bet or raise to N chips on this street, blinds among
them); streets are separated by ``/``, as in ``b200c/kk/``.  ``client_pos`` is 0 in the big blind and 1 on the button.
The two requests are ``new_hand`` and ``act``, both answered with the whole hand; the token may change with any answer.

What the server says is held against the rules: every action, the cards, and what was won.  ``act`` must not be
repeated if its answer was lost, since the server may have acted; such a hand is broken off and counted, and a new
session begins.  The log is that of the competition's dealer (:mod:`errai.arena.acpc.log`), so whatever reads such logs
reads it.
"""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from errai.agents.agent import Agent, MatchStart
from errai.arena.acpc.log import CHIPS_SLACK, LogFile, comment_line, log_name, read_log, state_line
from errai.arena.acpc.text import read_cards
from errai.arena.session import Average, luck_estimator
from errai.errors import (
    AgentError,
    DamagedFileError,
    HistoryError,
    IllegalActionError,
    InputError,
    MatchError,
    MismatchError,
    ProtocolError,
)
from errai.games.betting import ActionKind, BettingState
from errai.games.catalogue import load_game
from errai.games.hand import CALL, FOLD, Action, Observation, PlayedHand, PublicState, opening_state, raise_to
from errai.own_code import whole_number
from errai.store.atomic import refusals

GAME = "holdem.nolimit.2p"
MAX_ANSWER_BYTES = 1 << 16
FAILURES = 3
"""So many requests may fail one after the other before the match stops."""
RETRY_SECONDS = 1.0
"""The wait before another attempt; it doubles with every failure."""

_BET = re.compile(r"b(\d{1,6})")
_PIECE = re.compile(r"[kcf/]|b\d{1,6}")
_ESTIMATE = re.compile(r"\bAIVAT (-?\d+(?:\.\d+)?)")


# --- the texts ---


def action_text(state: PublicState) -> str:
    """Return the actions so far; streets that have begun have a slash, and all have one after a call of an all-in."""
    betting = PublicState.start(state.subject).betting
    streets = []
    for done in state.actions:
        parts = []
        for action in done:
            parts.append(own_action_text(action, betting))
            betting = betting.apply(action.kind, action.total)
        streets.append("".join(parts))
    missing = state.betting.game.num_rounds - len(streets) if betting.showdown else 0
    return "/".join(streets) + "/" * missing


def read_action(text: str, state: PublicState) -> Action:
    """Return the one action that a text names.  Raises :class:`IllegalActionError` for any other text."""
    betting, legal = state.betting, state.betting.legal()
    call = "c" if betting.to_call_chips else "k"
    if text == call:
        return CALL
    if text == "f" and legal.fold:
        return FOLD
    bet = _BET.fullmatch(text)
    if bet and legal.raise_range is not None:
        before = betting.before_street(betting.actor)
        least, most = (total - before for total in legal.raise_range)
        if least <= int(bet[1]) <= most:
            return raise_to(int(bet[1]) + before)
        raise IllegalActionError(f"Illegal bet size: {text}; possible is b{least} to b{most}.")
    names = [call, *["f"] * legal.fold, *["bN"] * (legal.raise_range is not None)]
    raise IllegalActionError(f"Illegal action: {text[:20]!a}; send one of {', '.join(names)}.")


def own_action_text(action: Action, betting: BettingState) -> str:
    """Return the text of the next action of the betting, which the rules allow."""
    if action.kind == ActionKind.RAISE:
        return f"b{action.total - betting.before_street(betting.actor)}"
    return "f" if action.kind == ActionKind.FOLD else "c" if betting.to_call_chips else "k"


def read_actions(text: str, board: tuple[int, ...]) -> PublicState:
    """Return the state after the actions of a text, with the cards of the board that are due there.

    Raises :class:`ProtocolError` if the rules do not allow an action, a slash stands where no street ends or is missing
    where one begins, or the board is not that of the street.
    """
    state = opening_state(load_game(GAME))
    pieces = _PIECE.findall(text)
    if "".join(pieces) != text:
        raise ProtocolError(f"The actions {text[:80]!a} cannot be read.")
    slashes = 0
    for number, piece in enumerate(pieces):
        if piece == "/":
            slashes += 1
            if state.is_over or slashes == len(state.actions) - 1:
                continue
            raise ProtocolError(f"The actions {text!a} have a / where no street ends.")
        if state.is_over or slashes != len(state.actions) - 1:
            why = "go on after the end of the hand" if state.is_over else "lack a / where a street ends"
            raise ProtocolError(f"The actions {text!a} {why}.")
        try:
            state = state.after(read_action(piece, state))
            due = state.betting.game.board_cards_in(len(state.actions) - 1) if not state.is_over else len(board)
            if len(board) < due:
                raise ProtocolError(f"The board has {len(board)} cards after {text!a}, and {due} are due.")
            state = state.dealt(board)
        except IllegalActionError as error:
            raise ProtocolError(f"The rules do not allow action {number + 1} of {text!a}: {error}") from error
    if state.board != board:
        raise ProtocolError(f"The board has {len(board)} cards after {text!a}, and {len(state.board)} are due.")
    return state


# --- the client ---


@dataclass
class SlumbotResult:
    """What an agent has won against a server, the hands of an earlier part of the log among them."""

    agent: str
    address: str
    hands: list[PlayedHand] = field(default_factory=list)
    seats: list[int] = field(default_factory=list)
    """The agent's seat in each hand."""
    estimates: list[float] = field(default_factory=list)
    """What AIVAT says of each hand, chips; empty if the agent cannot state its strategy."""
    broken_off: int = 0
    """Hands whose end is not known since a request failed; they count in nothing else."""
    last_failure: str = ""
    thinking_seconds: list[float] = field(default_factory=list)
    """The time of each of the agent's decisions in this run."""

    @property
    def chips(self) -> Average:
        """What the agent won, with the 95 % interval."""
        return Average.of([hand.net_chips[seat] for hand, seat in zip(self.hands, self.seats, strict=True)])

    @property
    def without_luck(self) -> Average | None:
        """The same by AIVAT; None unless all hands were estimated."""
        return Average.of(self.estimates) if self.hands and len(self.estimates) == len(self.hands) else None


def is_web_address(text: str) -> bool:
    """Return whether an address is one of the web, where this protocol is spoken."""
    return text.lower().startswith(("http://", "https://"))


def play_at_slumbot(
    agent: Agent,
    address: str,
    hands: int,
    *,
    log: Path | None = None,
    seed: int = 0,
    timeout_seconds: float = 60.0,
    on_hand: Callable[[SlumbotResult], None] | None = None,
) -> SlumbotResult:
    """Play hands against a server that speaks slumbot.com's protocol.

    Parameters
    ----------
    agent:
        The agent; if it can state its strategy, its result is estimated by AIVAT too.
    address:
        The beginning of the addresses of both requests, such as ``https://slumbot.com``.
    hands:
        How many hands are played in all, those of the log among them.
    log:
        A file to which every hand is written when it is over.  If it exists, its hands are read and checked, and the
        match is resumed.
    seed:
        The agent's random draws depend on it and the number of the hand.
    timeout_seconds:
        How long an answer may take.
    on_hand:
        Called after every hand, and once at the beginning of a match that is resumed.

    Raises
    ------
    InputError
        The address or a number makes no sense.
    MismatchError, DamagedFileError
        The log is that of another match, or one of its lines cannot be read.
    MatchError
        Three requests failed one after the other; what was played is in the log.
    ProtocolError
        The server said something that the rules do not allow.
    AgentError
        The agent failed or broke the rules.
    """
    hands = whole_number(hands, "The number of hands", 0)
    server = _Server(address, timeout_seconds)
    game = load_game(GAME)
    result = SlumbotResult(agent.name, server.address)
    agent.start_match(MatchStart(game, seed))
    estimator = luck_estimator(game, agent, of_known=True)
    names = log_name(agent.name), "slumbot"
    with ExitStack() as stack:
        file = _open_log(log, result, names[0], seed, estimated=estimator is not None)
        if file is not None:
            stack.callback(file.close)
            if on_hand is not None and result.hands:
                on_hand(result)
        failures = 0
        while len(result.hands) < hands:
            number = len(result.hands) + result.broken_off
            try:
                hand, seat, remarks = _play_hand(agent, server, number, names, result.thinking_seconds)
            except _Lost as lost:
                server.token, failures, result.last_failure = None, failures + 1, str(lost)
                if lost.begun:
                    result.broken_off += 1
                    if file is not None:
                        file.write(comment_line(f"hand {number} was broken off: {lost}") + "\n")
                if failures == FAILURES:
                    raise MatchError(
                        f"{failures} requests failed one after the other, the last one so: {lost}"
                    ) from lost
                time.sleep(RETRY_SECONDS * 2 ** (failures - 1))
                continue
            failures = 0
            estimate = None if estimator is None else float(estimator.estimate(hand, seat))
            if estimate is not None:
                remarks = [f"AIVAT {estimate:.6f}", *remarks]
            if file is not None:
                file.write(state_line(hand) + (f" # {', '.join(remarks)}" if remarks else "") + "\n")
            result.hands.append(hand)
            result.seats.append(seat)
            if estimate is not None:
                result.estimates.append(estimate)
            if on_hand is not None:
                on_hand(result)
        if file is not None:
            file.settle()
    return result


class _Lost(Exception):
    """A request failed, and whether the server has taken it is not known."""

    begun = False


class _Server:
    """The two requests."""

    def __init__(self, address: str, timeout_seconds: float) -> None:
        try:
            parts = urlsplit(address)
            named = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            named = None
        if not named:
            raise InputError(f"{address!r:.100} is no address of a server; it begins with http:// or https://.")
        if not timeout_seconds > 0:
            raise InputError("The time for an answer must be longer than 0 s.")
        self.address, self.timeout, self.token = address.rstrip("/"), timeout_seconds, cast("str | None", None)

    def ask(self, path: str, **body: str) -> dict[str, Any]:
        """Return an answer; raises :class:`_Lost` if there is none, and :class:`ProtocolError` if it is an error."""
        if self.token is not None:
            body["token"] = self.token
        request = urllib.request.Request(
            f"{self.address}/api/{path}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Accept": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                data = reply.read(MAX_ANSWER_BYTES + 1)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code < 500:
                raise ProtocolError(f"{self.address} refuses /api/{path} with the status {error.code}.") from error
            raise _Lost(f"/api/{path} has the status {error.code}") from error
        except (OSError, http.client.HTTPException) as error:
            raise _Lost(f"/api/{path} was not answered ({error})") from error
        try:
            answer = json.loads(data) if len(data) <= MAX_ANSWER_BYTES else None
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise ProtocolError(f"{self.address} answers /api/{path} with {data[:80]!r}, which is no JSON object.")
        if "error_msg" in answer:
            raise ProtocolError(f"{self.address} answers /api/{path} with the error {answer['error_msg']!r:.200}.")
        if isinstance(answer.get("token"), str):
            self.token = answer["token"]
        if self.token is None:
            raise ProtocolError(f"{self.address} answers /api/{path} without a token.")
        return answer


@dataclass(frozen=True)
class _Answer:
    """A hand as the server describes it, held against the rules."""

    state: PublicState
    text: str
    seat: int
    own: tuple[int, ...]
    bot: tuple[int, ...] | None
    winnings: float | None

    @classmethod
    def of(cls, answer: dict[str, Any]) -> _Answer:
        """Read an answer; raises :class:`ProtocolError`."""
        text, seat = answer.get("action"), answer.get("client_pos")
        if not isinstance(text, str) or seat not in (0, 1) or isinstance(seat, bool):
            raise ProtocolError(f"An answer without `action` or with the position {seat!r:.20} cannot be read.")
        board, own = _cards(answer, "board"), _cards(answer, "hole_cards")
        bot = _cards(answer, "bot_hole_cards") if answer.get("bot_hole_cards") else None
        known = board + own + (bot or ())
        if len(own) != 2 or (bot is not None and len(bot) != 2) or len(set(known)) != len(known):
            raise ProtocolError("An answer has a card twice, or not two cards for each player.")
        state, won = read_actions(text, board), answer.get("winnings")
        if won is not None and (isinstance(won, bool) or not isinstance(won, (int, float))):
            raise ProtocolError(f"The winnings {won!r:.40} are no number.")
        if state.is_over != (won is not None):
            raise ProtocolError(
                f"After {text!a} the hand is {'' if state.is_over else 'not '}over by the rules, and the server says "
                "something else."
            )
        return cls(state, text, cast(int, seat), own, bot, won)

    def played(self, number: int, names: tuple[str, str]) -> PlayedHand:
        """Return the hand, which is over; raises :class:`ProtocolError` if something else was won by the rules."""
        assert self.winnings is not None
        order = slice(None) if self.seat == 0 else slice(None, None, -1)
        hole = (self.own, self.bot)[order]
        if self.state.betting.showdown and self.bot is None:
            raise ProtocolError("The bot's cards are missing at a showdown.")
        net = self.state.net_chips(cast(Any, hole))
        if abs(net[self.seat] - self.winnings) > CHIPS_SLACK:
            raise ProtocolError(
                f"The server says that {self.winnings:+g} chips were won after {self.text!a}; by the rules it is "
                f"{net[self.seat]:+g}."
            )
        found: Any = (self.state.subject, number, hole, self.state.board, self.state.actions, names[order], net)
        return PlayedHand(*found)


def _cards(answer: dict[str, Any], name: str) -> tuple[int, ...]:
    given = answer.get(name)
    if not isinstance(given, list) or not all(isinstance(card, str) and len(card) == 2 for card in given):
        raise ProtocolError(f"`{name}` of an answer is no list of cards.")
    return read_cards("".join(given), load_game(GAME).deck)


def _play_hand(
    agent: Agent, server: _Server, number: int, names: tuple[str, str], seconds: list[float]
) -> tuple[PlayedHand, int, list[str]]:
    """Play a hand; returns it with the agent's seat, and what the server says beside it."""
    raw = server.ask("new_hand")
    seen = _Answer.of(raw)
    if len(seen.text) > 12 or any(action for action in seen.state.actions[1:]):
        raise ProtocolError(f"A new hand begins with the actions {seen.text[:40]!a}.")
    while seen.winnings is None:
        if seen.state.actor != seen.seat:
            raise ProtocolError(f"After {seen.text!a} it is the server's turn to act, and it did not.")
        begun = time.perf_counter()
        try:
            action = agent.act(Observation(seen.state, seen.seat, seen.own, number))
            seen.state.after(action)
            sent = own_action_text(action, seen.state.betting)
        except (AgentError, IllegalActionError) as error:
            raise AgentError(f"{agent.name}, hand {number}: {error}") from error
        seconds.append(time.perf_counter() - begun)
        try:
            raw = server.ask("act", incr=sent)
        except _Lost as lost:
            lost.begun = True
            raise
        after = _Answer.of(raw)
        if (after.seat, after.own) != (seen.seat, seen.own) or not after.text.startswith(seen.text + sent):
            raise ProtocolError(f"The answer to {sent} after {seen.text!a} is another hand: {after.text[:80]!a}.")
        seen = after
    hand = seen.played(number, names)
    agent.end_hand(Observation(seen.state, seen.seat, seen.own, number, seen.bot), hand.net_chips[seen.seat])
    baseline = raw.get("baseline_winnings")
    return hand, seen.seat, [] if baseline is None else [f"baseline_winnings {baseline!s:.20}"]


def _open_log(path: Path | None, result: SlumbotResult, agent: str, seed: int, *, estimated: bool) -> LogFile | None:
    """Read what a log holds, and open it for more."""
    if path is None:
        return None
    header = comment_line(f"errai slumbot: agent {agent}, seed {seed}, at {urlsplit(result.address).hostname}") + "\n"
    text = ""
    if path.exists():
        with refusals(path):
            text = path.read_bytes().decode(errors="replace")
    kept = text[: text.rfind("\n") + 1]  # A line that was cut off is played again.
    if kept:
        if not kept.startswith(header):
            raise MismatchError(
                f"{path} is not the log of this agent, seed and server; it begins with {kept.splitlines()[0]!r:.120}."
            )
        read = read_log(kept.splitlines(), load_game(GAME), str(path))
        if read.problems:
            raise DamagedFileError(f"{path} cannot be resumed: {read.problems[0]}")
        for hand in read.hands:
            result.hands.append(hand)
            result.seats.append(_seat(hand, agent))
            remark = _ESTIMATE.search(str(hand.details.get("_comments", "")))
            if remark and estimated:
                result.estimates.append(float(remark[1]))
        result.broken_off = sum(comment.startswith("hand ") for comment in read.comments)
        return LogFile(path, len(kept.encode()), kept.count("\n"))
    if text:
        raise MismatchError(f"{path} is not the log of a match at slumbot; name another file.")
    file = LogFile(path)
    file.write(header)
    return file


def _seat(hand: PlayedHand, agent: str) -> int:
    if agent not in hand.players:
        raise HistoryError(f"{agent} did not play hand {hand.number} of the log.")
    return hand.players.index(agent)
