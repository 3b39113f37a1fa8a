"""Make training data for value networks, train them and inspect them.

Counterfactual value networks estimate the value of every hand at the start of a street. They are trained on exact
solutions.
"""

from __future__ import annotations

from errai.cli.arguments import Arguments, add_verb


def add_arguments(add: Arguments) -> None:
    """Declare the verbs within this one; ``generate`` is in the module ``nets_generate``, and so on."""
    verbs = add.verbs()
    for name in ("generate", "train", "show"):
        add_verb(verbs, name, within="nets_")
