"""A client of GTO Wizard's research API, at a stub on this machine that answers as their published client expects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from errai.agents.agent import Agent
from errai.arena.acpc.log import read_log
from errai.arena.online import gtowizard, match
from errai.arena.online.gtowizard import GtoWizard
from errai.arena.online.match import OnlineResult, play_online
from errai.arena.online.slumbot import action_text, read_action
from errai.cli.main import main
from errai.errors import AgentError, InputError, MatchError, ProtocolError
from errai.games.hand import CALL, FOLD, Hand, Observation, Shuffle
from tests.arena.online.stubs import GAME, Caller, served

KEY = "a key"


class Stub:
    """A program that checks and calls, and folds at once in every fifth hand.

    ``spoil(path, number, answer)`` may change what it says, or return a status; ``before`` the same, instead of taking
    the request.
    """

    def __init__(self) -> None:
        self.spoil: Callable[[str, int, Any], Any] = lambda path, number, answer: answer
        self.before: Callable[[str, int], int | None] = lambda path, number: None
        self.hands: list[Hand] = []
        self.requests = 0
        self.sent: list[dict[str, Any]] = []

    def answer(self, path: str, body: dict[str, Any] | None, headers: Any) -> Any:
        """Return the answer to a request."""
        if headers["X-API-KEY"] != KEY:
            return 401
        self.requests += 1
        refused = self.before(path, self.requests)
        if refused is not None:
            return refused
        if path.startswith("/hands/in-progress?game_name=HUNL%20200BB"):
            assert body is None
            going_on = [hand for hand in self.hands if not hand.state.is_over]
            return self.spoil(path, self.requests, [self.document(hand) for hand in going_on])
        assert body is not None
        if path == "/hands":
            assert body == {"game_name": "HUNL 200BB"}
            number = len(self.hands)
            hand = Hand(GAME, Shuffle(GAME).numbered(7, number), number)
            self.hands.append(hand)
            if number % 5 == 4 and self.seat(hand) == 0:
                hand.act(FOLD)
        else:
            _, _, key, act = path.split("/")
            hand = self.hands[int(key) - 100]
            assert act == "act"
            self.sent.append(body)
            hand.act(read_action(body["action"] + str(body.get("amount", "")), hand.state))
        while hand.state.actor == 1 - self.seat(hand):
            hand.act(CALL)
        return self.spoil(path, self.requests, self.document(hand))

    def seat(self, hand: Hand) -> int:
        """Return the client's seat."""
        return hand.number % 2

    def document(self, hand: Hand) -> dict[str, Any]:
        """Return a hand as the API describes it."""
        deck, seat, over = GAME.deck, self.seat(hand), hand.state.is_over
        history = []
        for piece in action_text(hand.state).replace("/", " _ ").replace("b", " b").split():
            history += [piece] if piece[0] == "b" and piece[1:].isdigit() else _apart(piece)
        names = ("BB", "SB")
        players = [
            {"name": "GTO Wizard", "stack": 1, "position": names[1 - seat],
             "hole_cards": deck.cards_text(hand.deal.hole[1 - seat]) if over else None},
            {"name": "errai", "stack": 1, "position": names[seat], "hole_cards": deck.cards_text(hand.deal.hole[seat])},
        ]  # fmt: skip
        net = hand.played(("a", "b")).net_chips[seat] if over else None
        return {
            "hand_id": 100 + hand.number,
            "game": {"game_name": "HUNL 200BB", "starting_stack": 20000, "blinds": [100.0, 50.0]},
            "game_state": {
                "board_cards": deck.cards_text(hand.state.board),
                "is_hand_over": over,
                "players": players[:: 1 if hand.number % 3 else -1],
                "action_history": history,
                "winnings": net,
                "aivat_score": None if net is None else net / 10,
            },
        }


def _apart(piece: str) -> list[str]:
    """Return ``["b200", "c"]`` for ``b200c``."""
    digits = len(piece) - len(piece[1:].lstrip("0123456789")) if piece[0] == "b" else 1
    return [piece[:digits], *([*piece[digits:]] if piece[digits:] else [])]


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Stub, str]]:
    monkeypatch.setattr(match, "RETRY_SECONDS", 0.001)
    monkeypatch.setattr(gtowizard, "WAIT_SECONDS", 0.001)
    monkeypatch.setattr(gtowizard, "ATTEMPTS", 3)
    stub = Stub()
    with served(stub) as address:
        yield stub, address


def play(address: str, hands: int, agent: Agent | None = None, **options: Any) -> OnlineResult:
    return play_online(agent or Caller(), GtoWizard(KEY, address), hands, **options)


def test_a_match_and_its_log(at: tuple[Stub, str], tmp_path: Path) -> None:
    stub, address = at
    log = tmp_path / "gtowizard.log"
    first = play(address, 10, log=log)
    assert {"action": "b", "amount": 200} in stub.sent
    assert {"action": "k"} in stub.sent
    assert {len(hand.actions) for hand in first.hands} == {1, 4}
    assert first.seats == [number % 2 for number in range(10)]
    nets = [hand.net_chips[hand.number % 2] for hand in read_log(log.read_text().splitlines(), GAME).hands]
    assert first.chips.total_chips == sum(nets) != 0
    assert first.by_the_server is not None
    assert first.by_the_server.total_chips == pytest.approx(sum(nets) / 10)
    again = play(address, 12, log=log)
    assert (len(again.hands), len(stub.hands), len(again.servers_estimates)) == (12, 12, 12)


