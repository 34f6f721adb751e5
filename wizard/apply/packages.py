"""Package managers: commands to estimate and run an installation. Only apt (2.6) was tested. Sources for the
output of the others: dnf5's issue 342 (dnf 4 and 5), xbps's issue 109, zypper's src/Summary.cc and pull
request 553, and reports of pacman users."""

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from wizard.advice.missing import Missing
from wizard.model.errors import Failed, Refused
from wizard.model.said import KIB, Message, Sentence, t
from wizard.process import program

Argv = tuple[str, ...]


class Cost(Struct, frozen=True):
    """Size of an installation with dependencies, if known."""

    download_bytes: int | None = None
    disk_bytes: int | None = None


class Manager(Struct, frozen=True):
    """`weigh` estimates an installation without changing anything, with `answers` on its standard input.
    `install` needs no input and removes no packages. Package names are appended to both. `refresh` downloads
    package lists if the manager does not do so itself; `lists` is their folder and file pattern."""

    name: str
    weigh: Argv
    install: Argv
    read: Callable[[str], Cost]
    answers: bytes | None = None
    refresh: Argv = ()
    lists: tuple[str, str] = ("", "")


def _bytes(number: str, unit: str) -> int:
    """Units like dnf's `k` and `MiB` are powers of 1024; apt's `kB` are powers of 1000."""
    letter = unit[:1].upper()
    base = 1000 if unit.endswith("B") and "i" not in unit else KIB
    power = " KMGT".find(letter) if letter and letter != "B" else 0
    return int(float(number.replace(",", "")) * float(base) ** max(0, power))


SIZE = r"([\d.,]*\d)\s*([kKMGT]?i?B?)"


def _by_lines(download: str, disk: str) -> Callable[[str], Cost]:
    """Return a parser for two patterns, in which `@` stands for the size."""

    def found(pattern: str, output: str) -> int | None:
        match = re.search(pattern.replace("@", SIZE), output, re.MULTILINE)
        number = [part for part in match.groups() if part is not None] if match else []
        return _bytes(number[0], number[1]) if len(number) > 1 else None

    return lambda output: Cost(found(download, output), found(disk, output))


def _xbps(output: str) -> Cost:
    """Lines end with the installed size and the download size, in bytes."""
    sizes = [
        (int(words[4]), int(words[5]))
        for line in output.splitlines()
        if len(words := line.split()) == 6
        and words[1] in ("install", "update")
        and (words[4] + words[5]).isdigit()
    ]
    return Cost(sum(download for _, download in sizes), sum(disk for disk, _ in sizes)) if sizes else Cost()


APT = ("apt-get", "install", "-q", "--no-install-recommends", "--no-remove")
DNF = ("dnf", "install", "--setopt=install_weak_deps=False")
ZYPPER = ("zypper", "--non-interactive", "install", "--no-recommends")

MANAGERS = {
    "debian": Manager(
        "apt",
        # With --assume-no, apt-get installs without asking if there are no additional packages.
        weigh=(*APT, "--print-uris"),
        install=(
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            *APT,
            "-y",
            "--option=APT::Keep-Downloaded-Packages=false",
            "--option=Dpkg::Use-Pty=0",
            "--option=DPkg::Lock::Timeout=60",
        ),
        read=_by_lines(r"^Need to get @", r"^After this operation, @ of additional"),
        refresh=("apt-get", "update", "-q"),
        lists=("/var/lib/apt/lists", "*_Packages*"),
    ),
    "fedora": Manager(
        "dnf",
        weigh=(*DNF, "--assumeno"),
        install=(*DNF, "-y"),
        read=_by_lines(
            r"^ *Total download size: @|Need to download @",
            r"^ *Installed size: @|^ *After this operation,? @ ",
        ),
    ),
    "arch": Manager(
        "pacman",
        weigh=("pacman", "-S", "--needed"),
        install=("pacman", "-S", "--needed", "--noconfirm"),
        read=_by_lines(r"^Total Download Size: +@", r"^Total Installed Size: +@"),
        answers=b"n\n",
        refresh=("pacman", "-Sy"),
        lists=("/var/lib/pacman/sync", "*.db"),
    ),
    "suse": Manager(
        "zypper",
        weigh=(*ZYPPER, "--dry-run"),
        install=ZYPPER,
        read=_by_lines(
            r"^(?:Overall|Package) download size: +@", r"additional @ will be used|\|\s+@ +required by"
        ),
    ),
    "alpine": Manager(
        "apk", weigh=("apk", "add", "--simulate"), install=("apk", "add", "-U"), read=lambda _said: Cost()
    ),
    "void": Manager(
        "xbps-install", weigh=("xbps-install", "-n"), install=("xbps-install", "-Sy"), read=_xbps
    ),
}
"""By distribution family."""

