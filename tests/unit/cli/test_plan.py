"""`plan` and `show` on a recorded machine, with valid and invalid files."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.plan.layouts import plan_for, spec
from tests.unit.plan.raid.stripes import numbered
from wizard.cli import main
from wizard.model.errors import BadInput, ExitCode
from wizard.model.machine import Drive, Machine, Use
from wizard.model.said import GIB, MIB
from wizard.plan.documents import PLANS

Seen = tuple[int, str, str]
Run = Callable[..., Seen]


@pytest.fixture
def plan_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Function that runs a command with the drive `on` and returns exit code, output and errors."""

    def run(on: Drive, *words: str, others: Sequence[Drive] = (), **changes: object) -> Seen:
        def found(devices: Sequence[str], recorded: str | None) -> tuple[Machine, tuple[Drive, ...]]:
            assert recorded is None
            known = {one.path: one for one in (on, *others)}
            if missing := [device for device in devices if device not in known]:
                raise BadInput(f"There is no device {missing[0]}.")
            return machine(*known.values(), **changes), tuple(known[device] for device in devices)

        monkeypatch.setattr("wizard.probe.machine.machine_and_drives", found)
        code = main.main(words)
        seen = capsys.readouterr()
        return code, seen.out, seen.err

    return run


def test_plan_goes_to_stdout_and_preview_to_stderr(plan_on: Run) -> None:
    code, out, err = plan_on(
        drive(), "plan", "/dev/sda", "--workload", "large-media", "--label", "films", "--mount", "/srv/films"
    )
    assert code == ExitCode.DONE
    plan = PLANS.read(out, "output")
    assert [(volume.filesystem, volume.label, volume.mount_point) for volume in plan.volumes] == [
        ("xfs", "films", "/srv/films")
    ]
    assert "Then: films xfs" in err and "--confirm S1" in err and "\x1b" not in err


def test_volumes_and_filesystems_can_be_named(plan_on: Run) -> None:
    first = "workload=large-media,size=100G,label=$(reboot),mount=/srv/a"
    code, out, _ = plan_on(
        drive(), "plan", "/dev/sda", "--volume", first, "--volume", "fs=btrfs,workload=small-files"
    )
    assert code == ExitCode.DONE
    plan = PLANS.read(out, "output")
    assert [(volume.filesystem, volume.label) for volume in plan.volumes] == [
        ("xfs", "$(reboot)"),
        ("btrfs", "smallfiles"),
    ]
    assert plan.after.partitions[0].size_bytes == 100 * GIB


def test_show_shows_the_output_of_plan(plan_on: Run, tmp_path: Path) -> None:
    file = tmp_path / "my plan.json"
    code, out, err = plan_on(drive(), "plan", "/dev/sda", "--workload", "small-files", "-o", str(file))
    assert (code, out) == (ExitCode.DONE, "")
    assert f"apply '{file}'" in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["my plan.json"]
    code, out, err = plan_on(drive(), "show", str(file))
    assert code == ExitCode.DONE and "mkfs.ext4 -q -F" in out and err == ""
    code, out, _ = plan_on(drive(), "show", str(file), "--json")
    shown = json.loads(out)
    assert code == ExitCode.DONE and shown["schema"] == "diskwright.plan-shown/2"
    commands = [command for step in shown["steps"] for command in step["commands"]]
    assert next(one for one in commands if "mkfs.ext4" in one)[:3] == ["mkfs.ext4", "-q", "-F"]
    assert shown["volumes"] == json.loads(file.read_text())["volumes"]


HOLDS = partitioned(partition(1, MIB, GIB, filesystem="ext4"))


@pytest.mark.parametrize(
    ("on", "words", "code", "says"),
    [
        (HOLDS, ("--workload", "large-media"), ExitCode.REFUSED, "--replace"),
        (
            partitioned(uses=(Use("mounted", "/dev/sda1", "/home"),)),
            ("--replace", "--workload", "large-media"),
            ExitCode.REFUSED,
            "/home",
        ),
        (drive(), ("--workload", "nope"), ExitCode.USAGE, "nope"),
        (drive(), ("--workload", "large-media", "--fs", "zfs"), ExitCode.USAGE, "'zfs'"),
        (drive(), ("--workload", "large-media", "--label", "\x1b[2J"), ExitCode.USAGE, "control characters"),
        (drive(), ("--workload", "large-media", "--label", "x" * 200), ExitCode.USAGE, "longer"),
        (drive(), ("--workload", "large-media", "--mount", "/etc"), ExitCode.USAGE, "running system"),
        (drive(), ("--volume", "workload=large-media,size=9T"), ExitCode.USAGE, "is available"),
        (
            drive(),
            ("--volume", "workload=large-media", "--label", "x"),
            ExitCode.USAGE,
            "--label requires --workload",
        ),
        (drive(), ("--workload", "large-media", "-o", "/dev/null"), ExitCode.USAGE, "is not a regular file"),
        (drive(), ("--workload", "large-media", "-o", "/"), ExitCode.USAGE, "is not a regular file"),
        (
            drive(),
            ("--workload", "large-media", "-o", "/nonexistent/x.json"),
            ExitCode.FAILED,
            "could not be written",
        ),
    ],
)
def test_impossible_plan_is_one_sentence_and_the_right_code(
    plan_on: Run, on: Drive, words: tuple[str, ...], code: int, says: str
) -> None:
    seen, out, err = plan_on(on, "plan", "/dev/sda", *words)
    assert (seen, out) == (code, "")
    assert err.startswith("diskwright: ") and says in err and err.count("\n") == 1 and err[:-1].isprintable()


