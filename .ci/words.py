"""Fails if a retired word or phrase of .ci/words.txt is in the sources or the documentation: python .ci/words.py."""

import re
import subprocess
import sys
from pathlib import Path

LIST = Path(__file__).with_name("words.txt")
SUFFIXES = (".py", ".md", ".rst", ".hpp", ".cpp", ".js", ".mjs", ".toml", ".yml")
retired = [line.split("\t") for line in LIST.read_text("utf-8").splitlines() if line and not line.startswith("#")]
listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
found = 0
for name in listed.stdout.splitlines():
    path = Path(name)
    if path.suffix not in SUFFIXES or not path.is_file() or name.startswith("docs/paper"):
        continue
    for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
        for pattern, instead in retired:
            if match := re.search(pattern, line, re.IGNORECASE):
                print(f"{name}:{number}: {match[0]!r}; write: {instead}")
                found += 1
sys.exit(f"{found} retired words" if found else 0)
