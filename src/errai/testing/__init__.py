"""Conformance kits: whether code of your own keeps the contract of the seam that it is written for.

Each function takes what you wrote, asks it in many ways, and returns nothing if all is well.  Otherwise it raises a
:class:`ContractError` that says what is wrong and where.  They need no test framework::

    import errai.testing

    errai.testing.check_rule(MyRule())

docs/extending.md describes the seams.  What a kit cannot know is whether the code is *good*: a certificate or a match
says that.  The tests of Errai hold its own implementations against the same functions.
"""

from errai.testing.games import check_game
from errai.testing.kernels import check_kernel
from errai.testing.nets import check_predictor
from errai.testing.players import check_agent, check_strategy
from errai.testing.trees import check_gadget, check_leaf_values, check_leaves, check_root
from errai.testing.variants import check_rule, check_schedule

__all__ = [
    "check_agent",
    "check_gadget",
    "check_game",
    "check_kernel",
    "check_leaf_values",
    "check_leaves",
    "check_predictor",
    "check_root",
    "check_rule",
    "check_schedule",
    "check_strategy",
]
