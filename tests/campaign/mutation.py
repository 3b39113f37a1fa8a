"""Wrong inputs, made from right ones: bytes, texts, and documents of JSON."""

from __future__ import annotations

import random
from typing import Any

NUMBERS = (
    "0", "-1", "1", "1e308", "-1e308", "1e-308", "1e999", "nan", "inf", "-inf", "9" * 30, "4294967296", "0.1", "1_0",
    "0x10", "-0", "00", "2147483648", "9223372036854775808", "", "²", "1e", "true",
)  # fmt: skip
PIECES = (
    "\0", "\n", "\r\n", "\t", '"', "'", "\\", "{", "}", "[", "]", "(", ")", ",", ";", ":", "=", "#", "-", "+", "%", ".",
    "..", "$", "\u202e", "\ud7ff", "😀", "é", "ſ", "٣", "null", "true", "[" * 200, '"""', "AA", "As", "AsAs", "22+",
    "a", "e", "x", "f", "c", "r", "b", "/", "|", "~", " ", "  ", "A" * 300, "%s", "%n", "{0}", "\x1b[31m", "\ufeff",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 1e308, -1e308, 1e-320, 2**31, 2**63, 2**64, -(2**63), 10**40, 0.5, "", "a", "As",
    "\0", "../..", "/etc/passwd", "A" * 3000, [], {}, [[]], [0], {"a": 1}, "1", "nan", [None], "river", "kuhn",
)  # fmt: skip


def mutated_bytes(data: bytes, dice: random.Random) -> bytes:
    """Return bytes with one to four changes."""
    made = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        begin = dice.randint(0, len(made))
        end = min(begin + dice.choice((1, 1, 2, 4, 8, 64, 1000)), len(made))
        match dice.randrange(8):
            case 0 if made:
                made[begin % len(made)] ^= 1 << dice.randrange(8)
            case 1:
                made[begin:end] = dice.randbytes(end - begin)
            case 2:
                del made[begin:end]
            case 3:
                made[begin:begin] = made[begin:end] * dice.choice((1, 2, 50))
            case 4:
                made[begin:end] = bytes(end - begin)
            case 5:
                made[begin:begin] = dice.choice(PIECES).encode()
            case 6:
                del made[begin:]
            case _:
                made[begin:end] = b"\xff" * (end - begin)
    return bytes(made)


def mutated_text(text: str, dice: random.Random, pieces: tuple[str, ...] = PIECES) -> str:
    """Return a text with one to four changes: of characters, numbers, words and lines."""
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(0, len(text))
        match dice.randrange(8):
            case 0:
                text = text[:at] + dice.choice(pieces) + text[at:]
            case 1:
                text = text[:at] + dice.choice(pieces) + text[at + dice.randint(1, 4) :]
            case 2:
                text = text[:at] + text[at + dice.choice((1, 1, 3, 20)) :]
            case 3:
                lines = text.split("\n")
                lines.insert(dice.randint(0, len(lines)), lines.pop(dice.randrange(len(lines))))
                text = "\n".join(lines)
            case 4:
                lines = text.split("\n")
                lines[dice.randrange(len(lines))] = dice.choice(lines)
                text = "\n".join(lines)
            case 5 | 6:
                spans = [i for i, sign in enumerate(text) if sign.isdigit()]
                if spans:
                    begin = dice.choice(spans)
                    end = begin
                    while end < len(text) and text[end].isdigit():
                        end += 1
                    text = text[:begin] + dice.choice(NUMBERS) + text[end:]
            case _:
                words = text.split(" ")
                words[dice.randrange(len(words))] = dice.choice((*pieces, *NUMBERS, *words))
                text = " ".join(words)
    return text[:20_000]


def mutated_value(value: Any, dice: random.Random) -> Any:
    """Return a document of JSON in which one to three values are others, gone, moved or new."""
    for _ in range(dice.choice((1, 1, 2, 3))):
        value = _changed(value, dice)
    return value


def _changed(value: Any, dice: random.Random) -> Any:
    if not isinstance(value, (dict, list)) or not value or dice.random() < 0.05:
        if isinstance(value, str) and dice.random() < 0.7:
            return mutated_text(value, dice)
        if isinstance(value, (int, float)) and dice.random() < 0.4:
            return dice.choice((value + 1, -value, value * 2, value / 3, value - 1))
        return dice.choice(VALUES)
    made: Any = dict(value) if isinstance(value, dict) else list(value)
    key = dice.choice(list(made)) if isinstance(made, dict) else dice.randrange(len(made))
    chance = dice.random()
    if chance < 0.1:
        del made[key]
    elif chance < 0.15 and isinstance(made, dict):
        made[dice.choice(("more", "", "id", "kind"))] = dice.choice(VALUES)
    elif chance < 0.2 and isinstance(made, list):
        made.insert(key, made[dice.randrange(len(made))])
    else:
        made[key] = _changed(made[key], dice)
    return made
