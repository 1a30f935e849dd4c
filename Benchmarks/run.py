#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Apus beside libstrophe and a bare loop; prints a table and writes build/results.json.

    Benchmarks/run.py [--runs N] [--only parse,flood,…] [--quick]

Client on one core, server on another. Cases run in rounds, so that a slow patch hits every program; figures are
medians. CPU time covers the measured part, all threads. A run during which other processes used more than 0.15
cores is repeated, and said to be noisy when it stays so.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE / "build"
# name: (adapter's benchmark, n, adapter options, server options, programs)
ALL = ["loop", "strophe", "apus"]
CASES = {
    "parse": ("parse", 0, [], None, ["loop", "apus"]),
    "flood": ("flood", 100_000, [], ["--mode", "flood"], ALL),
    "paced": ("flood", 6_000, [], ["--mode", "flood", "--burst", "4", "--gap-us", "2000"], ALL),
    "sink": ("sink", 200_000, [], ["--mode", "sink"], ALL),
    "echo": ("echo", 10_000, ["--window", "1"], ["--mode", "echo"], ALL + ["apus-executor"]),
    "echo64": ("echo", 100_000, ["--window", "64"], ["--mode", "echo"], ALL + ["apus-executor"]),
    "flood-sm": ("flood", 100_000, [], ["--mode", "flood", "--sm"], ["apus"]),
    "sink-sm": ("sink", 200_000, [], ["--mode", "sink", "--sm"], ["apus"]),
    "echo64-sm": ("echo", 100_000, ["--window", "64"], ["--mode", "echo", "--sm"], ["apus"]),
    "login": ("login", 20, ["--tls", "starttls"], "prosody", ["apus"]),
    "idle-plain": ("idle", 200, [], ["--mode", "sink"], ["apus"]),
    "idle-tls": ("idle", 200, ["--tls", "starttls"], "prosody", ["apus"]),
}
# (case, figure, program, reference program or None, limit): figure(program) <= limit * figure(reference)
GOALS = [
    ("parse", "rate", "apus", "loop", 4.0, ">="),
    ("flood", "cpu_us_per_op", "apus", "strophe", 0.35, "<="),
    ("sink", "cpu_us_per_op", "apus", "strophe", 0.35, "<="),
    ("echo64", "cpu_us_per_op", "apus", "strophe", 0.35, "<="),
    ("paced", "cpu_us_per_op", "apus", "strophe", 0.7, "<="),
    ("echo", "rtt_p50_us", "apus-executor", "strophe", 1.1, "<="),
    ("echo", "rtt_p50_us", "apus", "strophe", 1.3, "<="),
    ("idle-tls", "kb_per_conn", "apus", None, 50, "<="),
]


def build():
    (BUILD / "bin").mkdir(parents=True, exist_ok=True)
    flags = ["-O2", "-Wall", "-Wextra"]
    for name, libraries in [("server", []), ("loop", ["-lexpat"]), ("strophe", ["-lstrophe"])]:
        subprocess.run(["cc", *flags, "-o", BUILD / "bin" / name, HERE / "Reference" / f"{name}.c", *libraries], check=True)
    subprocess.run(["swift", "build", "-c", "release", "--package-path", HERE], check=True)
    if not (BUILD / "corpus" / "manifest.json").exists():
        subprocess.run([sys.executable, HERE / "corpus.py", BUILD / "corpus"], check=True)


def programs():
    adapter = [str(HERE / ".build" / "release" / "bench-adapter")]
    return {"loop": [str(BUILD / "bin" / "loop")], "strophe": [str(BUILD / "bin" / "strophe")],
            "apus": adapter, "apus-executor": [*adapter, "--variant", "executor"]}


def pin(core, command):
    return ["taskset", "-c", str(core), *command] if (os.cpu_count() or 1) > 1 else command


def busy():
    fields = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
    return sum(fields) - fields[3] - fields[4]


def quiet(limit=20):
    end = time.time() + limit
    while time.time() < end:
        before = busy()
        time.sleep(0.2)
        if (busy() - before) / os.sysconf("SC_CLK_TCK") / 0.2 < 0.15:
            return
    print("  (the machine is not quiet)", file=sys.stderr)


