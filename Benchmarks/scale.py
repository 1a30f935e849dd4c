#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills profiles with very many messages and measures the chat core on them; prints tables and draws docs/scale.svg.

    Benchmarks/scale.py PROGRAM [--runs N] [--sizes 10000,100000,1000000] [--folder DIR] [--svg FILE]

PROGRAM is apus-scale. Each profile has 2 000 conversations, one with half of all messages, 10 000 contacts and 200 rooms.
Every run is a process of its own; figures are medians. Ends with 1 when a limit is missed.
"""
import argparse
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

# name: (figure, words, unit, limit at the largest size, larger is better)
LIMITS = [
    ("open_ms", "open, to the list of conversations", "ms", 100, False),
    ("page_ms", "page of 50 anywhere in the large conversation", "ms", 5, False),
    ("page_max_ms", "the slowest of 60 such pages", "ms", None, False),
    ("contacts_ms", "list of 10 000 contacts", "ms", None, False),
    ("search_word_ms", "20 hits: a rare word", "ms", 50, False),
    ("search_common_ms", "20 hits: a word in half of all messages", "ms", 50, False),
    ("search_words_ms", "20 hits: three words", "ms", 50, False),
    ("search_phrase_ms", "20 hits: a rare phrase", "ms", 50, False),
    ("search_phrase_common_ms", "20 hits: a phrase of common words", "ms", 50, False),
    ("search_two_characters_ms", "20 hits: 吃饭", "ms", 50, False),
    ("search_one_character_ms", "20 hits: 饭", "ms", 50, False),
    ("search_accent_ms", "20 hits: cafe, finds Café", "ms", 50, False),
    ("search_beginning_ms", "20 hits: the beginning of a word", "ms", 50, False),
    ("search_in_one_ms", "20 hits: in the large conversation", "ms", 50, False),
    ("search_none_ms", "no hit", "ms", 50, False),
    ("peak_mib", "memory of all that, at most", "MiB", 120, False),
    ("ingest_per_second", "pages of 100 messages of the archive taken in, as fast as they come", "messages/s", 20_000, True),
    ("ingest_cpu_us", "the same, processor time of all threads", "µs a message", None, False),
    ("ingest_slow_per_second", "the same, each page taken in before the next one comes", "messages/s", None, True),
    ("presence_seconds", "10 000 contacts come online, list up to date", "s", 1, False),
    ("presence_diffs", "differences of the list meanwhile", "", None, False),
    ("presence_peak_mib", "memory of that, at most", "MiB", 120, False),
    ("bytes_per_message", "size of the database", "bytes a message", None, False),
]
GROWTH = ["open_ms", "page_ms", "search_word_ms", "search_common_ms", "search_two_characters_ms", "search_accent_ms"]
COLOURS = ["#1b6ca8", "#c0392b", "#27864b", "#8e44ad", "#b9770e", "#34495e"]


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"scale: {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def medians(runs):
    return {name: statistics.median(one[name] for one in runs) for name in runs[0]}


def measure(program, folder, size, runs):
    profile = folder / f"profile-{size}"
    figures = {}
    if not (profile / "filled.json").exists():
        filled = run(program, "fill", profile, size)
        (profile / "filled.json").write_text(json.dumps(filled))
        print(f"  {size}: filled at {filled['per_second']:.0f} messages/s", file=sys.stderr)
    filled = json.loads((profile / "filled.json").read_text())
    figures["bytes_per_message"] = filled["bytes_per_message"]
    figures["fill_per_second"] = filled["per_second"]
    figures |= medians([run(program, "measure", profile) for _ in range(runs)])
    presence = medians([run(program, "presence", profile) for _ in range(max(runs // 2, 1))])
    figures |= {f"presence_{name}": value for name, value in presence.items()}
    # New messages go into a copy, so that the profile stays as large as it is called.
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(profile, copy, ignore=shutil.ignore_patterns("lock", "filled.json"))
    ingest = medians([run(program, "ingest", copy, max(20_000, size // 10)) for _ in range(max(runs // 2, 1))])
    slow = medians([run(program, "ingest", copy, 20_000, "slow") for _ in range(max(runs // 2, 1))])
    shutil.rmtree(copy)
    figures |= {"ingest_per_second": ingest["per_second"], "ingest_cpu_us": ingest["cpu_us"],
                "ingest_slow_per_second": slow["per_second"]}
    return figures


def number(value):
    if value >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}"


def table(results):
    sizes = sorted(results)
    print("| case | " + " | ".join(f"{size:,}".replace(",", " ") for size in sizes) + " | unit | goal |")
    print("|---|" + "---|" * len(sizes) + "---|---|")
    missed = []
    for name, words, unit, limit, larger in LIMITS:
        values = [results[size].get(name) for size in sizes]
        goal = "" if limit is None else f"{'≥' if larger else '≤'} {number(limit)}"
        print(f"| {words} | " + " | ".join("" if v is None else number(v) for v in values) + f" | {unit} | {goal} |")
        last = values[-1]
        if limit is not None and last is not None and (last < limit if larger else last > limit):
            missed.append(f"{words}: {number(last)} {unit}, goal {goal}")
    return missed


def plot(results, path):
    """Milliseconds by messages, both on logarithmic axes, and how log n would grow."""
    sizes = sorted(results)
    width, height, left, right, top, bottom = 760, 440, 70, 250, 30, 50
    low = min(min(max(results[s][n], 0.05) for s in sizes) for n in GROWTH)
    high = max(max(results[s][n] for s in sizes) for n in GROWTH) * 1.5
    floor, ceiling = math.floor(math.log10(low)), math.ceil(math.log10(high))

    def x(size):
        span = math.log10(sizes[-1]) - math.log10(sizes[0]) or 1
        return left + (math.log10(size) - math.log10(sizes[0])) / span * (width - left - right)

    def y(value):
        return height - bottom - (math.log10(max(value, 10 ** floor)) - floor) / (ceiling - floor) * (height - top - bottom)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="{left}" y="18" font-size="15">Milliseconds by messages in the profile</text>']
    for power in range(floor, ceiling + 1):
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y(10 ** power):.1f}" y2="{y(10 ** power):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y(10 ** power) + 4:.1f}" text-anchor="end">{10 ** power:g}</text>')
    for size in sizes:
        parts.append(f'<line x1="{x(size):.1f}" x2="{x(size):.1f}" y1="{top}" y2="{height - bottom}" stroke="#eee"/>')
        parts.append(f'<text x="{x(size):.1f}" y="{height - bottom + 20}" text-anchor="middle">{size:,}</text>'.replace(",", " "))
    words = {name: text for name, text, *_ in LIMITS}
    for index, name in enumerate(GROWTH):
        colour = COLOURS[index % len(COLOURS)]
        points = " ".join(f"{x(s):.1f},{y(results[s][name]):.1f}" for s in sizes)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for s in sizes:
            parts.append(f'<circle cx="{x(s):.1f}" cy="{y(results[s][name]):.1f}" r="3" fill="{colour}"/>')
        parts.append(f'<text x="{width - right + 12}" y="{top + 20 + index * 22}" fill="{colour}" font-size="11">{words[name]}</text>')
    # From the first point of the page on: what n times as many messages cost when the cost grows as log n does.
    first = results[sizes[0]]["page_ms"]
    log = " ".join(f"{x(s):.1f},{y(first * math.log(s) / math.log(sizes[0])):.1f}" for s in sizes)
    parts.append(f'<polyline points="{log}" fill="none" stroke="#999" stroke-dasharray="5 4"/>')
    parts.append(f'<text x="{width - right + 12}" y="{top + 20 + len(GROWTH) * 22}" fill="#777" font-size="11">log n, from the page</text>')
    parts.append("</svg>")
    pathlib.Path(path).write_text("\n".join(parts) + "\n", encoding="utf-8")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--sizes", default="10000,100000,1000000")
    options.add_argument("--folder", help="keeps the profiles there, and takes those that are there")
    options.add_argument("--svg", help="where the plot goes")
    options = options.parse_args()
    folder = pathlib.Path(options.folder or tempfile.mkdtemp(prefix="apus-scale-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        results = {int(size): measure(options.program, folder, int(size), options.runs) for size in options.sizes.split(",")}
    finally:
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)
    missed = table(results)
    if options.svg:
        plot(results, options.svg)
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
