"""Parsing the output of package managers, quoted verbatim. Only apt was run for these tests."""

import io
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from wizard.advice.missing import COMMANDS, Missing, missing, programs_named
from wizard.apply.packages import MANAGERS, UNREACHED, Cost, complaint, manager_of, offer
from wizard.apply.privilege.ask import Answer, Ask, RootRequest, Say, as_line
from wizard.apply.privilege.server import Relay
from wizard.documents.codec import from_json
from wizard.model.errors import Failed, Refused
from wizard.model.said import KIB, MIB
from wizard.process.program import stream

SAID = {
    # apt 2.6.1, Debian 12: apt-get install -q --no-install-recommends --print-uris zerofree
    "apt": (
        "debian",
        "0 upgraded, 1 newly installed, 0 to remove and 128 not upgraded.\nNeed to get 8432 B of archives.\n"
        "After this operation, 25.6 kB of additional disk space will be used.\n'http://deb.debian.org/debian/pool/"
        "main/z/zerofree/zerofree_1.1.1-1_amd64.deb' zerofree_1.1.1-1_amd64.deb 8432 MD5Sum:b8b61b74\n",
        Cost(8432, 25600),
    ),
    # github.com/meefik/linuxdeploy/issues/369
    "apt, all of it cached": (
        "debian",
        "Need to get 0 B/4,662 kB of archives.\n"
        "After this operation, 18.3 MB of additional disk space will be used.\n",
        Cost(0, 18_300_000),
    ),
    # github.com/rpm-software-management/dnf5/issues/342
    "dnf 4": (
        "fedora",
        "Install  1 Package\n\nTotal download size: 215 k\nInstalled size: 415 k\nIs this ok [y/N]: \n",
        Cost(215 * KIB, 415 * KIB),
    ),
    "dnf 5": (
        "fedora",
        "Total size of inbound packages is 281 MiB. Need to download 281 MiB.\n"
        "After this operation 51 MiB will be used (install 1 GiB, remove 991 MiB).\n",
        Cost(281 * MIB, 51 * MIB),
    ),
    # github.com/pbek/QOwnNotes/issues/1653
    "pacman": (
        "arch",
        "Packages (1) qownnotes-20.3.2-1\n\nTotal Download Size:    3.50 MiB\n"
        "Total Installed Size:  18.68 MiB\n"
        "Net Upgrade Size:       0.27 MiB\n\n:: Proceed with installation? [Y/n] n\n",
        Cost(int(3.5 * MIB), int(18.68 * MIB)),
    ),
    # The sentences of zypper's src/Summary.cc, filled in here.
    "zypper": (
        "suse",
        "Overall download size: 1.5 MiB. Already cached: 0 B. "
        "After the operation, additional 4.5 MiB will be used.\n",
        Cost(int(1.5 * MIB), int(4.5 * MIB)),
    ),
    # github.com/openSUSE/zypper/pull/553, without the line on the download, which it does not show
    "newer zypper": (
        "suse",
        "Package install size change:\n              |     349.1 MiB  required by to be installed packages\n"
        "     1.9 MiB  |  -  347.3 MiB  released by to be removed packages\n",
        Cost(None, int(349.1 * MIB)),
    ),
    # github.com/void-linux/void-mklive/issues/462
    "xbps": (
        "void",
        "glibc-2.41_1 install x86_64 https://repo-default.voidlinux.org/current 33363382 9170635\n"
        "acl-2.4.0_1 install x86_64 https://repo-default.voidlinux.org/current 43080 20653\n",
        Cost(9170635 + 20653, 33363382 + 43080),
    ),
    # github.com/accursoft in gliderlabs/docker-alpine/issues/386
    "apk": ("alpine", "(1/6) Installing pkgconf (1.3.10-r0)\nOK: 5 MiB in 15 packages\n", Cost()),
    "nothing": ("void", "", Cost()),
}

OFFLINE = {
    # apt 2.6.1, here
    "apt": "E: Failed to fetch http://127.0.0.1:1/x.deb  Could not connect to 127.0.0.1:1 (127.0.0.1). "
    "- connect (111: Connection refused)",
    # github.com/apache/apisix/issues/10123
    "dnf": "Error: Failed to download metadata for repo 'release': Cannot download repomd.xml",
    # github.com/przecze in alpinelinux/docker-alpine/issues/59
    "apk": "ERROR: http://dl-cdn.alpinelinux.org/alpine/v3.9/main: temporary error (try again later)",
    # github.com/void-linux/xbps/issues/293
    "xbps": "ERROR: [reposync] failed to fetch file `https://alpha.de.repo.voidlinux.org/current/musl/x86_64-musl-"
    "repodata': Transient resolver failure",
}


