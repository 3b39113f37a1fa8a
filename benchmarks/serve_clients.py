"""Twenty people play one server at once: the time to an answer of the agent; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import random
import threading
import time
from typing import Any

from common.machine import machine_line
from common.server import Server, serving
from common.tables import table

Found = list[tuple[str, float]]
"""What was asked for, and the seconds until the user could do something again."""


class Person:
    """A user at a table of his own."""

    def __init__(self, server: Server, seed: int) -> None:
        self.server = server
        self.http = server.connection()
        self.chance = random.Random(seed)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of an answer, which must be a good one."""
        return self.server.answer(self.http, method, path, body)

    def play(self, game: str, agent: str, think: float, until: float, found: Found) -> None:
        """Act after a pause, again and again; append how long each answer took, and until the user could act again."""
        view = self.ask("POST", "/tables", {"game": game, "opponent": agent})
        while time.perf_counter() < until:
            time.sleep(self.chance.uniform(0.0, 2.0 * think))
            path, began = f"/tables/{view['id']}", time.perf_counter()
            if view["state"] == "over":
                kind, view = "deal", self.ask("POST", f"{path}/deal", {"hand": view["hands"] + 1})
            elif view["state"] == "turn":
                # Folds are left out where a check is free, and seldom otherwise, so that hands go on.
                able = [one for one in view["choices"] if one["action"] not in ("f", "a")]
                weights = [4 if one["action"] in ("c", "k") else 1 for one in able]
                action = self.chance.choices(able, weights)[0]["action"]
                shown = view["shown"]
                body = {"action": action, "hand": shown["hand"], "ply": shown["ply"]}
                kind, view = "act", self.ask("POST", f"{path}/actions", body)
            else:
                raise SystemExit(f"the table is {view['state']}: {view['error']}")
            found.append(("answer", time.perf_counter() - began))
            while view["state"] in ("thinking", "waiting"):
                time.sleep(0.01)
                view = self.ask("GET", path)
            found.append((kind, time.perf_counter() - began))


def main() -> None:
    """Read the options, let the people play, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=20, metavar="N", help="people (20)")
    parser.add_argument("--seconds", type=float, default=30.0, metavar="S", help="how long they play (30)")
    parser.add_argument("--think", type=float, default=0.5, metavar="S", help="mean pause before an action (0.5)")
    parser.add_argument("--game", default="holdem.nolimit.2p", help="the game (holdem.nolimit.2p)")
    parser.add_argument("--agent", default="blueprint-nl", help="the agent (blueprint-nl)")
    options = parser.parse_args()
    found: Found = []
    with serving() as server:
        until = time.perf_counter() + options.seconds
        people = [Person(server, seed) for seed in range(options.clients)]
        arguments = (options.game, options.agent, options.think, until, found)
        threads = [threading.Thread(target=one.play, args=arguments) for one in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(machine_line() + "\n")
    names = {"answer": "answers to requests", "act": "until the user can act again", "deal": "until a hand is dealt"}
    rows = []
    for kind, name in names.items():
        times = sorted(1000 * seconds for one, seconds in found if one == kind)
        if times:
            shown = (times[len(times) // 2], times[len(times) * 99 // 100], times[-1])
            rows.append([name, f"{len(times):,}", *(f"{one:.0f}" for one in shown)])
    print(table(["milliseconds", "number", "median", "99 %", "most"], rows))


if __name__ == "__main__":
    main()
