"""A fresh ext4 with a verified copy: everything is the same, the old one is only read, and what was begun is
begun anew."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from tests.devices import Bench, tool
from tests.fingerprint import fingerprint
from tests.loop.migrate.manifest.manifests import entries_of, fill, make_ext3
from tests.loop.program import GIB, MIB, Failed
from wizard.apply.conversion.fresh import Fresh, copy_files, make_fresh
from wizard.apply.tree.copying import copy_tree
from wizard.apply.tree.manifest import AFTER, BEFORE
from wizard.apply.tree.mount_read_only import mounted_alone, mounted_read_only
from wizard.model.migration import MakeFresh
from wizard.process.program import run


@pytest.fixture
def fresh(bench: Bench, tmp_path: Path) -> Fresh:
    """An ext3 with one of everything, blocks of 1 KiB among it, and an empty drive."""
    source, target = make_ext3(bench, 96 * MIB, "-I", "128", "-b", "1024"), bench.make_drive(128 * MIB)
    with mounted_alone(source) as top:
        fill(top, 12 * GIB)
        (top / "small hole").write_bytes(os.urandom(4 * MIB))
        os.truncate(top / "small hole", 4 * MIB + 8192)
        with (top / "small hole").open("ab") as file:
            file.write(b"the end")
        (top / "by others").mkdir()
        os.setxattr(
            top / "by others",
            "security.capability",
            bytes.fromhex("0100000200040000000000000000000000000000"),
        )
        os.chown(top / "by others", 12, 34)
        os.chown(top / "folder/link", 12, 34, follow_symlinks=False)
        (top / "by others").chmod(0o7751)
        (top / "by others/program").write_text("#!")
        os.chown(top / "by others/program", 12, 34)
        (top / "by others/program").chmod(0o6755)
        os.setxattr(
            top / "by others/program",
            "security.capability",
            bytes.fromhex("0100000200040000000000000000000000000000"),
        )
        tool("chattr", "+ai", str(top / "by others"))
    make = MakeFresh(target, str(uuid4()), "copied", ("-b", "4096"))
    commands = (("mkfs.ext4", "-q", "-F", "-U", make.uuid, "-L", make.label, *make.options, target),)

    def command(argv: Sequence[str]) -> None:
        bench.own(target)
        run(argv, seconds=60)

    return Fresh(make, commands, source, command, tmp_path)


def test_everything_is_copied_and_the_old_one_only_read(
    fresh: Fresh, image_of: Callable[[str], Path]
) -> None:
    tool("blockdev", "--flushbufs", fresh.source)
    was = fingerprint(image_of(fresh.source))
    shares: list[float] = []
    assert fresh.make.uuid in make_fresh(fresh)
    said = copy_files(fresh, on_progress=shares.append)
    assert f"{fresh.make.target} contains all files of {fresh.source}" in said
    tool("blockdev", "--flushbufs", fresh.source)
    assert fingerprint(image_of(fresh.source)) == was
    assert shares == sorted(shares)
    assert shares[-1] <= 1
    assert tool("blkid", "-o", "value", "-s", "UUID", "-s", "LABEL", fresh.make.target).split() == [
        "copied",
        fresh.make.uuid,
    ]
    seen = {entry.path: entry for entry in entries_of(fresh.folder / AFTER)}
    assert seen.keys() == {entry.path for entry in entries_of(fresh.folder / BEFORE)}
    assert seen[b"other name"].same_as == b"file"
    # What no common program keeps: flags, holes in large files, sockets, all in one.
    assert (seen[b"by others"].flags, seen[b"still"].flags) == (0x30, 0x10)
    assert seen[b"small hole"].data.startswith(f"{4 * MIB + 7} in 2, ")
    with mounted_read_only(fresh.make.target) as top:
        assert (top / "socket").is_socket()
        assert (top / "huge").stat().st_blocks * 512 < MIB
        assert (top / "by others").stat().st_mtime_ns == seen[b"by others"].modified


def test_what_differs_is_told(fresh: Fresh, monkeypatch: pytest.MonkeyPatch) -> None:
    def copy_badly(source: Path, target: Path, on_bytes: Callable[[int], None]) -> None:
        copy_tree(source, target, on_bytes)
        (target / "file").chmod(0o600)
        os.utime(target / "pipe", (7, 7))

    monkeypatch.setattr("wizard.apply.conversion.fresh.copy_tree", copy_badly)
    make_fresh(fresh)
    with pytest.raises(Failed, match="differs: /file: permissions changed from 0644 to 0600") as told:
        copy_files(fresh)
    assert re.search(
        r"/pipe: modification time changed from \S+ \S+ UTC to 1970-01-01 00:00:07", str(told.value)
    )


def test_a_copy_that_was_killed_is_begun_anew(fresh: Fresh, tmp_path: Path) -> None:
    """Killed when every file was copied and no folder was finished."""
    make_fresh(fresh)
    code = """
