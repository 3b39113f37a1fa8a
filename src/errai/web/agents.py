"""The agents that the server offers: those of the package that run no code of users, and solutions of the folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from errai.agents.agent import Agent
from errai.agents.reader import AGENTS, read_agent
from errai.agents.solved import SolvedAgent
from errai.cards.deck import FULL_DECK
from errai.errors import InputError, UnknownStrategyError
from errai.games.game import Subject
from errai.games.hand import PublicState
from errai.pictures.play import short_name
from errai.resolving.budget import DEEPSTACK_SECONDS, DEFAULT_SECONDS
from errai.solutions.solution import Solution
from errai.strategies.blind import ALWAYS
from errai.strategies.names import Name, full_name, read_name
from errai.strategies.strategy import require_same
from errai.web.library import SUFFIX, Library

MOST_SECONDS = 120.0
"""The longest time for a decision that a name may ask for."""

LONGEST_NAME = 200


@dataclass(frozen=True)
class Offer:
    """An agent that can be chosen."""

    name: str
    """What the command line calls it too; of a solution ``solution:`` and its name in the folder."""
    title: str
    what: str
    plays: Callable[[Subject], bool]
    seconds: float | None = None
    """Seconds that a decision may take; None if it takes moments."""


def _limit_holdem(subject: Subject) -> bool:
    return subject.whole_game is not None and subject.rules.name == "holdem.limit.2p"


def _nolimit_holdem(subject: Subject) -> bool:
    # The shipped blueprint and networks are for these stacks alone.
    return subject.whole_game is not None and subject.rules.name == "holdem.nolimit.2p"


def _limit(subject: Subject) -> bool:
    return subject.whole_game is not None and subject.rules.limit


def _poki(subject: Subject) -> bool:
    return _limit(subject) and (subject.rules.deck, subject.rules.num_hole_cards) == (FULL_DECK, 2)


def _small(subject: Subject) -> bool:
    return subject.whole_game is not None and subject.deck.num_cards <= 6


def _resolved(subject: Subject) -> bool:
    if subject.whole_game is None:
        return subject.zero_sum and subject.first_round >= 2 and subject.unit == 1
    return _limit_holdem(subject) or _nolimit_holdem(subject)


def _any(subject: Subject) -> bool:
    return True


OFFERS = (
    Offer("blueprint", "Blueprint", "trained in advance over groups of similar hands; close to balanced",
          _limit_holdem),
    Offer("blueprint-nl", "Blueprint", "trained in advance over groups of similar hands and few bet sizes",
          _nolimit_holdem),
    Offer("resolver", "Resolver", "the blueprint; solves the turn and the river anew while it plays",
          _resolved, DEFAULT_SECONDS),
    Offer("deepstack", "DeepStack", "solves every street anew, with networks for what comes later",
          _nolimit_holdem, DEEPSTACK_SECONDS),
    Offer("libratus", "Libratus", "the blueprint; solves turn and river anew after bets that it lacks",
          _resolved, DEFAULT_SECONDS),
    Offer("deepstack", "DeepStack", "solves every round anew, with a network for what comes later",
          lambda subject: subject.whole_game is not None and subject.rules.name == "leduc.nolimit"),
    Offer("continual:iterations=200", "Continual re-solving", "solves the rest of the game anew in every round",
          _small, 1.0),
    Offer("psopti2", "PsOpti 2", "linear programs over a coarse model of the game, 2003", _limit_holdem),
    Offer("psopti1", "PsOpti 1", "linear programs over a coarse model of the game, 2003", _limit_holdem),
    Offer("psopti0", "PsOpti 0", "linear programs over a coarse model of the game, 2003", _limit_holdem),
    Offer("poki", "Poki", "simulates the rest of the hand with a model of its opponent, 2002", _poki),
    Offer("poki-formula", "Poki without simulation", "bets by a formula of hand strength and potential, 1999", _poki),
    Offer("vexbot", "Vexbot", "learns how its opponent plays, and searches the rest of the hand, 2004", _limit),
    Offer("brplayer", "BRPlayer", "learns how its opponent plays, with other models than Vexbot, 2006", _limit),
    Offer(full_name("by-strength"), "By strength", "bets strong hands and folds weak ones, with some randomness",
          lambda subject: subject.whole_game is not None),
    Offer("random-bets", "Random bets", "bets random amounts with any cards", lambda subject: not subject.rules.limit),
    Offer("uniform", "Random actions", "chooses among its actions at random", _any),
    Offer("always-call", "Always calls", "checks and calls with any cards", _any),
    Offer("always-raise", "Always raises", "bets and raises with any cards", _any),
    Offer("always-fold", "Always folds", "folds to every bet", _any),
)  # fmt: skip


def agent_title(request: str, name: str) -> str:
    """Return the name of an agent for people, of a solution where nobody knows how it is called."""
    if request.startswith("solution:"):
        return short_name(request.rsplit(":", 1)[1])
    return next((offer.title for offer in OFFERS if offer.name == full_name(request)), short_name(name))


def blueprint_of(subject: Subject) -> str | None:
    """Return the blueprint of the package that plays a game."""
    return "blueprint" if _limit_holdem(subject) else "blueprint-nl" if _nolimit_holdem(subject) else None


@dataclass(frozen=True)
class Agents:
    """Makes agents from the names that requests may use."""

    library: Library

    def offered(self, subject: Subject) -> Iterator[Offer]:
        """Yield the agents that play a game or spot: solutions of it first."""
        digest = subject.digest()
        for view in sorted(self.library.views(), key=lambda view: view.name):
            # The blueprints of the package are agents by their own names.
            found = None if view.kind in ("run", "blueprint") else self.library.described(view.name).subject
            if found is not None and found.digest() == digest:
                yield Offer(f"solution:{view.name}", view.title or view.name, f"your solution {view.name}", _any)
        yield from (offer for offer in OFFERS if offer.plays(subject))

    def title(self, request: str) -> str:
        """Return the name for people of an agent that requests may name."""
        name = read_name(request)
        if name.kind == "solution":
            return self.library.described(name.source).view.title or name.source
        return agent_title(request, request)

    def subject_of(self, solution: str) -> Subject:
        """Return the game or spot of a solution of the folder.  Raises :class:`InputError` if that cannot be played."""
        self.library.workspace.existing("solutions", solution, SUFFIX)
        described = self.library.described(solution)
        found = None if described.view.kind == "blueprint" else described.subject
        if found is None:
            raise InputError(f"{solution} cannot be played: it is not the solution of a whole game or spot.")
        PublicState.start(found)
        return found

    def make(self, text: str, subject: Subject) -> Agent:
        """Make an agent.  Raises the errors of :meth:`check` and of :func:`errai.agents.reader.read_agent`."""
        name = self.check(text)
        if name.kind != "solution":
            full = self.with_files(text)
            agent = read_agent(full, subject)
            # Sessions have the name without the folder, which may be moved.
            agent.name = text + SUFFIX if full != text else text
            return agent
        solution = self.solution(name.source)
        translation = name.read(words={"translation": ("pseudo-harmonic", "nearest-pseudo-harmonic")}, source="NAME")
        agent = SolvedAgent(solution, text + SUFFIX, **translation)
        require_same(solution.subject, subject, text)
        return agent

    def solution(self, name: str) -> Solution:
        """Return a solution of the folder; it is read once for all that use it at the same time."""
        return self.library.loaded(self.library.workspace.existing("solutions", name, SUFFIX))

    def check(self, text: str) -> Name:
        """Return a name that requests may use, in its parts.  Raises :class:`InputError` for any other.

        Agents that run code, that are read from files elsewhere, or that may think for any time are refused.
        """
        name = read_name(text)
        if len(name.text) > LONGEST_NAME or not name.text.isprintable():
            raise InputError(f"The name of an agent has at most {LONGEST_NAME} printable characters.")
        known = name.kind in (*ALWAYS, *AGENTS, "uniform", "by-strength") and name.kind not in ("python", "store")
        if not known and not (not name.kind and name.options):
            raise UnknownStrategyError(
                f"{name.text!r} cannot be chosen here: write the name of an agent of the package, such as "
                "blueprint-nl, or solution:NAME for a solution of the folder."
            )
        if name.kind == "solution":
            self.library.workspace.existing("solutions", name.source, SUFFIX)
        elif name.kind in ("resolver", "continual", "deepstack", "libratus"):
            self._check_options(name)
            if name.source:
                self.check(name.source)
        elif name.kind and (name.options or (name.source and name.kind != "by-strength")):
            raise InputError(
                f"{name.kind} takes no options and no files here; write {name.kind} alone, not {name.text!r}."
            )
        return name

    def _check_options(self, name: Name) -> None:
        for item in filter(None, name.options.split(",")):
            key, _, value = (part.strip() for part in item.partition("="))
            most = {"seconds": MOST_SECONDS, "iterations": 10_000.0}.get(key)
            try:
                allowed = key == "from" or (most is not None and 0.0 < float(value) <= most)
            except ValueError:
                allowed = False
            if not allowed:
                raise InputError(
                    f"{item.strip()!r} cannot be chosen here: {name.kind} has from=STREET, seconds up to "
                    f"{MOST_SECONDS:g}, and iterations up to 10,000."
                )

    def with_files(self, text: str) -> str:
        """Return a name as the command line takes it, with the path of a solution of the folder."""
        name = read_name(text)
        if name.kind == "solution":
            source = str(self.library.workspace.path("solutions", name.source, SUFFIX))
        elif name.source and name.kind != "by-strength":
            source = self.with_files(name.source)
        else:
            return text
        return text.removesuffix(name.source) + source
