"""How a solve ended: texts that files contain, and advice if the target was not met."""

import json

import pytest

from errai.engine.status import Status


def test_the_texts_of_files_stay() -> None:
    assert json.loads(json.dumps(list(Status))) == [
        "target met",
        "iteration limit",
        "time limit",
        "interrupted",
        "precision limit",
    ]


def test_who_falls_short_is_told_what_to_do() -> None:
    assert {status for status in Status if not status.advice} == {Status.TARGET_MET}


@pytest.mark.parametrize("status", list(Status))
def test_limits_alone_are_met_but_for_ctrl_c(status: Status) -> None:
    assert status.is_success(only_limits=True) == (status is not Status.INTERRUPTED)
    assert status.is_success(only_limits=False) == (status is Status.TARGET_MET)
