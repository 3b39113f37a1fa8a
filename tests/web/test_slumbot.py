"""Programs written for slumbot.com play Errai: the answers are as their sample client reads them."""

from __future__ import annotations

import random
from pathlib import Path

import httpx
from web_server import Served

from errai import load_game
from errai.agents.reader import read_agent
from errai.arena.online.match import GAME, play_online
from errai.arena.online.slumbot import Slumbot

STACK, BIG_BLIND = 20_000, 100


def follow(action: str) -> dict:
    """The street, who acts, and the chips in, by the rules alone; -1 acts when betting is over."""
    put, street, actor, acted, folded = [BIG_BLIND, BIG_BLIND // 2], 0, 1, 0, -1
    before, at = [0, 0], 0
    while at < len(action):
        letter, at = action[at], at + 1
        if letter == "/":
            assert put[0] == put[1]
            street, actor, acted, before = street + 1, 0, 0, list(put)
            continue
        other = 1 - actor
        if letter == "f":
            assert put[other] > put[actor]
            folded, actor = actor, -1
            assert at == len(action)
            break
        if letter == "k":
            assert put[0] == put[1]
        elif letter == "c":
            assert put[other] > put[actor]
            put[actor] = put[other]
        else:
            assert letter == "b"
            end = at
            while end < len(action) and action[end].isdigit():
                end += 1
            put[actor], at = before[actor] + int(action[at:end]), end
            assert put[other] < put[actor] <= STACK
        acted += 1
        actor = other
    done = acted >= 2 and put[0] == put[1] and folded < 0
    over = folded >= 0 or (done and street == 3) or (put[0] == put[1] == STACK)
    return {"put": put, "street": street, "actor": -1 if over or done else actor, "folded": folded, "over": over,
            "before": before}  # fmt: skip


class Bot:
    """A client that knows the address alone, as the sample does."""

    def __init__(self, served: Served) -> None:
        self.address = f"{served.address}/slumbot/{served.token}"

    def ask(self, path: str, body: dict) -> dict:
        """The answer, which always has the status 200."""
        answer = httpx.post(f"{self.address}/api/{path}", json=body, timeout=60.0)
        assert answer.status_code == 200, answer.text
        return answer.json()


def test_a_session_of_a_bot(served: Served) -> None:
    bot, rng, token, total = Bot(served), random.Random(4), None, 0
    for number in range(1, 13):
        answer = bot.ask("new_hand", {"token": token} if token else {})
        token = answer["token"]
        assert answer["client_pos"] == number % 2
        assert answer["old_action"] == ""
        while "winnings" not in answer:
            at = follow(answer["action"])
            assert at["actor"] == answer["client_pos"], answer
            assert len(answer["board"]) == (0, 3, 4, 5)[at["street"]]
            assert len(answer["hole_cards"]) == 2
            assert "bot_hole_cards" not in answer
            own, other = answer["client_pos"], 1 - answer["client_pos"]
            behind = at["put"][other] > at["put"][own]
            incr = "c" if behind else "k"
            if number == 3:
                incr = "f" if behind else "k"
            elif number == 5 or rng.random() < 0.15:
                most = f"b{STACK - at['before'][own]}"
                incr = most if at["put"][other] < STACK else "c"
            before = answer["action"]
            answer = bot.ask("act", {"token": token, "incr": incr})
            assert answer["old_action"] == before
            assert answer["action"].startswith(before + incr)
        end = follow(answer["action"])
        assert end["over"]
        lost = min(end["put"])
        if end["folded"] >= 0:
            assert answer["winnings"] == (-lost if end["folded"] == answer["client_pos"] else lost)
        else:
            assert abs(answer["winnings"]) in (lost, 0)
            assert len(answer["board"]) == 5
            assert answer["action"].count("/") == 3
        assert len(answer["bot_hole_cards"]) == 2
        total += answer["winnings"]
        assert (answer["session_num_hands"], answer["session_total"]) == (number, total)
    table = served.get(f"/tables/{token}")
    assert (table["hands"], table["won_chips"]) == (12, total)


def test_wrong_requests_change_nothing(served: Served) -> None:
    bot = Bot(served)
    answer = bot.ask("new_hand", {})
    token = answer["token"]
    for wrong in ("", "cc", "ck", "k", "b1", "b20001", "b150", "b200c", "x", "B200", "b", "b200/", "c/"):
        said = bot.ask("act", {"token": token, "incr": wrong})
        assert set(said) == {"error_msg"}, (wrong, said)
    assert "not over" in bot.ask("new_hand", {"token": token})["error_msg"]
    assert "error_msg" in bot.ask("act", {"token": "nobody", "incr": "c"})
    assert "error_msg" in bot.ask("act", {"token": "../../x", "incr": "c"})
    after = bot.ask("act", {"token": token, "incr": "b200"})
    assert after["old_action"] == answer["action"] == ""
    assert after["action"].startswith("b200")


def test_the_token_is_needed(served: Served) -> None:
    known, header = served.token, {"authorization": f"Bearer {served.token}"}
    for path in ("/slumbot/api", "/slumbot/wrong/api", "/slumbot//api", f"/{known}/api", f"/slumbot/{known}",
                 f"/slumbot/{known}/../api"):  # fmt: skip
        assert httpx.post(f"{served.address}{path}/new_hand", json={}).status_code == 401, path
    assert httpx.post(f"{served.address}/slumbot/api/new_hand", json={}, headers=header).is_success


def test_errais_own_client(served: Served, tmp_path: Path) -> None:
    address = f"{served.address}/slumbot/{served.token}"
    agent = read_agent("blueprint-nl", load_game(GAME))
    result = play_online(agent, Slumbot(address), 12, log=tmp_path / "slumbot.log")
    assert (len(result.hands), result.broken_off) == (12, 0)
    (table,) = (t for t in served.get("tables")["tables"])
    assert table["hands"] == 12
    assert table["won_chips"] == result.chips.total_chips
