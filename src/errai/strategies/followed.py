"""How often each hand takes an action, by which ranges are updated with Bayes' rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.translation import Translation, translate
from errai.games.betting import ActionKind
from errai.games.hand import Action, PublicState
from errai.strategies.strategy import Choices


def probability_of(choices: Choices, state: PublicState, action: Action) -> NDArray[np.float64] | float:
    """Return float64[H]: how often each hand takes an action; a raise that the choices lack counts as the nearest one.

    The nearest is that of the hard pseudo-harmonic mapping (:mod:`errai.abstraction.translation`).  If there is no
    raise among the choices, the result is 1: then the action says nothing about the hand.
    """
    if action in choices.actions:
        return choices.probabilities[:, choices.actions.index(action)]
    raises = sorted(a for a in choices.actions if a.kind == ActionKind.RAISE)
    if action.kind != ActionKind.RAISE or not raises:
        return 1.0
    faced = max(state.betting.spent)
    pot = 2.0 * (faced + state.dead_chips)
    shares = [(a.total - faced) / pot for a in raises]
    found = translate((action.total - faced) / pot, shares, Translation.NEAREST_PSEUDO_HARMONIC)
    nearest = raises[found.pick(0.5)]
    return choices.probabilities[:, choices.actions.index(nearest)]
