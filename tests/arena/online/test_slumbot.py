"""A client of slumbot.com's protocol, at a stub on this machine that answers as the published sample reads answers."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from errai.agents.agent import Agent
from errai.arena.acpc.log import read_log, state_line
from errai.arena.online import match, slumbot
from errai.arena.online.match import OnlineResult, play_online
from errai.arena.online.slumbot import Slumbot, action_text, own_action_text, read_actions
from errai.cli.main import main
from errai.errors import DamagedFileError, InputError, MatchError, MismatchError, ProtocolError
from errai.games.hand import CALL, Hand, Shuffle, raise_to
from tests.arena.online.stubs import GAME, Caller, served


def play_at_slumbot(agent: Agent, address: str, hands: int, **options: Any) -> OnlineResult:
    return play_online(agent, Slumbot(address), hands, **options)


class Stub:
    """A server that checks and calls; ``spoil(path, number, answer)`` may change what it says, or return a status."""

    def __init__(self) -> None:
        self.spoil: Callable[[str, int, dict[str, Any]], dict[str, Any] | int] = lambda path, number, answer: answer
        self.hands = self.requests = 0
        self.sent: list[str] = []
        self._hand: Hand | None = None

    def answer(self, path: str, body: dict[str, Any] | None, headers: Any) -> dict[str, Any] | int:
        """Return the answer to a request."""
        assert headers["User-Agent"].startswith("errai/")
        assert body is not None
        path, old = path.removeprefix("/api/"), ""
        if path == "new_hand":
            self._hand = Hand(GAME, Shuffle(GAME).numbered(7, self.hands), self.hands)
            self.hands += 1
        hand = self._hand
        assert hand is not None
        seat = hand.number % 2
        if path == "act":
            assert body["token"] == f"token{self.requests}"  # The last token that was given counts.
            old = action_text(hand.state)
            self.sent.append(body["incr"])
            hand.act(slumbot.read_action(body["incr"], hand.state))
        while hand.state.actor == 1 - seat:
            hand.act(CALL)
        deck, self.requests = GAME.deck, self.requests + 1
        found: dict[str, Any] = {
            "old_action": old,
            "action": action_text(hand.state),
            "client_pos": seat,
            "hole_cards": [deck.card_text(card) for card in hand.deal.hole[seat]],
            "board": [deck.card_text(card) for card in hand.state.board],
            "token": f"token{self.requests}",
        }
        if hand.state.is_over:
            played = hand.played(("a", "b"))
            found["bot_hole_cards"] = [deck.card_text(card) for card in hand.deal.hole[1 - seat]]
            found["winnings"] = round(played.net_chips[seat])
            found["baseline_winnings"] = -50
        return self.spoil(path, self.requests, found)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Stub, str]]:
    monkeypatch.setattr(match, "RETRY_SECONDS", 0.001)
    stub = Stub()
    with served(stub) as address:
        yield stub, address


def test_actions_are_read_as_they_are_written() -> None:
    rng = random.Random(1)
    for number in range(300):
        hand = Hand(GAME, Shuffle(GAME).numbered(2, number), number)
        while not hand.state.is_over:
            assert read_actions(action_text(hand.state), hand.state.board) == hand.state
            legal = hand.state.betting.legal()
            choices = [CALL, CALL]
            if legal.raise_range is not None:
                choices += [raise_to(rng.choice([legal.raise_range[0], rng.randint(*map(int, legal.raise_range))]))]
            action = rng.choice(choices)
            text = own_action_text(action, hand.state.betting)
            assert slumbot.read_action(text, hand.state) == action
            hand.act(action)
        assert read_actions(action_text(hand.state), hand.state.board) == hand.state


@pytest.mark.parametrize(
    ("text", "cards", "why"),
    [
        ("b200cc", "AsKsQs", "lack a /"),
        ("b200/c", "", "where no street ends"),
        ("b150", "", "do not allow"),
        ("k", "", "do not allow"),
        ("ckk", "AsKsQs", "lack a /"),
        ("fc", "", "go on after the end"),
        ("b200x", "", "cannot be read"),
        ("b200c/", "AsKs", "has 2 cards"),
        ("b200c/", "AsKsQsJs", "has 4 cards"),
        ("b200", "AsKsQs", "has 3 cards"),
    ],
)
def test_actions_that_the_rules_do_not_allow(text: str, cards: str, why: str) -> None:
    with pytest.raises(ProtocolError, match=why):
        read_actions(text, slumbot.read_cards(cards, GAME.deck))


def test_a_match_and_its_log(at: tuple[Stub, str], tmp_path: Path) -> None:
    stub, address = at
    log = tmp_path / "slumbot.log"
    first = play_at_slumbot(Caller(), address, 7, log=log)
    assert set(stub.sent) <= {"b200", "k", "c"}
    assert "b200" in stub.sent
    assert stub.hands == len(first.hands) == 7
    assert first.without_luck is None
    expected = sum(hand.net_chips[hand.number % 2] for hand in read_log(log.read_text().splitlines(), GAME).hands)
    assert first.chips.total_chips == expected != 0
    assert log.read_text().count("baseline_winnings -50") == 7
    # A line that was cut off is played again, and the same command goes on.
    with log.open("a") as file:
        file.write("STATE:7:r20")
    again = play_at_slumbot(Caller(), address, 9, log=log)
    assert [hand.number for hand in again.hands] == list(range(9))
    assert [state_line(hand) for hand in again.hands[:7]] == [state_line(hand) for hand in first.hands]
    assert stub.hands == 9
    play_at_slumbot(Caller(), address, 9, log=log)
    assert stub.hands == 9  # Nothing is asked for a result that is in the log.


def test_a_lost_answer_breaks_the_hand_off(at: tuple[Stub, str], tmp_path: Path) -> None:
    stub, address = at
    log = tmp_path / "slumbot.log"
    stub.spoil = lambda path, number, answer: 503 if number == 3 and path == "act" else answer
    result = play_at_slumbot(Caller(), address, 4, log=log)
    assert (len(result.hands), result.broken_off, stub.hands) == (4, 1, 5)
    assert "503" in result.last_failure
    assert "# hand 0 was broken off" in log.read_text()
    assert play_at_slumbot(Caller(), address, 4, log=log).broken_off == 1
    stub.spoil = lambda path, number, answer: 502
    with pytest.raises(MatchError, match="3 requests failed"):
        play_at_slumbot(Caller(), address, 6, log=log)
    assert len(read_log(log.read_text().splitlines(), GAME).hands) == 4


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"error_msg": "Illegal bet"}, "Illegal bet"),
        ({"client_pos": 2}, "position 2"),
        ({"board": ["As"]}, "has 1 cards"),
        ({"hole_cards": ["As", "As"]}, "occurs twice"),
        ({"action": "b200"}, "server's turn|is another hand|board"),
        ({"action": 3}, "without `action`"),
        ({"winnings": 5}, "not over|won"),
        ({"hole_cards": "AsKs"}, "no list of cards"),
        ({"winnings": "5"}, "no number"),
    ],
)
def test_what_the_rules_do_not_allow_is_said(at: tuple[Stub, str], change: dict[str, Any], why: str) -> None:
    stub, address = at
    stub.spoil = lambda path, number, answer: {**answer, **change}
    with pytest.raises(ProtocolError, match=why):
        play_at_slumbot(Caller(), address, 3)


def test_winnings_are_held_against_the_rules(at: tuple[Stub, str]) -> None:
    stub, address = at
    stub.spoil = lambda path, number, answer: (
        {**answer, "winnings": answer["winnings"] + 1} if "winnings" in answer else answer
    )
    with pytest.raises(ProtocolError, match="by the rules it is"):
        play_at_slumbot(Caller(), address, 3)


def test_wrong_input(at: tuple[Stub, str], tmp_path: Path) -> None:
    _, address = at
    for wrong in ("ftp://x", "http://", "https://[", "localhost:80"):
        with pytest.raises(InputError):
            play_at_slumbot(Caller(), wrong, 1)
    with pytest.raises(InputError):
        Slumbot(address, timeout_seconds=0)
    namesake = Caller()
    namesake.name = "slumbot"
    with pytest.raises(InputError, match="name of its opponent"):
        play_at_slumbot(namesake, address, 1)
    log = tmp_path / "a.log"
    play_at_slumbot(Caller(), address, 2, log=log)
    with pytest.raises(MismatchError):
        play_at_slumbot(Caller(), address, 2, log=log, seed=4)
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines).replace(":caller|", ":caller|x:", 1).replace("|caller", "|x:caller", 1))
    with pytest.raises(DamagedFileError):
        play_at_slumbot(Caller(), address, 2, log=log)
    log.write_text("something else\n")
    with pytest.raises(MismatchError):
        play_at_slumbot(Caller(), address, 2, log=log)


def test_the_command(at: tuple[Stub, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stub, address = at
    log = tmp_path / "a.log"
    command = ["agent", "blueprint-nl", "--connect", address, "--log", str(log)]
    assert main([*command, "--hands", "3"]) == 0
    text = capsys.readouterr().out
    assert "by AIVAT" in text
    assert main([*command, "--hands", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["hands"] == 3
    assert found["won"]["chips"] == sum(
        h.net_chips[h.number % 2] for h in read_log(log.read_text().splitlines(), GAME).hands
    )
    assert f"{found['without_luck']['mbb_per_hand']:+.1f} mbb" in text
    checked = [*command, "--hands", "1", "--check"]
    assert main([*checked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["checked"], found["wrong"], stub.hands) == (3, 0, 3)
    right = log.read_text()
    log.write_text(right.replace("AIVAT ", "AIVAT 9", 1).replace("AIVAT 9-", "AIVAT 9"))
    assert main(checked) == 3
    assert "1 differ" in capsys.readouterr().out
    log.write_text(right)
    stub.spoil = lambda path, number, answer: 502
    assert main([*command, "--hands", "5"]) == 3
    assert "goes on" in capsys.readouterr().err
    assert main([*command, "--game", "kuhn"]) == 1
    assert main([*command[:-2], "--check"]) == 1
    assert main(["agent", "always-call", "--connect", "localhost:1"]) == 1
