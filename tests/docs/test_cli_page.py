"""The tables of docs/cli.md say of the options of a solve what errai.options declares.

Run this file to write them again.
"""

import re
from pathlib import Path

from errai.cli.solve import OF_A_STORE, SETTINGS
from errai.options import OPTIONS, TARGET

PAGE = Path(__file__).parents[2] / "docs/cli.md"


def row(name: str) -> str:
    """The row of an option: its help and the sentences after it, as Markdown."""
    option = TARGET if name == "target" else OPTIONS[name]
    text = re.sub(r":\w+:`~?([^`]+)`", r"``\1``", option.text).replace("  ", " ").replace("|", r"\|")
    text = re.sub(r"\bdocs/(\w+\.md)", r"[\1](\1)", text).rstrip(".")
    text = re.sub(r"``(\w+)``", lambda found: f"`--{found[1]}`" if found[1] in SETTINGS else found[0], text)
    text = text.replace("``", "`")
    return f"| `--{(option.flag or name).replace('_', '-')} {option.letter}` | {text} |"


def written(page: str) -> str:
    """The page with the rows of all options of a solve."""
    for first, names in (("| `-o FILE`", ["target", *SETTINGS]), ("| `--current`", OF_A_STORE)):
        rows = "\n".join(map(row, names))
        page = re.sub(
            rf"(\|---\|---\|\n)(?:\| `--[^\n]*\n)*?(?={re.escape(first)})",
            lambda found, rows=rows: f"{found[1]}{rows}\n",
            page,
            count=1,
        )
    return page


def test_the_page_has_every_option_as_it_is_declared() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
