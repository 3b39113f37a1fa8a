"""The gadgets for re-solving a subgame: each method with its guarantee and its source."""

from __future__ import annotations

from typing import Literal

from errai.errors import SubgameError
from errai.resolving.gadgets.adjusted import Distributional, Estimated, Reach
from errai.resolving.gadgets.maxmargin import Maxmargin
from errai.resolving.gadgets.method import Method, Resolve, Unsafe

DEEPSTACK_MIXING = 0.9
"""Weight of the opponent's estimated range in DeepStack (Moravcik et al. 2017)."""

MethodName = Literal[
    "unsafe",
    "resolve",
    "conservative",
    "aggressive",
    "maxmargin",
    "reach",
    "reach-resolve",
    "estimated",
    "estimated-resolve",
    "reach-estimated",
    "reach-estimated-resolve",
    "distributional",
    "reach-distributional",
]
"""The methods of :data:`METHODS` by name."""

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
    """Return a method by its name; a method is returned as it is.

    Raises :class:`~errai.errors.SubgameError`, which lists the names, for an unknown one.

    Examples
    --------
    >>> from errai.resolving import find_method
    >>> find_method("Maxmargin").name
    'maxmargin'
    """
    if isinstance(name, Method):
        return name
    found = METHODS.get(name.lower()) if isinstance(name, str) else None
    if found is None:
        if isinstance(name, type) and issubclass(name, Method):
            raise SubgameError(f"A method of re-solving is an object; instead of the class write {name.__name__}(...).")
        known = ", ".join(METHODS)
        raise SubgameError(f"{name!r} is not a method of re-solving; choose one of {known}.")
    return found
