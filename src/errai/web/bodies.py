"""What the bodies of all requests have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """A body, or a part of one: every field is known, and has the type that the document of the API says.

    A number is therefore neither a text with digits in it nor a truth value.
    """

    model_config = ConfigDict(extra="forbid", strict=True)
