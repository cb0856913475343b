"""Values that files and people surprise a reader with; each source of chance is a random.Random."""

from __future__ import annotations

from random import Random
from typing import Any

ODD_TEXTS = (
    "", " ", "\x00", "\x1b[31m", "\u202egnp.exe", "\ufeff", "é", "e\u0301", "😀", "\U0010ffff", "\ud800", "ß", "İ",
    "\u00a0", "'", '"', "`", "\\", "\n", "\r\n", "\t", ";", ",", "--", "/*", "*/", "#", "%s%s%n", "{0}", "{{",
    "$(touch pwned)", "=cmd()", "'; DROP TABLE cases; --", '"); import os; os.system("touch pwned"); ("',
    "__import__('os').system('touch pwned')", "<script>alert(1)</script>", "</script>", "<!--", "]]>", "&amp;",
    "select", "NULL", "null", "None", "nan", "NaN", "inf", "-Infinity", "true", "TRUE", "missing", "other", "0", "-0",
    "1", "00", "1.0", "1e3", "1e400", "1e-400", "1e999999999", "1,5", "1.234,5", "1 234", "1_000", "0x10", "٣", "½",
    "12/0", "1/3", "-1/3", "9" * 40, "9" * 5000, "1/" + "9" * 5000, "2024-02-30", "24:61", "a" * 1000, "b" * 100_000,
    "unavailable", "back", "again", "list", "quit", "help", "?",
)  # fmt: skip

# Numbers as JSON and TOML may write them, which no float or no program of ours has to hold.
ODD_LITERALS = (
    "0", "-0", "-1", "1", "2", "255", "256", "65536", "2147483647", "2147483648", "4294967296", "9007199254740993",
    "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" + "0" * 30, "1" + "0" * 101, "9" * 400,
    "7" * 5000, "0.5", "-0.5", "1e-9", "1e12", "1e15", "1e-30", "1e30", "1e31", "1e100", "1e101", "1e-100", "1e-101",
    "1e308", "1e309", "-1e309", "5e-324", "1e-400", "1e999999999", "1e-999999999", "1e99999999999999999999",
    "0." + "3" * 4000,
)  # fmt: skip
CONSTANTS = ("NaN", "Infinity", "-Infinity", "nan", "inf", "true", "false", "null", "[]", "{}", '""')


def odd_text(rng: Random) -> str:
    """One of the list, or two of them, or letters from anywhere."""
    kind = rng.randrange(8)
    if kind == 0:
        return "".join(chr(rng.choice((rng.randrange(128), rng.randrange(0xD800)))) for _ in range(rng.randrange(12)))
    if kind == 1:
        return rng.choice(ODD_TEXTS) + rng.choice(ODD_TEXTS)
    return rng.choice(ODD_TEXTS)


def odd_number(rng: Random) -> str:
    """A number as a text: of the list, or of any digits and exponent."""
    if rng.randrange(3):
        return rng.choice(ODD_LITERALS)
    exponent = rng.choice(("", f"e{rng.randint(-40, 40)}", f"e{rng.randint(-400, 400)}"))
    return f"{rng.choice(('', '-'))}{rng.randrange(10 ** rng.randint(1, 20))}.{rng.randrange(1000)}{exponent}"


def odd_plain(rng: Random) -> Any:
    """A value of another type than whatever stood there."""
    return rng.choice((None, True, False, 0, -1, 1, 2**31, 2**63, 0.5, [], {}, [[]], [0, 1], {"a": 1}, "", "1/2", "x"))