@pytest.mark.parametrize("name", SAID)
def test_size_is_the_one_of_the_package_manager(name: str) -> None:
    family, said, wanted = SAID[name]
    assert MANAGERS[family].read(said) == wanted


@pytest.mark.parametrize("name", OFFLINE)
def test_unreachable_servers_differ_from_other_failures(name: str) -> None:
    assert UNREACHED.search(OFFLINE[name])
    assert not UNREACHED.search("E: Unable to locate package exfatprogs")
    assert not UNREACHED.search(
        "error: failed retrieving file 'tree.pkg.tar.xz' from x : Maximum file size exceeded"
    )


def test_every_family_has_a_noninteractive_and_a_dry_run_manager() -> None:
    assert set(MANAGERS) == set(COMMANDS)
    quiet = {"-y", "--noconfirm", "--non-interactive", "add", "-Sy"}
    dry = {"--print-uris", "--assumeno", "--dry-run", "--simulate", "-n"}
    for manager in MANAGERS.values():
        assert quiet.intersection(manager.install), manager.name
        assert dry.intersection(manager.weigh) or manager.answers == b"n\n", manager.name
        assert not dry.intersection(manager.install), manager.name


def test_first_error_is_reported() -> None:
    assert (
        complaint("Reading package lists...\nE: Unable to locate package x\nE: other\n")
        == "E: Unable to locate package x"
    )
    assert complaint("one\ntwo\n") == "two"
    assert complaint("") == "no output"


def test_meaning_of_a_name() -> None:
    assert programs_named("mkfs.exfat", "debian") == ("mkfs.exfat",)
    assert "mkfs.ntfs" in programs_named("ntfsprogs", "fedora") and not programs_named("ntfsprogs", "debian")
    assert not programs_named("", "void") and not programs_named("zerofree; reboot", "debian")


def test_unknown_family_is_refused_with_the_missing_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match="Install the package mdadm"):
        offer(missing(("mdadm",), ""))
    monkeypatch.setattr("wizard.process.program.find", lambda _name: None)
    with pytest.raises(Refused, match=r"^xbps-install is not installed\.$"):
        offer(missing(("mdadm",), "void"))


def test_long_command_is_reported_by_line_and_services_not_awaited(
    tmp_path: Path,
) -> None:
    """As with a package that starts a service, which inherits the output."""
    told: list[str] = []
    pid = tmp_path / "pid"
    script = f"echo one; sleep 60 & echo $! > {pid}; echo two >&2; exit 3"
    begun = time.monotonic()
    try:
        done = stream(["sh", "-c", script], seconds=30, on_line=told.append)
        assert (done.status, told) == (3, ["one", "two"]) and done.output == "one\ntwo"
        assert time.monotonic() - begun < 30, "it waits for the whole minute otherwise"
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)


def test_endless_command_is_ended(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="did not finish within 0 s"):
        stream(
            ["sh", "-c", f"echo $$ > {tmp_path / 'pid'}; sleep 60"], seconds=0.5, on_line=lambda _line: None
        )
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def asked(monkeypatch: pytest.MonkeyPatch, *programs: str) -> tuple[list[Answer], list[Missing]]:
    """Return the root process's replies to a user's request for programs, and the installed packages."""
    done: list[Missing] = []

    def install(lacks: Missing, on_line: Callable[[str], None]) -> None:
        manager_of(lacks)
        done.append(lacks)
        on_line("Unpacking \x1b[31mx")

    monkeypatch.setattr("wizard.apply.privilege.server.install", install)
    monkeypatch.setattr("wizard.apply.privilege.server.os_release", lambda: "ID=debian")
    monkeypatch.setattr("wizard.process.program.find", lambda name: name)
    told = io.BytesIO()
    Relay(io.BytesIO(as_line(RootRequest(Ask.INSTALL, programs=programs))), told).serve()
    return [from_json(json.loads(line), Answer, "root") for line in told.getvalue().splitlines()], done


def test_root_installs_for_a_user_only_from_its_own_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told, done = asked(monkeypatch, "mkfs.exfat", "pvcreate")
    assert [answer.say for answer in told] == [Say.ROOT, Say.LINE, Say.DONE]
    assert told[1].sentence == "Unpacking ?[31mx"
    assert [lacks.packages for lacks in done] == [("exfatprogs", "lvm2")]


def test_root_installs_no_package_named_by_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    told, done = asked(monkeypatch, "./evil.deb", "--allow-unauthenticated")
    assert [answer.say for answer in told] == [Say.ROOT, Say.REFUSED] and not done
