# SPDX-License-Identifier: Apache-2.0
"""The Debian package of the program that APUS names, looked at from outside: package.py"""

import asyncio
import os
import pathlib
import re
import subprocess
import tempfile

from harness import ROOT, program
from suite import Suite, check


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def whole(*command, **options):
    done = run(*command, **options)
    check(done.returncode == 0, f"{' '.join(command)}: {done.stderr[-400:] or done.stdout[-400:]}")
    return done.stdout


def modes(package):
    """Mode and owner of each file of a package."""
    lines = whole("dpkg-deb", "--contents", package).splitlines()
    return {line.split(None, 5)[5].removeprefix("."): (line[:10], line.split()[1]) for line in lines}


async def look():
    suite = Suite("package")
    built = whole("Scripts/package", "deb", cwd=ROOT, env={**os.environ, "APUS": program()}).splitlines()[-1]
    package = str(ROOT / built)
    files = modes(package)
    with tempfile.TemporaryDirectory() as folder:
        async with suite.case("the package is whole"):
            whole("dpkg-deb", "--extract", package, folder)
            whole("dpkg-deb", "--control", package, f"{folder}/DEBIAN")
            root = pathlib.Path(folder)
            whole("md5sum", "--check", "--quiet", "DEBIAN/md5sums", cwd=folder)
            for line in (root / "DEBIAN/control").read_text().splitlines():
                check(not line.startswith("Depends:") or "libmicrohttpd" in line and "libsqlite3" in line, line)
            wanted = ["/usr/bin/apus", "/usr/share/apus/web/index.html", "/usr/share/apus/web/service-worker.js",
                      "/usr/share/man/man1/apus.1.gz", "/usr/lib/systemd/user/apus.service",
                      "/usr/lib/systemd/system/apus@.service", "/usr/share/bash-completion/completions/apus",
                      "/usr/share/zsh/vendor-completions/_apus", "/usr/share/fish/vendor_completions.d/apus.fish",
                      "/usr/share/doc/apus/copyright", "/usr/share/doc/apus/SERVICE.md"]
            missing = [path for path in wanted if path not in files]
            check(not missing, f"without {missing}")
            loose = [path for path, (mode, owner) in files.items() if owner != "root/root" or mode[8] == "w" or "s" in mode[1:]]
            check(not loose, f"{loose}")
    with tempfile.TemporaryDirectory() as folder:
        whole("dpkg-deb", "--extract", package, folder)
        root = pathlib.Path(folder)
        async with suite.case("the installed program runs, finds its web app, and its pages and completions read well"):
            check(re.match(r"apus \d", whole(f"{folder}/usr/bin/apus", "version")), "version")
            page = whole("man", "--warnings", "-l", f"{folder}/usr/share/man/man1/apus.1.gz")
            check("serve" in page and "SYNOPSIS" in page.upper(), page[:200])
            whole("bash", "-n", f"{folder}/usr/share/bash-completion/completions/apus")
            served = {path.relative_to(ROOT / "Sources/ChatService/Web")
                      for path in (ROOT / "Sources/ChatService/Web").rglob("*") if path.is_file()}
            installed = {path.relative_to(root / "usr/share/apus/web")
                         for path in (root / "usr/share/apus/web").rglob("*") if path.is_file()}
            check(served == installed, f"{served ^ installed}")
        async with suite.case("the units name the program and are whole"):
            for unit in ("user/apus.service", "system/apus@.service"):
                text = (root / "usr/lib/systemd" / unit).read_text()
                check("ExecStart=/usr/bin/apus serve --port" in text and "@" not in re.sub(r"#.*", "", text), unit)
                check("NoNewPrivileges=yes" in text and "UMask=0077" in text, unit)
        async with suite.case("make install puts the same below another folder"):
            other = pathlib.Path(folder) / "other"
            whole("Scripts/package", "install", cwd=ROOT,
                  env={**os.environ, "APUS": program(), "DESTDIR": str(other), "PREFIX": "/opt/apus"})
            text = (other / "opt/apus/lib/systemd/user/apus.service").read_text()
            check("ExecStart=/opt/apus/bin/apus serve" in text, text)
            names = {str(path.relative_to(other / "opt/apus")) for path in (other / "opt/apus").rglob("*") if path.is_file()}
            packed = {path.removeprefix("/usr/") for path in files if not path.endswith("/")}
            check(names == packed, f"{sorted(names ^ packed)[:5]}")
    suite.finish()


if __name__ == "__main__":
    asyncio.run(look())
