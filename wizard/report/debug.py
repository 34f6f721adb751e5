"""`--debug`: log of one command for a bug report."""

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from wizard import __version__
from wizard.model.errors import DiskwrightError, Failed, printable
from wizard.model.said import t
from wizard.probe.facts import RawMachine
from wizard.probe.interpret import machine_of
from wizard.process import program
from wizard.report import anonymous

OPTION, SERIALS = "--debug", "--with-serials"
PACKAGES = ("textual", "rich", "pyudev", "pyparted")
VERSION_OPTIONS = dict.fromkeys(
    ("mke2fs", "mkfs.ext4", "e2fsck", "tune2fs", "dumpe2fs", "resize2fs", "debugfs", "mkfs.xfs"), "-V"
)
"""Version options of tools without --version. e2fsprogs' tools print their version even if they reject an
option."""

VERSION_SECONDS = 5.0
LARGEST_BYTES = 200_000


def debugged(words: Sequence[str], work: Callable[[list[str]], int], known: Collection[str] = ()) -> int:
    """Run `work` with the words without our options, and return its exit code. Always writes the log, and
    prints its path. `known`: words that name nobody."""
    try:
        scratch = program.scratch_folder()
    except Failed as error:
        print(f"diskwright: {error}", file=sys.stderr)
        return error.exit_code
    with tempfile.TemporaryDirectory(prefix="diskwright-debug-", dir=scratch) as folder:
        raw = Path(folder) / "log"
        raw.touch(mode=0o600)
        os.environ[program.VARIABLE] = str(raw)
        program.note("begin", "\n".join(_surroundings(words)))
        try:
            code = work([word for word in words if word not in (OPTION, SERIALS)])
            program.note(program.END, f"exit code {code}")
            return code
        except BaseException:
            program.note_exception()
            raise
        finally:
            del os.environ[program.VARIABLE]
            text = raw.read_text(encoding="utf-8", errors="replace")
            text += "\n".join(["", "Programs that were run:", *_versions(text), ""])
            serials = SERIALS in words
            privacy = t("Serial numbers are included.")
            if not serials:
                text = _without_names(text, words, {*known, OPTION, SERIALS})
                privacy = anonymous.REPLACED
            place = _write(text, scratch)
            print(t("diskwright: Log: {place}. {held}", place=str(place), held=privacy), file=sys.stderr)


def _surroundings(words: Sequence[str]) -> Iterator[str]:
    kernel = os.uname()
    yield (
        f"diskwright {__version__}, Python {sys.version.split()[0]}, Linux {kernel.release} {kernel.machine}"
    )
    with suppress(OSError):
        release = Path("/etc/os-release").read_text(encoding="utf-8", errors="replace")
        yield from re.findall(r'^PRETTY_NAME="?([^"\n]*)', release, re.M)
    yield ", ".join(f"{name} {_package_version(name)}" for name in PACKAGES)
    yield f"user {os.geteuid()}, TERM={os.environ.get('TERM', '')}, LANG={os.environ.get('LANG', '')}"
    yield _command(words)


def _command(words: Sequence[str]) -> str:
    return printable(shlex.join(["diskwright", *words]), program.LONGEST_LINE)


def _package_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def _versions(text: str) -> Iterator[str]:
    for name in sorted(set(re.findall(rf"^\S+ \d+ {program.COMMAND}: ([\w.+-]+)", text, re.MULTILINE))):
        try:
            result = program.run(
                [name, VERSION_OPTIONS.get(name, "--version")], seconds=VERSION_SECONDS, accept=range(256)
            )
        except DiskwrightError as error:
            yield f"{name}: {error}"
            continue
        lines = f"{result.output}\n{result.errors}".splitlines()
        told = (line.strip()[:200] for line in lines if re.search("[0-9]", line))
        yield f"{name}: {next(told, 'says no version')}"


def _without_names(text: str, words: Sequence[str], known: Collection[str]) -> str:
    """Find names in the facts and documents that this process used, the command and its environment."""
    nouns = tuple(machine_of(facts) if isinstance(facts, RawMachine) else facts for facts in program.seen)
    texts = [text for text in program.seen if isinstance(text, str)]
    given = dict(anonymous.names_given(words, known, texts))
    names = anonymous.Words(nouns, given, os.uname().nodename)
    command = shlex.join(("diskwright", *anonymous.masked(words, known, names.word)))
    return names.text(text.replace(_command(words), command, 1))


def _write(text: str, folder: str) -> Path:
    """Omit the middle of a long log."""
    data = text.encode(errors="replace")
    if len(data) > LARGEST_BYTES:
        data = (
            data[: LARGEST_BYTES // 2] + b"\n(Lines are left out here.)\n" + data[-LARGEST_BYTES // 2 + 100 :]
        )
    descriptor, name = tempfile.mkstemp(prefix="diskwright-debug-", suffix=".log", dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return Path(name)
