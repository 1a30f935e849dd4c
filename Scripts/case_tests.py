# SPDX-License-Identifier: Apache-2.0
"""Which tests carry which case ids, and how `swift test` is told to run just those."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
REAL = re.compile(r"(RealServer|Interop)")  # need a server, so they do not run here
TEST = re.compile(r"@Test\b(?P<attribute>(?:(?!@Test\b).)*?)\bfunc\s+(?P<name>`[^`]+`|\w+)\s*[(<]", re.S)
ID = re.compile(r"(?<![A-Za-z0-9])(?:T\d{3}|B\d{2,3}|(?:OF|SP)\d{2})(?![0-9])")


def carried():
    """{id: [(file, function)]} over all tests that need no server."""
    found = {}
    for path in sorted((ROOT / "Tests").rglob("*.swift")):
        relative = path.relative_to(ROOT)
        if REAL.search(str(relative)):
            continue
        for match in TEST.finditer(path.read_text()):
            for case in sorted(set(ID.findall(match["attribute"] + " " + match["name"]))):
                found.setdefault(case, []).append((relative, match["name"].strip("`")))
    return found


def filters(tests):
    """Options for `swift test`: a test is known as Module.Suite/function(…) or Module.function(…)."""
    by_module = {}
    for path, name in tests:
        by_module.setdefault(path.parts[1], set()).add(re.escape(name))
    options = []
    for module, names in sorted(by_module.items()):
        options += ["--filter", rf"^{module}\.(.*/)?`?({'|'.join(sorted(names))})`?\("]
    return options


def case_list():
    """[(section, id, title, feature it waits for or None)] of Tests/Hostile/cases.txt, in order."""
    rows, section = [], ""
    for line in (ROOT / "Tests" / "Hostile" / "cases.txt").read_text().splitlines():
        if line.startswith("== "):
            section = line[3:].strip()
        elif line.strip() and not line.startswith("#"):
            parts = [part.strip() for part in line.split("|")]
            rows.append((section, parts[0], parts[1], parts[2] if len(parts) > 2 else None))
    return rows
