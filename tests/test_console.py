from __future__ import annotations

from types import SimpleNamespace

from errai.console import exploitability_text


def test_every_unit_is_named():
    text = exploitability_text(SimpleNamespace(chips=0.001, mbb=1.0, pot_percent=0.05))
    assert text == "0.001 chips, 1 mbb, 0.05% of the pot"
