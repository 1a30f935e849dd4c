# SPDX-License-Identifier: Apache-2.0
"""What can be said of the web app's files without a browser."""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEB = ROOT / "Sources/ChatService/Web"
KIB = 1024

# Ways from text to markup or code. There is no exception.
UNSAFE = re.compile(
    r"\.(inner|outer)HTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\.srcdoc|createContextualFragment|"
    r"setHTML|DOMParser|setTimeout\(\s*[\"'`]|setInterval\(\s*[\"'`]|javascript:|https?://(?!www\.w3\.org/2000/svg)[a-z]")
failures = 0


def check(name, problems):
    global failures
    problems = list(problems)
    if problems:
        failures += 1
        print(f"FAIL web source: {name}: {'; '.join(problems[:8])}")
    else:
        print(f"ok   web source: {name}")


scripts = sorted(WEB.rglob("*.js"))
styles = sorted(WEB.rglob("*.css"))
code = {path: path.read_text() for path in scripts}


def without_comments(text):
    return re.sub(r"^\s*(//|/?\*).*$", "", text, flags=re.M)


check("T167 nothing turns text into markup or code, and no address of another host is named", (
    f"{path.relative_to(WEB)}: {match[0]}" for path, text in code.items()
    for match in UNSAFE.finditer(without_comments(text))))

page = (WEB / "index.html").read_text()
check("the page has no inline script, style or handler", (
    match[0] for match in re.finditer(r"<style|\son\w+=|\sstyle=|<script(?![^>]*\ssrc=)", page)))

languages = {path.stem: json.loads(path.read_text()) for path in sorted((WEB / "lang").glob("*.json"))}
english = languages["en"]
check("every language has every string, with its plural forms", (
    f"{name}: {key}" for name, strings in languages.items() for key in english.keys() ^ strings.keys()))
check("the plural forms are those of the language", (
    f"{name}: {key}" for name, strings in languages.items() for key, value in strings.items()
    if isinstance(value, dict) and set(value) != ({"one", "other"} if name == "en" else {"other"})))
check("placeholders are the same in every language", (
    f"{name}: {key}" for name, strings in languages.items() for key, value in strings.items()
    if set(re.findall(r"\{(\w+)\}", json.dumps(value))) != set(re.findall(r"\{(\w+)\}", json.dumps(english.get(key, ""))))))
check("every module that is imported exists, with the name", (
    f"{path.relative_to(WEB)}: {match[2]}" for path, text in code.items()
    for match in re.finditer(r'(?:import|export)(?:\s*\{([^}]*)\}\s*from)?[^;"\n]*?[( ]"(\.[^"]+)"', text)
    if not (target := path.parent / match[2]).exists()
    or any(not re.search(rf"export (?:(?:async )?(?:function|class|const|let) |\{{[^}}]*\b){name.split(' as ')[0].strip()}\b", target.read_text())
           for name in (match[1] or "").split(",") if name.strip())))
used = {key for text in code.values() for key in re.findall(r'\bt\("([\w.-]+)"', text)}
sets = {prefix for text in code.values() for prefix in re.findall(r'\bknown\("([\w-]+)"', text)}
check("every string that is used exists", sorted(used - english.keys()))
check("every string that exists is used", sorted(
    key for key in english.keys() - used if key.split(".")[0] not in sets))
check("no text for people stands in the code", (
    f"{path.relative_to(WEB)}: {match[0]}" for path, text in code.items() if "views" in path.parts
    for match in re.finditer(r'(?:aria-label|placeholder|title)["\']?: "(?!Apus")[A-Z][a-z]+[^"]*"', text)))

size = sum(path.stat().st_size for path in scripts + styles)
check(f"all scripts and styles are at most 350 KiB ({size / KIB:.0f})", [f"{size} bytes"] if size > 350 * KIB else [])
first = re.findall(r'(?:href|src)="/((?:app|styles)/[^"]+)"', page)
need = sum((WEB / name).stat().st_size for name in first)
check(f"the first screen takes at most 100 KiB of scripts and styles ({need / KIB:.0f} in {len(first)} files)",
      [f"{need} bytes"] if need > 100 * KIB else [])
check("the source is written for people: no long lines, a comment at the top", (
    f"{path.relative_to(WEB)}:{number}" for path in scripts + styles
    for number, line in enumerate(path.read_text().splitlines(), 1) if len(line) > 320))
check("files are small", (f"{path.relative_to(WEB)}" for path in scripts + styles if len(path.read_text().splitlines()) > 450))
check("each file names its licence", (
    f"{path.relative_to(WEB)}" for path in scripts + styles if "SPDX-License-Identifier: Apache-2.0" not in path.read_text()[:80]))
lists = subprocess.run([ROOT / "Scripts/web-lists", "--check"], capture_output=True, text=True)
check("the lists of operations and files are up to date", [lists.stderr.strip()] if lists.returncode else [])
sys.exit(1 if failures else 0)
