"""A conversation at the terminal: lines that are shown, and lines that the user types."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

SECONDS_BEFORE_WAITING = 0.5


class Leave(Exception):
    """The user leaves; ``asked`` says whether the user can be asked for a file name."""

    def __init__(self, *, asked: bool) -> None:
        super().__init__()
        self.asked = asked


class Talk:
    """Shows lines on a console and asks for lines; ``plain`` is drawn with ASCII only."""

    def __init__(self, console: Console, *, plain: bool) -> None:
        self.console = console
        self.plain = plain or console.options.ascii_only

    def begin(self) -> None:
        """Prepare the input: lines can be edited, and wrong bytes are wrong input and not the end of the input."""
        with contextlib.suppress(io.UnsupportedOperation):  # A talk before this one has read, and prepared it.
            getattr(sys.stdin, "reconfigure", lambda **_: None)(errors="replace")
        if sys.stdin.isatty():
            # The module gives arrow keys, and the lines typed before.
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401

    def say(self, text: str, *, style: str = "") -> None:
        """Print a line."""
        self.console.print(Text(text, style=style))

    def ask(self, prompt: str) -> str:
        """Return a line of input; raises :class:`Leave` at the end of the input."""
        if self.console.file is sys.stderr:
            # Standard output is kept for a document.
            self.console.print(Text(prompt), end="")
            prompt = ""
        try:
            words = input(prompt)
        except (EOFError, ValueError, RuntimeError):
            # The input has ended, or there is none.
            raise Leave(asked=False) from None
        if not sys.stdin.isatty():
            # A terminal shows what was typed; without one it is copied to the output.
            self.say(words if words.isprintable() else ascii(words))
        return words.strip()

    @contextlib.contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Show what the user waits for, if it takes longer than half a second."""
        status = self.console.status(Text(what), spinner="line" if self.plain else "dots")

        def show() -> None:
            if self.console.is_terminal:
                status.start()
            else:
                self.say(f"{what} ...")

        timer = threading.Timer(SECONDS_BEFORE_WAITING, show)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            status.stop()
