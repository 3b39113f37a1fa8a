"""What the models of requests and answers have in common, and answers whose JSON is made once and sent many times."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Self

from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """A body, or a part of one: every field is known, and has the type that the document of the API says.

    A number is therefore neither a text with digits in it nor a truth value.
    """

    model_config = ConfigDict(extra="forbid", strict=True)


class Kept(BaseModel):
    """A model that is kept while what it shows does not change; so is its JSON."""

    model_config = ConfigDict(frozen=True)

    @cached_property
    def as_json(self) -> str:
        """The model as JSON, in one line."""
        return self.model_dump_json()

    def model_copy(self, **how: Any) -> Self:
        """See pydantic; the JSON of the copy is its own."""
        copy = super().model_copy(**how)
        vars(copy).pop("as_json", None)
        return copy


def listed(key: str, found: Iterable[Kept]) -> Response:
    """Answer with an object whose only key has all these models."""
    return sent(f'{{"{key}":[{",".join(one.as_json for one in found)}]}}')


def sent(text: str | bytes) -> Response:
    """Answer with JSON that has been made."""
    return Response(text, media_type="application/json")
