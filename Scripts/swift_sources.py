# SPDX-License-Identifier: Apache-2.0
"""Reading Swift files for the checks: which files there are, and their code without comments."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

TOKEN = re.compile(
    r'(?P<comment>//[^\n]*)'
    r'|(?P<block>/\*)'
    r'|(?P<string>(?P<hashes>#*)(?P<quotes>"""|"))'
    r'|(?P<regex>#/(?:[^\n]*?)/#)'
)


def tracked(*patterns):
    """Files of the tree that exist, tracked or new, as paths relative to the root."""
    out = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted({line for line in out.splitlines() if (ROOT / line).is_file()})


def split(text):
    """(code, strings): the text with comments and string contents blanked, and [(line, literal)]."""
    code, strings, position = [], [], 0
    while match := TOKEN.search(text, position):
        code.append(text[position:match.start()])
        if match["comment"]:
            end = match.end()
            code.append(" ")
        elif match["block"]:
            depth, end = 1, match.end()
            while depth and end < len(text):
                nested = re.compile(r"/\*|\*/").search(text, end)
                if not nested:
                    end = len(text)
                    break
                depth += 1 if nested[0] == "/*" else -1
                end = nested.end()
            code.append("\n" * text.count("\n", match.start(), end))
        elif match["regex"]:
            end = match.end()
            code.append('""')
        else:
            end = string_end(text, match.end(), match["quotes"], match["hashes"])
            literal = text[match.end():end - len(match["quotes"]) - len(match["hashes"])]
            strings.append((text.count("\n", 0, match.start()) + 1, literal))
            code.append('""' + "\n" * text.count("\n", match.start(), end))
        position = end
    code.append(text[position:])
    return "".join(code), strings


def string_end(text, position, quotes, hashes):
    """The index behind a string literal; interpolations may hold literals of their own."""
    close, escape = quotes + hashes, "\\" + hashes
    while position < len(text):
        if text.startswith(escape, position):
            position += len(escape)
            if text.startswith("(", position):
                depth = 0
                while position < len(text):
                    char = text[position]
                    if char == '"':
                        inner = '"""' if text.startswith('"""', position) else '"'
                        position = string_end(text, position + len(inner), inner, "")
                        continue
                    depth += (char == "(") - (char == ")")
                    position += 1
                    if depth == 0:
                        break
            else:
                position += 1
        elif text.startswith(close, position):
            return position + len(close)
        elif quotes == '"' and text[position] == "\n":
            return position
        else:
            position += 1
    return position


class Report:
    """Collects faults and ends the check."""

    def __init__(self):
        self.faults = []

    def add(self, path, line, text):
        self.faults.append(f"{path}:{line}: {text}")

    def finish(self, summary):
        for fault in self.faults:
            print(fault)
        if self.faults:
            raise SystemExit(f"{len(self.faults)} faults")
        print(summary)