UNREACHED = re.compile(
    r"could not resolve|couldn't resolve|temporary failure resolving|could not connect|unable to connect"
    r"|network is unreachable|no route to host|connection (?:refused|timed out)|dns lookup error"
    r"|transient resolver failure|cannot download repomd|failed to download metadata|download \(curl\) error"
    r"|temporary error \(try again later\)|failed to synchronise all databases",
    re.IGNORECASE,
)


def complaint(said: str) -> str:
    """Return the first error in the output, or the last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(?:E|Err|error|dpkg|problem)\b ?:", line, re.IGNORECASE)]
    return next(iter(errors or lines[-1:]), str(program.SILENT))


NEEDS_ROOT = Sentence("Installing needs root. Run: sudo diskwright install {programs}")


WEIGH_SECONDS = 60.0
REFRESH_SECONDS = 300.0
INSTALL_SECONDS = 1800.0
FRESH_SECONDS = 24 * 3600.0
"""Maximum age of package lists."""

OnLine = Callable[[str], None]


def manager_of(missing: Missing) -> Manager:
    """Raises Refused, naming the missing programs, if no package manager is known."""
    manager = MANAGERS.get(missing.family)
    if manager is None or not missing.command:
        raise Refused(missing.said)
    if program.find(manager.weigh[0]) is None:
        raise Refused(t("{program} is not installed.", program=manager.weigh[0]))
    return manager


def offer(missing: Missing) -> Message:
    """Describe the installation in one question, with the cost unless the manager needs root or has no
    package lists yet. Raises as `manager_of`."""
    manager, weighed = manager_of(missing), Cost()
    with suppress(Failed):
        result = program.run(
            [*manager.weigh, *missing.packages],
            seconds=WEIGH_SECONDS,
            accept=range(256),
            stdin=manager.answers,
        )
        weighed = manager.read(result.output + result.errors)
    if weighed.download_bytes is None or weighed.disk_bytes is None:
        return t(
            "Install {packages:and} with {manager}; the size is unknown.",
            packages=missing.packages,
            manager=manager.name,
        )
    return t(
        "Install {packages:and} with {manager}: {download:size} to download, {disk:size} on disk.",
        packages=missing.packages,
        manager=manager.name,
        download=weighed.download_bytes,
        disk=weighed.disk_bytes,
    )


def install(missing: Missing, on_line: OnLine) -> None:
    """Install the packages, passing each line of output to `on_line`. Raises Refused if the installation
    cannot start, and Failed if the manager fails or the programs are still missing."""
    manager = manager_of(missing)
    if os.geteuid() != 0:
        raise Refused(NEEDS_ROOT(programs=" ".join(missing.programs)))
    fetched = _refresh(manager, on_line) if _is_stale(manager) else None
    argv = [*manager.install, *missing.packages]
    done = program.stream(argv, seconds=INSTALL_SECONDS, on_line=on_line)
    if done.status and manager.refresh and fetched is None and not UNREACHED.search(done.output):
        # Outdated lists can name packages that no longer exist.
        fetched = _refresh(manager, on_line)
        done = program.stream(argv, seconds=INSTALL_SECONDS, on_line=on_line)
    if done.status:
        if UNREACHED.search(done.output + (fetched or "")):
            raise Failed(t("No network: {manager} could not reach any server.", manager=manager.name))
        why = complaint(done.output)
        raise Failed(
            t(
                "{manager} could not install {packages:and}: {why}",
                manager=manager.name,
                packages=missing.packages,
                why=why,
            )
        )
    if absent := tuple(name for name in missing.programs if program.find(name) is None):
        raise Failed(
            t(
                "Installed {packages:and}, but {programs:and} is still not found.",
                packages=missing.packages,
                programs=absent,
            )
        )


def _refresh(manager: Manager, on_line: OnLine) -> str:
    """Failures are ignored: the installation reports them."""
    return program.stream(manager.refresh, seconds=REFRESH_SECONDS, on_line=on_line).output


def _is_stale(manager: Manager) -> bool:
    """False if the manager refreshes the lists itself."""
    if not manager.refresh:
        return False
    folder, pattern = manager.lists
    try:
        newest = max((path.stat().st_mtime for path in Path(folder).glob(pattern)), default=0.0)
    except OSError:
        return True
    return newest == 0.0 or (manager.name == "apt" and time.time() - newest > FRESH_SECONDS)
