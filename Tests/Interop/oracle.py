# SPDX-License-Identifier: Apache-2.0
"""What must be true after a soak: every message everywhere exactly once, in its sender's order; resources flat."""

import collections
import datetime
import os

from suite import check


def some(items):
    items = list(items)
    return f"{len(items)}: {', '.join(items[:5])}"


class Oracle:
    """Knows what each side wrote, in order."""

    def __init__(self, run_id, from_alice, from_bob):
        self.run_id = run_id
        self.sent = {"a": from_alice, "b": from_bob}
        self.excused = set()

    def _own(self, body):
        """The message's sender and number, `a 000017`, or None for a message of another run."""
        words = body.split(" ")
        return " ".join(words[2:4]) if words[:2] == ["soak", self.run_id] and len(words) >= 4 else None

    def excuse(self, own, other):
        """Finds what a server lost between two archives: it is in its sender's, so the server took it, and not in the
        receiver's. No client can know. Gives their names with the time when the server took them."""
        has = [{self._own(item["body"]): item["stamp"] for item in items} for items in (own, other)]
        expected = [self._own(body) for who in "ab" for _, body in self.sent[who]]
        lost = {name: has["ab".index(name[0])][name] for name in expected
                if name in has["ab".index(name[0])] and name not in has[1 - "ab".index(name[0])]}
        self.excused = set(lost)
        return {name: datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()
                for name, stamp in lost.items()}

    def late(self, own, seen):
        """Finds what came into the past of an archive: it bears a time before a node died, and was not there after that. `seen`
        has the time of each death with the archive as it was then. Whoever went through the archive has passed by it."""
        late = set()
        for death, items in seen:
            before = {self._own(item["body"]) for item in items}
            late |= {name for item in own if (name := self._own(item["body"])) and name not in before
                     and self._time(item) < death}
        self.excused |= late
        return sorted(late)

    @staticmethod
    def _time(item):
        return datetime.datetime.fromisoformat(item["stamp"].replace("Z", "+00:00")).timestamp()

    def taken(self, own, other):
        """Everything that was written is in its sender's archive once, whoever took it."""
        for who, items in (("a", own), ("b", other)):
            counts = collections.Counter(self._own(item["body"]) for item in items)
            wrong = {name: counts[name] for _, body in self.sent[who] if counts[name := self._own(body)] != 1}
            check(not wrong, f"counts other than 1: {dict(list(wrong.items())[:5])}")

    def _once(self, names):
        counts = collections.Counter(names)
        expected = [self._own(body) for who in "ab" for _, body in self.sent[who]]
        expected = [name for name in expected if name not in self.excused or counts[name]]
        lost = [name for name in expected if counts[name] == 0]
        twice = [name for name, count in counts.items() if count > 1]
        strange = set(counts) - set(expected)
        check(not lost, f"lost {some(lost)}")
        check(not twice, f"repeated {some(twice)}")
        check(not strange, f"never written {some(strange)}")

    def _ordered(self, names):
        for who in "ab":
            own = [name for name in names if name.startswith(who)]
            wrong = [f"{later} before {earlier}" for later, earlier in zip(own, own[1:]) if later > earlier]
            check(not wrong, f"out of order {some(wrong)}")

    def archive(self, items):
        mine = [item for item in items if self._own(item["body"])]
        names = [self._own(item["body"]) for item in mine]
        self._once(names)
        self._ordered(names)
        known = {body: ident for who in "ab" for ident, body in self.sent[who]}
        wrong = [self._own(item["body"]) for item in mine if item["id"] != known.get(item["body"])]
        check(not wrong, f"under another id {some(wrong)}")

    def history(self, items, archive):
        mine = [item for item in items if self._own(item["body"])]
        names = [self._own(item["body"]) for item in mine]
        self._once(names)
        self._ordered(names)
        states = collections.Counter(item["state"] for item in mine if item["direction"] == "outgoing")
        bad = {state: count for state, count in states.items() if state not in ("acknowledged", "delivered", "displayed")}
        check(not bad, f"states {bad}")
        doubtful = [self._own(item["body"]) for item in mine if item.get("may_be_repeated")]
        check(not doubtful, f"marked as possibly repeated {some(doubtful)}")
        stored = {item["id"]: item["archive"] for item in archive}
        wrong = [self._own(item["body"]) for item in mine
                 if item.get("archive_id") and item["archive_id"] != stored.get(item.get("origin_id"))]
        check(not wrong, f"under another id of the archive {some(wrong)}")

    def passed(self, items, archive):
        """Behind its place in the archive a client asks for nothing any more."""
        has = {self._own(item["body"]) for item in items}
        lost = [name for item in archive if (name := self._own(item["body"])) and name not in has]
        check(not lost, f"lost {some(lost)}")

    def received(self, bodies):
        counts = collections.Counter(self._own(body) for body in bodies.values())
        expected = [self._own(body) for _, body in self.sent["a"]]
        wrong = {name: counts[name] for name in expected if counts[name] != 1 and name not in self.excused}
        check(not wrong, f"counts other than 1: {dict(list(wrong.items())[:5])}")


class ResourceLog:
    """Memory and open files of the processes that held the profile."""

    def __init__(self):
        self.samples = collections.OrderedDict()  # pid -> [(KiB, descriptors)]

    def sample(self, pid):
        try:
            with open(f"/proc/{pid}/status", encoding="ascii") as status:
                memory = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
            descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        except (OSError, StopIteration):
            return
        self.samples.setdefault(pid, []).append((memory, descriptors))

    @property
    def all(self):
        return [sample for samples in self.samples.values() for sample in samples]

    def text(self):
        if not self.all:
            return "no samples"
        memory = [kib // 1024 for kib, _ in self.all]
        descriptors = [count for _, count in self.all]
        return (f"{len(self.all)} samples of {len(self.samples)} processes: memory {min(memory)} to {max(memory)} MiB, "
                f"descriptors {min(descriptors)} to {max(descriptors)}")

    def verify(self):
        check(self.all, "nothing was sampled")
        check(max(count for _, count in self.all) <= 40, f"descriptors grow: {self.text()}")
        # A process that lives on may warm its caches; the second half of its life must not grow any more.
        for pid, samples in self.samples.items():
            if len(samples) < 8:
                continue
            half = len(samples) // 2
            first, second = max(kib for kib, _ in samples[:half]), max(kib for kib, _ in samples[half:])
            check(second <= first * 1.25 + 8192, f"memory of {pid} grows from {first} to {second} KiB")
        check(max(kib for kib, _ in self.all) < 256 * 1024, f"memory: {self.text()}")