@pytest.mark.parametrize("change", [("--delete",), ("--grow",), ("--shrink", "1G")])
def test_change_of_a_missing_partition_names_the_device(plan_on: Run, change: tuple[str, ...]) -> None:
    code, _, err = plan_on(drive(), "plan", "/dev/sda9", *change)
    assert code == ExitCode.USAGE and "There is no device /dev/sda9" in err
    code, _, err = plan_on(drive(), "plan", "/dev/sda", *change)
    assert code == ExitCode.USAGE and "requires one partition" in err


def test_each_filesystem_without_tools_has_a_line_with_its_package(plan_on: Run) -> None:
    words = ("plan", "/dev/sda", "--workload", "large-media")
    code, out, err = plan_on(drive(), *words, tools=(), family="debian")
    first, *lines = err.splitlines()
    assert (code, out) == (ExitCode.REFUSED, "") and first.endswith("can be created on /dev/sda:")
    assert lines[0] == "    xfs: mkfs.xfs is not installed. Install with `apt install xfsprogs`."
    assert max(map(len, lines)) < 110 and not any("mkswap" in line for line in lines)
    # A package does not help if the volume is too small.
    small = ("plan", "/dev/sda", "--volume", "workload=large-media,size=20M")
    _, _, err = plan_on(drive(), *small, tools=(), family="debian")
    assert "    xfs: Only 21.0 MB available." in err and "    ext4: mkfs.ext4 is not installed." in err


def test_plan_replaces_a_file_atomically(plan_on: Run, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text("old")
    link = tmp_path / "link.json"
    link.symlink_to(file)
    assert (
        plan_on(drive(), "plan", "/dev/sda", "--workload", "small-files", "-o", str(link))[0] == ExitCode.DONE
    )
    assert link.is_symlink() and PLANS.read(file.read_text(), "plan").volumes


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not a complete JSON"),
        (b"\xff\xfe\x00", "is not a diskwright document"),
        (PLANS.render(plan_for(drive(), spec("ext4"))).encode()[:900], "not a complete JSON"),
        (
            PLANS.render(plan_for(drive(), spec("ext4"))).replace("media", "medea").encode(),
            "changed or damaged",
        ),
        (b'{"schema": "diskwright.plan/9"}', "version 9"),
        (b'{"schema": "\\u001b[2J"}', "not a diskwright.plan"),
        (b"x" * 5_000_000, "too large"),
    ],
)
def test_show_refuses_an_incomplete_plan(plan_on: Run, tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(content)
    code, out, err = plan_on(drive(), "show", str(file))
    assert (code, out) == (ExitCode.USAGE, "")
    assert says in err and err.count("\n") == 1 and err[:-1].isprintable()


@pytest.mark.parametrize("name", ["/", "/nonexistent", "/dev/null", "a\0b", "x" * 5000])
def test_show_refuses_a_non_file(plan_on: Run, name: str) -> None:
    code, out, err = plan_on(drive(), "show", name)
    assert (code, out) == (ExitCode.USAGE, "")
    assert err.startswith("diskwright: ") and err[:-1].isprintable()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--mirror", "md", "--chunk", "64K"), "--chunk requires --stripe."),
        (("--mirror", "btrfs", "--metadata", "raid1"), "--metadata requires --stripe."),
        (("--chunk", "64K"), "--chunk requires --stripe."),
        (("--metadata", "raid1"), "--metadata requires --stripe."),
    ],
)
def test_striping_options_are_refused_without_a_suitable_stripe(
    words: tuple[str, ...], said: str, plan_on: Run
) -> None:
    first, second = numbered(2)
    found = plan_on(first, "plan", first.path, second.path, *words, "--workload", "nas", others=(second,))
    assert found[0] == ExitCode.USAGE and said in " ".join(found[2].split())
