"""The probe's processes: a hung, crashed or invalid one affects only its own drive, without delays."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from wizard.documents.codec import from_json
from wizard.model.said import Message, Sentence, t
from wizard.probe.machine import survey
from wizard.probe.pool import Pool, allowed_seconds, borrowed

OVER_TIME = Sentence("The drive did not answer within {seconds:g} s.")
LIMIT = 2.0
HANGS_SECONDS = 60

FAKE = """
import os, signal, sys, time
from wizard.probe import worker

def phases(name, seconds):
    yield {{"name": name, "path": "/dev/" + name, "sysfs": {{"size": "2048"}}, "errors": []}}
    if name.startswith("hangs"): time.sleep(60)
    if name.startswith("tells"): yield {{"sysfs": {{"pid": str(os.getpid())}}}}
    if name == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True: pass
    if name == "busy":
        until = time.monotonic() + seconds + 2
        while time.monotonic() < until: pass
    if name == "dies": os.kill(os.getpid(), signal.SIGSEGV)
    if name == "fails": sys.exit(7)
    if name == "raises": raise ValueError("no")
    if name == "garbage": os.write(3, b"\\xff not json\\n"); time.sleep(60)
    if name == "nonsense": yield {{"sysfs": 3}}
    if name == "floods": [os.write(3, b"x" * 1000000) for _ in range(100)]
    yield {{"smart": "{{}}"}}

{last}
"""


def server(last: str = "sys.exit(worker.main(lambda: phases))") -> tuple[str, ...]:
    return (sys.executable, "-c", FAKE.format(last=last))


def probe(*names: str, last: str = "sys.exit(worker.main(lambda: phases))") -> tuple[dict[str, Any], float]:
    begun = time.monotonic()
    found = {facts["name"]: facts for facts in Pool(server(last)).probe(names, LIMIT)}
    return found, time.monotonic() - begun


def why(facts: dict[str, Any]) -> Message:
    told = next(error["why"] for error in facts["errors"] if error["what"] == "drive")
    return from_json(told, Message, "the worker")


def test_good_drives_do_not_wait_for_one_that_hangs() -> None:
    begun = time.monotonic()
    pool = Pool(server())
    arrived = {
        facts["name"]: (facts, time.monotonic() - begun)
        for facts in pool.probe(["hangs", "one", "two", "stubborn"], LIMIT)
    }
    assert set(arrived) == {"hangs", "one", "two", "stubborn"}
    assert {*list(arrived)[:2]} == {"one", "two"}, "they are told of before those that hang"
    assert arrived["one"][0]["smart"] == "{}"
    assert LIMIT <= arrived["hangs"][1] < HANGS_SECONDS / 2
    limit = allowed_seconds(4, LIMIT)
    assert why(arrived["hangs"][0]) == OVER_TIME(seconds=round(limit))
    assert arrived["hangs"][0]["sysfs"] == {"size": "2048"}, "what was read before is kept"
    assert why(arrived["stubborn"][0]).english == OVER_TIME(seconds=limit).english
    assert arrived["stubborn"][1] < HANGS_SECONDS / 2, "not even one that works has forever"


def test_few_processes_probe_many_drives() -> None:
    found, _ = probe(*(f"tells{number}" for number in range(64)))
    assert len(found) == 64 and not any(facts["errors"] for facts in found.values())
    assert len({facts["sysfs"]["pid"] for facts in found.values()}) <= 32


def test_drives_listed_after_many_that_hang_or_die_are_read() -> None:
    hanging = [f"hangs{number}" for number in range(20)]
    begun = time.monotonic()
    answers = Pool(server()).probe([*hanging, "dies", "one", "raises", "two"], LIMIT)
    first = [next(answers)["name"] for _ in range(4)]
    assert {*first} == {"dies", "one", "raises", "two"}
    assert time.monotonic() - begun < allowed_seconds(24, LIMIT)
    assert {facts["name"] for facts in answers} == {*hanging}


def test_working_probe_on_a_slow_cpu_gets_more_time() -> None:
    found, seconds = probe("busy", "hangs")
    assert not found["busy"]["errors"] and found["busy"]["smart"] == "{}"
    assert why(found["hangs"]).english == OVER_TIME(seconds=LIMIT).english
    assert seconds > allowed_seconds(2, LIMIT) + 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dies", t("The drive's probe ended without a result (status {status}).", status=-11)),
        ("fails", t("The drive's probe ended without a result (status {status}).", status=1)),
        ("raises", t("The drive's probe ended without a result (status {status}).", status=1)),
        ("garbage", t("The drive's probe returned invalid data.")),
        ("floods", t("The drive's probe returned invalid data.")),
    ],
)
def test_failed_probe_is_reported_and_costs_no_time(name: str, said: Message) -> None:
    found, seconds = probe(name, "good")
    assert why(found[name]) == said
    assert not found["good"]["errors"]
    assert seconds < HANGS_SECONDS / 2


def test_unresponsive_server_costs_only_the_time_limit() -> None:
    found, seconds = probe("one", "two", last="time.sleep(60)")
    assert [why(facts).english for facts in found.values()] == [
        t("The drive did not answer within {seconds:g} s.", seconds=LIMIT).english
    ] * 2
    assert seconds < HANGS_SECONDS / 2


def test_server_that_dies_early_leaves_its_drives_unread() -> None:
    found, _ = probe("one", last="sys.exit(3)")
    assert why(found["one"]) == t("The drive's probe ended without a result (status {status}).", status="?")


def test_malformed_facts_make_an_unreadable_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.probe.host.sysfs.drive_names", lambda **_: ["nonsense", "good"])
    drives = {drive.name: drive for drive in survey(seconds=LIMIT, server=server()).drives}
    assert drives["nonsense"].errors[0].why == t("The drive's probe returned invalid data.")
    assert drives["good"].errors == ()


def test_listener_that_exits_ends_server_and_children() -> None:
    pool = Pool(server())
    conversation = pool.probe(["good", "hangs"], 60)
    assert next(conversation)["name"] == "good"
    group = os.getpgid(pool.pid)
    conversation.close()
    until = time.monotonic() + 3
    while _members(group) and time.monotonic() < until:
        time.sleep(0.02)
    assert not _members(group)


def test_server_answers_several_requests_and_is_reused() -> None:
    asked = server("sys.exit(worker.main(lambda: phases))  # kept")
    with borrowed(asked) as first:
        assert {facts["name"] for facts in first.probe(["good", "dies"], LIMIT)} == {"good", "dies"}
        pid = first.pid
    with borrowed(asked) as again:
        assert again.pid == pid
        assert [facts["errors"] for facts in again.probe(["good"], LIMIT)] == [[]]
        with borrowed(asked) as beside:
            assert beside.pid != pid, "one server answers one asker at a time"


@pytest.mark.parametrize("end", ["killed", "left in the middle"])
def test_lost_server_is_replaced(end: str) -> None:
    asked = server(f"sys.exit(worker.main(lambda: phases))  # {end}")
    with borrowed(asked) as first:
        answers = first.probe(["good", "hangs"], 60)
        assert next(answers)["name"] == "good"
        if end == "killed":
            os.kill(first.pid, signal.SIGKILL)
            assert why(next(answers)) == t(
                "The drive's probe ended without a result (status {status}).", status="?"
            )
    with borrowed(asked) as second:
        assert second.pid != first.pid
        assert [facts["errors"] for facts in second.probe(["good"], LIMIT)] == [[]]


def test_server_that_ends_while_idle_is_replaced() -> None:
    asked = server("sys.exit(worker.main(lambda: phases))  # ends")
    with borrowed(asked) as first:
        list(first.probe(["good"], LIMIT))
    os.kill(first.pid, signal.SIGKILL)
    assert first.has_ended(LIMIT)
    with borrowed(asked) as second:
        assert [facts["errors"] for facts in second.probe(["good"], LIMIT)] == [[]]


def _members(group: int) -> list[str]:
    """Return the running processes of a process group."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(folder.name)
    return found


