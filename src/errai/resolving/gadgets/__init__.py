"""What may stand above a subgame that is solved again: one file a method, with its guarantee and its source."""

from __future__ import annotations

from errai.errors import SubgameError
from errai.resolving.gadgets.distributional import Distributional
from errai.resolving.gadgets.estimated import Estimated
from errai.resolving.gadgets.maxmargin import Maxmargin
from errai.resolving.gadgets.method import Method
from errai.resolving.gadgets.reach import Reach
from errai.resolving.gadgets.resolve import Resolve
from errai.resolving.gadgets.unsafe import Unsafe

DEEPSTACK_MIXING = 0.9
"""Weight of the opponent's estimated range in DeepStack (Moravcik et al. 2017)."""

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Unsafe(),
        Resolve(),
        Resolve(DEEPSTACK_MIXING),
        Resolve(DEEPSTACK_MIXING, forced=True),
        Maxmargin(),
        Reach(),
        Reach(Resolve()),
        Estimated(),
        Estimated(Resolve()),
        Reach(Estimated()),
        Reach(Estimated(Resolve())),
        Distributional(),
        Reach(Distributional()),
    )
}
"""The methods by name, with their default settings."""


def find_method(name: str | Method) -> Method:
    """A method by its name; a method is handed through.

    Raises :class:`~errai.errors.SubgameError`, with the names that there are.
    """
    if isinstance(name, Method):
        return name
    found = METHODS.get(name.lower()) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(METHODS)
        raise SubgameError(f"No method of solving a subgame again is called {name!r}; choose one of {known}.")
    return found
