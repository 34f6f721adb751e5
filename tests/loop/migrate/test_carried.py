"""A way to ext4 for a filesystem in use: written down while it is mounted, and carried out where it is found
again, under another name."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work
from tests.loop.migrate.migrating import Old, old_filesystem
from tests.loop.program import MIB
from wizard.apply.block.devices import facts_on
from wizard.cli.main import main

Told = tuple[int, str, str]
"""A command's exit code, and what it printed for programs and for people."""


@pytest.fixture
def old(work: Work, make_drive: MakeDrive) -> Old:
    return old_filesystem(work, make_drive)


@pytest.fixture
def run(old: Old, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """The command line in this process, which is quicker."""
    monkeypatch.setenv("DISKWRIGHT_STATE", str(old.work.folder))

    def told(*words: str) -> Told:
        status = main(words)
        seen = capsys.readouterr()
        return status, " ".join(seen.out.split()), " ".join(seen.err.split())

    return told


Run = Callable[..., Told]


def written_down(old: Old, run: Run) -> Path:
    """The plan to be carried, made while the filesystem is mounted, which it no longer is."""
    plan, place = old.work.folder / "carry.json", old.mount()
    words = ("migrate", old.drive, "--fstab", str(old.work.fstab), "--way", "full")
    try:
        status, _, said = run(*words)
        assert status == 3 and "-o carry.json" in said and not plan.exists()
        status, out, said = run(*words, "-o", str(plan))
        assert status == 0 and "in use" in said
        assert (
            "--way mount --confirm" in out
            and f"Copy {plan} and diskwright to" in out
            and "diskwright apply /mnt/carry.json --journal" in out
        )
        assert run(*words, "--confirm", token(old.drive), "-o", str(plan))[0] == 3
    finally:
        tool("umount", str(place))
    return plan


def token(drive: str) -> str:
    return drive.removeprefix("/dev/")


def carry_out(old: Old, run: Run, plan: Path, *words: str) -> Told:
    folder = str(old.work.folder)
    return run(
        "apply", str(plan), "--fstab", str(old.work.fstab), "--store", folder, "--undo-dir", folder, *words
    )


def copied(old: Old, drive: str) -> None:
    old.work.bench.own(drive)
    tool("dd", f"if={old.drive}", f"of={drive}", "bs=1M", "conv=fsync,sparse", "status=none")


def test_it_is_found_by_its_uuid_shown_carried_out_and_taken_back(
    old: Old, make_drive: MakeDrive, run: Run
) -> None:
    plan, other = written_down(old, run), make_drive(32 * MIB)
    status, out, _ = run("show", str(plan))
    assert status == 0 and "rescue medium" in out
    copied(old, other)
    status, _, said = carry_out(old, run, plan)
    assert status == 3 and "attached 2 times" in said
    old.work.bench.own(old.drive)
    tool("wipefs", "-q", "-a", old.drive)
    before = old.work.digest(other)
    status, out, said = carry_out(old, run, plan)
    assert status == 0 and f" on {other}." in said and f"--confirm {token(other)}" in said
    assert f"tune2fs -I 256 {other}" in out and old.work.digest(other) == before
    assert carry_out(old, run, plan, "--confirm", token(old.drive))[0] == 3
    status, out, said = carry_out(old, run, plan, "--confirm", token(other))
    assert status == 0 and {"extent", "metadata_csum"} <= facts_on(other).features, said
    assert run("undo")[0] == 0 and old.work.digest(other) == before


def test_what_is_mounted_or_was_changed_meanwhile_is_refused(old: Old, run: Run) -> None:
    plan, place = written_down(old, run), old.mount("-o", "ro,noload")
    status, _, said = carry_out(old, run, plan, "--confirm", token(old.drive))
    tool("umount", str(place))
    assert status == 3 and "is mounted at" in said
    for change, wrong, nothing in (
        (("-O", "^dir_index"), "features: ", "Nothing was written"),
        (("-U", "0d2c3b7a-2222-4000-8000-000000000002"), "is not attached", "Nothing was written"),
    ):
        tool("tune2fs", *change, old.drive)
        before = old.digest
        status, _, said = carry_out(old, run, plan, "--confirm", token(old.drive))
        assert status == 3 and wrong in said and nothing in said
        assert old.digest == before


def test_folders_are_named_for_what_was_carried_only(old: Old, run: Run) -> None:
    plan = old.work.folder / "direct.json"
    words = (
        "--fstab",
        str(old.work.fstab),
        "--undo-dir",
        str(old.work.folder),
        "--way",
        "light",
        "-o",
        str(plan),
    )
    assert run("migrate", old.drive, *words)[0] == 0
    status, _, said = carry_out(old, run, plan)
    assert status == 2 and "carried" in said