class Server:
    """The C server on a free port, ended by the end of its input."""

    def __init__(self, options, n):
        extra = ["--n", str(n), "--corpus", str(BUILD / "corpus" / "messages.txt")] if "flood" in options else []
        self.process = subprocess.Popen(pin(1, [str(BUILD / "bin" / "server"), *options, *extra]),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.options = ["--port", self.process.stdout.readline().strip()]

    def stop(self):
        self.process.stdin.close()
        self.process.wait(10)


class Prosody:
    """A real server with accounts u0 to u200 and bench; the certificate is checked against its authority."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="apus-bench-")
        accounts = " ".join(["bench:secret"] + [f"u{i}:secret" for i in range(201)])
        subprocess.run([HERE.parent / "Scripts" / "server", "start", "prosody", self.folder], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "ACCOUNTS": accounts, "DOMAIN": "bench.example", "AUTH": "hashed", "SCRAM_HASH": "SHA-1"})
        env = dict(line.strip().split("=", 1) for line in open(f"{self.folder}/server.env"))
        self.options = ["--port", env["C2S_PORT"].strip("'"), "--ca", env["CA_FILE"].strip("'")]

    def stop(self):
        subprocess.run([HERE.parent / "Scripts" / "server", "stop", self.folder], check=False, stdout=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", self.folder], check=False)


def run(case, program, command, quick, prosody):
    bench, n, options, server_options, _ = CASES[case]
    corpus = BUILD / "corpus"
    arguments = ["--bench", bench, *options]
    if bench == "parse":
        n = json.loads((corpus / "manifest.json").read_text())["stanzas"]
        arguments += ["--corpus", str(corpus / "stream.xml")]
    elif bench == "sink":
        arguments += ["--corpus", str(corpus / "bodies.txt")]
    if quick and bench not in ("parse", "login", "idle"):
        n //= 5
    server = None if server_options is None else prosody if server_options == "prosody" else Server(server_options, n)
    try:
        if server:
            arguments += server.options
        done = subprocess.run(pin(0, [*command, *arguments, "--n", str(n)]), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=120)
    finally:
        if server and server is not prosody:
            server.stop()
    if done.returncode != 0:
        raise SystemExit(f"{case} {program} failed: {done.stdout}{done.stderr}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    cases = [case for case in options.only.split(",") if case in CASES]
    build()
    known = programs()
    prosody = Prosody() if any(CASES[case][3] == "prosody" for case in cases) else None
    results = {}
    try:
        for round_number in range(options.runs):
            for case in cases:
                for program in CASES[case][4]:
                    quiet(3 if options.quick else 20)
                    results.setdefault(case, {}).setdefault(program, []).append(
                        run(case, program, known[program], options.quick, prosody))
            print(f"round {round_number + 1} of {options.runs} done", file=sys.stderr)
    finally:
        if prosody:
            prosody.stop()
    (BUILD / "results.json").write_text(json.dumps(results, indent=1))

    def median(case, program, figure):
        values = [r[figure] for r in results.get(case, {}).get(program, []) if figure in r]
        return statistics.median(values) if values else None

    print(f"\n| case | figure | {' | '.join(known)} |\n|---|---|{'---|' * len(known)}")
    figures = {"parse": ["rate"], "echo": ["rtt_p50_us", "rtt_p99_us", "cpu_us_per_op"], "login": ["login_ms_median", "cpu_us_per_op"],
               "idle-plain": ["kb_per_conn"], "idle-tls": ["kb_per_conn"]}
    for case in cases:
        for figure in figures.get(case, ["cpu_us_per_op"]):
            cells = [median(case, program, figure) for program in known]
            print(f"| {case} | {figure} | " + " | ".join("" if c is None else f"{c:.2f}" for c in cells) + " |")
    print()
    for case, figure, program, reference, limit, sense in GOALS:
        value = median(case, program, figure)
        base = median(case, reference, figure) if reference else 1
        if value is None or not base:
            continue
        ratio = value / base
        met = ratio >= limit if sense == ">=" else ratio <= limit
        against = f"× {reference}" if reference else ""
        print(f"{'met   ' if met else 'MISSED'} {case} {figure} {program}: {ratio:.2f} {against} (goal {sense} {limit})")


if __name__ == "__main__":
    main()
