"""Whoever breaks a contract is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from errai.errors import ContractError, ErraiError
from errai.own_code import faults_named


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Turn errors of what is checked into a :class:`ContractError` that names it.

    The message has the file and line of own code that fails, whose exception is the ``__cause__``.
    """
    try:
        with faults_named(what, ContractError):
            yield
    except ContractError:
        raise
    except ErraiError as error:
        raise ContractError(f"{what} breaks its contract: {error}") from error.__cause__ or error