IN_A_PROGRAM = """
import fcntl, os, signal, sys, threading, time
from pathlib import Path
from wizard.probe.pool import borrowed

lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
signal.signal(signal.SIGTERM, lambda *_: None)
if sys.argv[2] == "threads":
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
with borrowed() as pool:
    (facts,) = pool.probe(["none0"], 10)
    process = Path("/proc") / str(pool.pid)
    print(facts["name"], *sorted(entry.name for entry in (process / "fd").iterdir()))
    print(b"/module.py\\0" in (process / "cmdline").read_bytes())
    os.kill(pool.pid, signal.SIGTERM)
    print(pool.has_ended(5), flush=True)
os._exit(0)
"""


@pytest.mark.parametrize(("threads", "starts_python"), [("alone", "False"), ("threads", "True")])
def test_server_has_no_descriptors_or_handlers_of_its_program(
    tmp_path: Path, threads: str, starts_python: str
) -> None:
    lock = tmp_path / "lock"
    program = [sys.executable, "-c", IN_A_PROGRAM, str(lock), threads]
    said = subprocess.run(program, capture_output=True, text=True, timeout=60, check=True).stdout
    assert said.splitlines() == ["none0 0 1 2", starts_python, "True"]
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


WITH_PASSPHRASE = """
import os, re, sys
from types import SimpleNamespace
from wizard.cli.start import passphrase_for
from wizard.probe.pool import borrowed

encrypted = SimpleNamespace(takes_passphrase=True, encrypted=("/dev/none0",))
secret = passphrase_for(encrypted, sys.argv[1], anew=False)

def is_in(process):
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb") as memory:
        for line in maps:
            start, end = (int(number, 16) for number in line.split()[0].split("-"))
            if " rw" in line and "[v" not in line:
                memory.seek(start)
                if secret in memory.read(end - start):
                    return True
    return False

with borrowed() as pool:
    list(pool.probe(["none0"], 10))
    print(is_in(os.getpid()), is_in(pool.pid), flush=True)
os._exit(0)
"""


def test_server_does_not_have_the_passphrase(tmp_path: Path) -> None:
    file = tmp_path / "passphrase"
    file.write_bytes(os.urandom(16).hex().encode())
    program = [sys.executable, "-c", WITH_PASSPHRASE, str(file)]
    said = subprocess.run(program, capture_output=True, text=True, timeout=60, check=True).stdout
    assert said.split() == ["True", "False"]
