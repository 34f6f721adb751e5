"""fstab and crypttab: parsed as at boot, edited without losing a byte of others."""

import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from tests.unit.ext4.migrations import identity_of
from tests.unit.machines import drive
from wizard.apply.settings import states
from wizard.apply.settings.system import RunningSystem
from wizard.apply.system import edited_file
from wizard.apply.system.edited_file import edit, kept_as
from wizard.apply.system.fstab import Opening, add_line, check_lines, conflict, parse, parse_crypttab
from wizard.model.errors import BadInput, Failed, Refused
from wizard.operations.fstab import EditFstab, LineEdit, digest_of_text
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


GENERATOR = Path("/usr/lib/systemd/system-generators/systemd-cryptsetup-generator")
OPENED = "7d9fc3cb-0b76-4a4b-a6d2-00000000000"
TEXT = f"""# opened at boot
a UUID={OPENED}1 none luks
\tb  UUID="{OPENED}2"\tnone luks,nofail

c PARTUUID={OPENED}3 /etc/keys/c luks,noauto
d /dev/disk/by-id/ata-X
e LABEL=vault none nofail,luks
swap /dev/sdx2 /dev/urandom swap,cipher=aes-xts-plain64
tmp /dev/sdx3 /dev/urandom tmp=xfs
late /dev/sdx4 /dev/urandom swap,noauto
alone
"""


def test_entries_have_a_name_and_a_device() -> None:
    found = parse_crypttab(TEXT)
    assert [(line.number, line.name) for line in found] == [
        *((2, "a"), (3, "b"), (5, "c"), (6, "d"), (7, "e")),
        *((8, "swap"), (9, "tmp"), (10, "late")),
    ]
    assert found[2] == Opening(
        number=5, source=f"PARTUUID={OPENED}3", options=("luks", "noauto"), name="c", key="/etc/keys/c"
    )
    assert (found[3].key, found[1].names(frozenset({("UUID", f"{OPENED}2")}))) == ("", True)


@pytest.mark.skipif(not GENERATOR.exists(), reason="systemd's reader of crypttab is not here")
def test_boot_effects_match_the_units_of_systemd(tmp_path: Path) -> None:
    (tmp_path / "crypttab").write_text(TEXT)
    folder = str(tmp_path)
    environment = {"SYSTEMD_CRYPTTAB": f"{folder}/crypttab", "SYSTEMD_PROC_CMDLINE": "quiet"}
    subprocess.run([GENERATOR, folder, folder, folder], env=environment, check=True, timeout=60)
    needed = {unit.name for unit in tmp_path.glob("cryptsetup.target.requires/*")}
    wanted = needed | {unit.name for unit in tmp_path.glob("cryptsetup.target.wants/*")}
    made = {unit.name for unit in tmp_path.glob("systemd-cryptsetup@*") if "makefs" in unit.read_text()}
    found = parse_crypttab(TEXT)
    assert needed == {_unit(line) for line in found if line.may_stop}
    assert made & wanted == {_unit(line) for line in found if line.overwrites}


def _unit(line: Opening) -> str:
    return f"systemd-cryptsetup@{line.name}.service"


ROOT = Path(__file__).parents[4]
RUNS, ROUNDS = 4, 40
OLD = "# mounts at boot\nUUID=abc / ext4 defaults 0 1\n"

WRITER = """
import sys
from pathlib import Path
from wizard.apply.system.fstab import add_line
from wizard.operations.mounts import AddFstabLine
fstab, me, rounds, barrier = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.stdin.readline()
for turn in range(rounds):
    one = AddFstabLine(f"{me:08}-0000-4000-8000-{turn:012}", f"/srv/{me}-{turn}", "ext4", ("nofail",), 2)
    keep = fstab.with_name(f"kept-{me}-{turn}")
    add_line(fstab, one, keep)
"""


def line_of(who: int, turn: int) -> AddFstabLine:
    return AddFstabLine(f"{who:08}-0000-4000-8000-{turn:012}", f"/srv/{who}-{turn}", "ext4", ("nofail",), 2)


def test_concurrent_runs_lose_no_line(tmp_path: Path) -> None:
    """Each process adds a line per round."""
    fstab = tmp_path / "fstab"
    fstab.write_text(OLD)
    argvs = [(sys.executable, "-c", WRITER, str(fstab), str(who), str(ROUNDS)) for who in range(RUNS)]
    writers = [
        subprocess.Popen(argv, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        for argv in argvs
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        _, said = writer.communicate()
        assert writer.returncode == 0, said
    wanted = {line_of(who, turn).line for who in range(RUNS) for turn in range(ROUNDS)}
    text = fstab.read_text()
    assert text.startswith(OLD)
    assert sorted(text.removeprefix(OLD).splitlines()) == sorted(wanted)
    assert not list(tmp_path.glob(".fstab*"))


def test_editor_without_locking_loses_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The editor saves just after the new file was written and before the rename."""
    fstab = tmp_path / "fstab"
    fstab.write_text(OLD)
    write = edited_file._write
    saved: list[Path] = []

    def write_late(path: Path, text: str, like: Path | None) -> None:
        write(path, text, like)
        if path.name.startswith(".fstab") and not saved:
            saved.append(path)
            fstab.write_text(f"{fstab.read_text()}UUID=def /home ext4 defaults 0 2\n")

    monkeypatch.setattr(edited_file, "_write", write_late)
    add_line(fstab, line_of(1, 1), kept_as(fstab, "run"))
    assert saved
    assert fstab.read_text() == f"{OLD}UUID=def /home ext4 defaults 0 2\n{line_of(1, 1).line}\n"


def test_concurrently_changed_line_is_unchanged(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(f"# one more line\n{OLD}")
    line = LineEdit(2, "UUID=abc / ext4 defaults 0 1", "UUID=abc / ext4 noatime 0 1")
    change = EditFstab(str(fstab), digest_of_text(OLD), (line,))
    with pytest.raises(Failed, match="was changed since"):
        states.write(change, RunningSystem(identity_of(drive()), (change,), run_name="run"), new=True)
    assert fstab.read_text() == f"# one more line\n{OLD}"
    assert not kept_as(fstab, "run").exists()


def test_constantly_changing_file_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(OLD)
    write, turns = edited_file._write, count()

    def write_late(path: Path, text: str, like: Path | None) -> None:
        write(path, text, like)
        fstab.write_text(f"# {next(turns)}\n{OLD}")

    monkeypatch.setattr(edited_file, "_write", write_late)
    with pytest.raises(Failed, match="repeatedly changes"):
        edit(fstab, lambda text: text + "more\n")
    assert fstab.read_text() == f"# {next(turns) - 1}\n{OLD}"
    assert not list(tmp_path.glob(".fstab*"))
