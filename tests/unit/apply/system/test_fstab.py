"""One line added to fstab and removed again, with every other byte preserved."""

import os
from pathlib import Path

import pytest

from wizard.apply.system.edited_file import kept_as
from wizard.apply.system.fstab import add_line, check_lines, conflict, parse
from wizard.model.errors import BadInput, Failed, Refused
from wizard.operations.mounts import AddFstabLine

UUID = "10000000-0000-4000-8000-000000000001"
OPERATION = AddFstabLine(UUID, "/srv/my media", "ext4", ("noatime", "nofail"), 2)
OTHERS = [
    "",
    "# nothing yet\n",
    "UUID=abc / ext4 defaults 0 1",
    "UUID=abc / ext4 defaults 0 1\n\n# a comment at the end\n",
    "UUID=abc\t/\text4\tdefaults\t0\t1\r\nnone swap swap sw\n",
    b"LABEL=caf\xe9 /caf\xe9 ext4 defaults 0 2\n".decode("utf-8", "surrogateescape"),
]


@pytest.fixture
def fstab(tmp_path: Path) -> Path:
    return tmp_path / "fstab"


@pytest.mark.parametrize("text", OTHERS)
def test_line_is_added_after_the_old_bytes(fstab: Path, text: str) -> None:
    old = text.encode("utf-8", "surrogateescape")
    fstab.write_bytes(old)
    keep = kept_as(fstab, "run")
    add_line(fstab, OPERATION, keep)
    assert fstab.read_bytes().startswith(old)
    assert fstab.read_bytes().splitlines()[-1].decode() == OPERATION.line
    assert keep.read_bytes() == old


def test_adding_twice_adds_once(fstab: Path) -> None:
    fstab.write_text("# old\n")
    for _ in range(2):
        add_line(fstab, OPERATION, kept_as(fstab, "run"))
    assert fstab.read_text() == f"# old\n{OPERATION.line}\n"
    assert kept_as(fstab, "run").read_text() == "# old\n"


def test_mode_owner_and_link_are_preserved(fstab: Path, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere" / "fstab.real"
    real.parent.mkdir()
    real.write_text("# old\n")
    real.chmod(0o600)
    fstab.symlink_to(real)
    before = real.stat()
    add_line(fstab, OPERATION, kept_as(fstab, "run"))
    assert fstab.is_symlink() and fstab.readlink() == real
    assert OPERATION.line in real.read_text()
    after = real.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert after.st_ino != before.st_ino, "the new file took the old one's place in one move"
    assert sorted(path.name for path in real.parent.iterdir()) == ["fstab.real", "fstab.real.diskwright-run"]


def test_missing_file_is_created_world_readable(fstab: Path) -> None:
    add_line(fstab, OPERATION, kept_as(fstab, "run"))
    assert fstab.stat().st_mode & 0o777 == 0o644


def test_unwritable_folder_is_refused(fstab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read-only root filesystem refuses even root."""
    fstab.write_text("")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(Refused, match="not writable here"):
        check_lines(fstab, (OPERATION,))


@pytest.mark.parametrize(
    "line",
    [
        "LABEL=x /srv/my\\040media ext4 defaults 0 2",
        "LABEL=x /srv/my\\040media/ ext4",
        f"UUID={UUID.upper()} /elsewhere ext4 defaults",
        f'UUID="{UUID}" /elsewhere ext4 defaults',
    ],
)
def test_lines_for_the_same_device_or_mount_point(fstab: Path, line: str) -> None:
    fstab.write_text(f"# first\n\n{line}\n")
    with pytest.raises(Refused, match="line 3 already"):
        check_lines(fstab, (OPERATION,))
    with pytest.raises(Failed, match="The file was not edited"):
        add_line(fstab, OPERATION, kept_as(fstab, "run"))
    assert fstab.read_text() == f"# first\n\n{line}\n"


def test_swap_lines_share_no_mount_point() -> None:
    lines = parse("UUID=a none swap sw 0 0\nUUID=b none swap sw 0 0\n", "fstab")
    assert conflict(lines, OPERATION) is None


@pytest.mark.parametrize(
    "text", ["one\n", "one two\n", "/dev/a /b ext4 defaults x\n", "/dev/a /b ext4 defaults 0 y\n"]
)
def test_invalid_line_is_named(text: str) -> None:
    with pytest.raises(BadInput, match="fstab, line 2 is not an entry"):
        parse("# comment\n" + text, "fstab")
