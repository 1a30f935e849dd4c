#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hostile server: one script per case, over real TCP and TLS on loopback, against apus-hostile-client.

run.py [ID or word of a name]...   runs those, or all; --json for one line each; --list names them.
CLIENT names another program to torment. The exit status is 0 only when every case went as written.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cases_login
import cases_sasl2
import cases_stream
import cases_xml
from peer import ROOT, Bench, Certificates, Wrong
from table import CASES


def program():
    """The debug build of the client, built when it is missing."""
    if named := os.environ.get("CLIENT"):
        return pathlib.Path(named)
    command = ["swift", "build", "--product", "apus-hostile-client"]
    path = ROOT / ".build" / "debug" / "apus-hostile-client"
    if not path.exists():
        subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr, stderr=sys.stderr)
    return path


def attempt(case, client, certificates):
    """What went wrong, empty when nothing did."""
    bench = Bench(client, certificates)
    fault = ""
    try:
        case.run(bench)
        # Whatever else happens: no secret in clear, and none of it after an error either.
        for peer in bench.peers:
            for secret in case.secrets:
                if secret in peer.clear or secret in peer.raw:
                    raise Wrong(f"the client wrote {secret!r}")
    except Wrong as wrong:
        fault = str(wrong)
    except Exception:
        fault = traceback.format_exc()
    finally:
        try:
            bench.close()
        except Wrong as wrong:
            fault = fault or str(wrong)
    return fault


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    wanted = [case for case in CASES if not options.words
              or any(word in case.ids or word.lower() in case.name.lower() for word in options.words)]
    if options.list:
        for case in wanted:
            print(case.name)
        return
    if not wanted:
        sys.exit("no such case")
    client, failed, began = program(), 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="apus-hostile-") as folder:
        certificates = Certificates(folder)
        for case in wanted:
            fault = attempt(case, client, certificates)
            failed += bool(fault)
            if options.json:
                print(json.dumps({"ids": case.ids, "name": case.name, "ok": not fault, "detail": fault}), flush=True)
            elif fault:
                print(f"FAIL {case.name}\n     {fault}", flush=True)
            else:
                print(f"ok   {case.name}", flush=True)
    if not options.json:
        print(f"{len(wanted) - failed} of {len(wanted)} went as written, in {time.monotonic() - began:.0f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
