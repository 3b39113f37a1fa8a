from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from errai.pictures.notebook import solution_html


def test_solution_html(flop):
    exploitability = SimpleNamespace(chips=0.61, mbb=None, pot_percent=0.305)
    solution = SimpleNamespace(
        title="A <flop>",
        status="target met",
        iterations=80,
        seconds=12.5,
        exploitability=exploitability,
        values=SimpleNamespace(chips=(90.0, 110.0)),
        information_sets=45030440,
        curve=np.array([[10, 1.0, 9.0], [20, 2.0, 4.0]]),
        root=flop,
    )
    html = solution_html(solution)
    assert "A &lt;flop&gt;" in html
    assert "45,030,440" in html
    assert "0.61 chips, 0.305% of the pot" in html
    assert html.count("<svg") == 2
    assert "<script" not in html