import os, signal, sys
from wizard.apply.tree import copying
from wizard.apply.tree.mount_read_only import mounted_alone, mounted_read_only
from wizard.apply.tree.copying import copy_tree
def die(*_arguments):
    os.sync()
    os.kill(os.getpid(), signal.SIGKILL)
copying.finish_folder = die
with mounted_read_only(sys.argv[1]) as old, mounted_alone(sys.argv[2]) as new:
    copy_tree(old, new, lambda _more: None)
"""
    ended = subprocess.run([sys.executable, "-c", code, fresh.source, fresh.make.target], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert "contains all files of" in copy_files(fresh)


def test_only_an_empty_device_is_made_anew(fresh: Fresh, bench: Bench) -> None:
    tool("mkfs.ext4", "-q", fresh.make.target)
    was = fingerprint(Path(fresh.make.target))
    for work in (make_fresh, copy_files):
        with pytest.raises(Failed, match="was not changed: the target contains ext4"):
            work(fresh)
    assert fingerprint(Path(fresh.make.target)) == was
    for target, why in ((fresh.source, "this is the old filesystem"), ("/dev/missing", "No such file")):
        with pytest.raises(Failed, match=f"was not changed: .*{why}"):
            make_fresh(replace(fresh, make=replace(fresh.make, target=target)))


def test_a_device_in_use_is_not_touched(fresh: Fresh) -> None:
    held = os.open(fresh.make.target, os.O_RDWR | os.O_EXCL)
    try:
        with pytest.raises(Failed, match="was not changed: the kernel reports another holder"):
            make_fresh(fresh)
    finally:
        os.close(held)


@pytest.mark.parametrize(
    ("options", "why"), [(("128M", "-N", "256"), "can store"), (("24M",), "free; the copy needs")]
)
def test_what_does_not_fit_is_told_before_anything_is_copied(
    fresh: Fresh, options: tuple[str, ...], why: str
) -> None:
    with mounted_alone(fresh.source) as top:
        (top / "large").write_bytes(os.urandom(20 * MIB))
        for number in range(300):
            (top / f"folder/{number}").touch()
    small = replace(fresh, commands=((*fresh.commands[0], *options),))
    make_fresh(small)
    with pytest.raises(Failed, match=why):
        copy_files(small)
    with mounted_read_only(fresh.make.target) as top:
        assert [path.name for path in top.iterdir()] == ["lost+found"]


def test_what_cannot_be_read_is_named(fresh: Fresh) -> None:
    tool("debugfs", "-w", "-R", "set_inode_field /file block[1] 99999999", fresh.source)
    make_fresh(fresh)
    with pytest.raises(Failed, match="Cannot read /file: Structure needs cleaning"):
        copy_files(fresh)
    told = pytest.raises(Failed, match="Cannot copy /file: Structure needs cleaning")
    with mounted_read_only(fresh.source) as old, mounted_alone(fresh.make.target) as new, told:
        copy_tree(old, new, lambda _more: None)