def test_a_busy_program_is_asked_again(at: tuple[Stub, str]) -> None:
    stub, address = at
    seen: list[str] = []

    def busy(path: str, number: int) -> int | None:
        seen.append(path)
        return {1: 409, 2: 503, 4: 502, 6: 504}.get(number)

    stub.before = busy
    result = play(address, 2)
    assert (len(result.hands), result.broken_off, len(stub.hands)) == (2, 0, 2)
    # Every action that was not taken is sent again only after the hands in progress were asked for.
    acts = [number for number, path in enumerate(seen) if path.endswith("/act")]
    assert "in-progress" in seen[acts[0] + 1] or "in-progress" in seen[acts[1] + 1]
    assert len(stub.sent) == sum(len(hand.state.line) for hand in stub.hands) // 2


def test_an_action_whose_answer_is_lost_is_not_taken_twice(at: tuple[Stub, str]) -> None:
    stub, address = at
    stub.spoil = lambda path, number, answer: 503 if path.endswith("/act") and number == 2 else answer
    result = play(address, 3)
    assert (len(result.hands), result.broken_off) == (3, 0)
    assert len(stub.sent) == sum(len(hand.state.line) for hand in stub.hands) // 2
    # Where it was the last action of a hand, what the hand won is not known.
    stub.spoil = lambda path, number, answer: 503 if path.endswith("/act") and _is_over(answer) else answer
    with pytest.raises(MatchError, match="no longer in progress"):
        play(address, 3)


def _is_over(answer: Any) -> bool:
    return bool(answer["game_state"]["is_hand_over"])


def test_a_hand_that_was_left_open_is_played_on(at: tuple[Stub, str], tmp_path: Path) -> None:
    stub, address = at
    log = tmp_path / "gtowizard.log"

    class Failing(Caller):
        fails = True

        def act(self, observation: Observation) -> Any:
            if self.fails and observation.hand_number == 2 and len(observation.state.board) == 4:
                raise AgentError("no more")
            return super().act(observation)

    agent = Failing()
    with pytest.raises(AgentError, match="no more"):
        play(address, 5, agent, log=log)
    assert "# hand 2 was left open: 102" in log.read_text()
    agent.fails = False
    result = play(address, 5, agent, log=log)
    assert (len(result.hands), result.broken_off, len(stub.hands)) == (5, 0, 5)
    # A hand that the program no longer has is counted as broken off.
    agent.fails, other = True, tmp_path / "other.log"
    begun = len(stub.hands)
    with pytest.raises(AgentError):
        play(address, 5, agent, log=other)
    while not stub.hands[begun + 2].state.is_over:
        stub.hands[begun + 2].act(CALL)
    agent.fails = False
    assert play(address, 4, agent, log=other).broken_off == 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"players": []}, "cannot be read"),
        ({"action_history": ["c", "x"]}, "'x' cannot be read"),
        ({"action_history": ["c", "k", "k"]}, "lack a _|is another hand|board"),
        ({"action_history": ["_"]}, "where no street ends"),
        ({"action_history": ["b150"]}, "do not allow"),
        ({"board_cards": "AsKsQ"}, "Q"),
        ({"board_cards": 5}, "cards 5 cannot be read"),
        ({"is_hand_over": True}, "winnings are missing|not over"),
        ({"is_hand_over": True, "winnings": 5.0}, "something else|by the rules"),
        ({"winnings": "5"}, "no number"),
    ],
)
def test_what_the_rules_do_not_allow_is_said(at: tuple[Stub, str], change: dict[str, Any], why: str) -> None:
    stub, address = at
    stub.spoil = lambda path, number, answer: {**answer, "game_state": {**answer["game_state"], **change}}
    with pytest.raises(ProtocolError, match=why):
        play(address, 3)


def test_other_stakes_are_refused(at: tuple[Stub, str]) -> None:
    stub, address = at
    stub.spoil = lambda path, number, answer: {**answer, "game": {"starting_stack": 200.0, "blinds": [0.5, 1.0]}}
    with pytest.raises(ProtocolError, match=r"blinds are \[0.5, 1.0\] and the stack 200"):
        play(address, 1)
    stub.spoil = lambda path, number, answer: [answer]
    with pytest.raises(ProtocolError, match="cannot be read"):
        play(address, 1)


def test_the_key(at: tuple[Stub, str]) -> None:
    _, address = at
    for wrong in ("", " ", "a\nb", "ключ"):
        with pytest.raises(InputError, match="GTOWIZARD_API_KEY"):
            GtoWizard(wrong, address)
    with pytest.raises(InputError, match="refuses the key"):
        play_online(Caller(), GtoWizard("another", address), 1)


def test_the_command(
    at: tuple[Stub, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["agent", "blueprint-nl", "--connect", f"gtowizard+{at[1]}", "--log", str(tmp_path / "a.log")]
    monkeypatch.delenv("GTOWIZARD_API_KEY", raising=False)
    assert main([*command, "--hands", "6"]) == 1
    assert "GTOWIZARD_API_KEY" in capsys.readouterr().err
    monkeypatch.setenv("GTOWIZARD_API_KEY", KEY)
    assert main([*command, "--hands", "6"]) == 0
    assert "by its AIVAT" in capsys.readouterr().out
    assert main([*command, "--hands", "6", "--check", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["hands"], found["checked"], found["wrong"]) == (6, 6, 0)
    assert found["by_the_server"]["chips"] == pytest.approx(found["won"]["chips"] / 10)
    assert KEY not in (tmp_path / "a.log").read_text()
