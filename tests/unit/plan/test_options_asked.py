"""Options requested by id: added, replaced and refused, with the danger stated in the plan."""

import json
import re
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.earlier import sealed
from tests.planned import plan_requested
from tests.unit.machines import drive, machine
from tests.unit.plan.layouts import EVERYTHING, UUIDS
from wizard.advice.catalogue import load_catalogue
from wizard.advice.ranking import advise, site_of
from wizard.advice.request import Taken, mkfs_words, take_options
from wizard.advice.workloads import find_workload
from wizard.cli.main import main
from wizard.documents import profiles
from wizard.filesystems.registry import MADE
from wizard.model.drive_facts import Discard, Zones
from wizard.model.ensure import WantedVolume
from wizard.model.errors import BadInput, ExitCode, Refused
from wizard.model.finding import Recorded, Recording
from wizard.model.layout import Stripe
from wizard.model.machine import Drive, Kernel
from wizard.model.said import GIB, MIB
from wizard.operations.rules import DANGERS
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Arrangement, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec

UNKNOWN = Recording("unknown", None, Recorded.UNKNOWN, "low")
NO_JOURNAL = "a crash can lose whole directories"
BARRIER = "a power cut can destroy this filesystem"
MACHINE = str(Path(__file__).parents[2] / "machines/control.json")


def take(
    filesystem: str,
    *names: str,
    phrases: tuple[str, ...] = (),
    workload: str = "large-media",
    on: Drive | None = None,
    kernel: str = "6.12.0",
) -> Taken:
    held = on or drive()
    of = machine(held, kernel=Kernel(kernel, frozenset({"ext4", "xfs", "btrfs"})))
    profile = find_workload(workload)
    choice = advise(of, held, UNKNOWN, profile).choice(filesystem)
    assert choice is not None
    return take_options(
        choice, names, phrases, site_of(of, held, UNKNOWN, profile, None), load_catalogue(), workload
    )


def texts(taken: Taken) -> tuple[list[str], list[str]]:
    return [option.text for option in taken.choice.mkfs], [option.text for option in taken.choice.mount]


def test_harmless_option_joins_the_recommended_ones() -> None:
    mkfs, mount = texts(take("ext4"))
    taken = take("ext4", "ext4-errors-remount-ro", "ext4-quota")
    assert texts(taken) == ([*mkfs, "-O quota"], [*mount, "errors=remount-ro"])
    assert not taken.doubts


def test_recommended_option_yields_to_the_requested_one() -> None:
    assert "compress=zstd:1" in texts(take("btrfs", workload="desktop-root"))[1]
    _, mount = texts(take("btrfs", "btrfs-compress-lzo", workload="desktop-root"))
    assert "compress=lzo" in mount and "compress=zstd:1" not in mount and "noatime" in mount
    _, mount = texts(take("btrfs", "btrfs-compress-force-zstd-1", workload="desktop-root"))
    assert "compress-force=zstd:1" in mount and "compress=zstd:1" not in mount
    assert "-T largefile" in texts(take("ext4"))[0]
    mkfs, _ = texts(take("ext4", "ext4-inode-per-8k"))
    assert "-i 8192" in mkfs and "-T largefile" not in mkfs


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Function that adds an mkfs option with id `mine` for a filesystem to the user's profiles."""
    monkeypatch.setattr(profiles, "profile_folders", lambda: (profiles.BUNDLED, tmp_path))
    (tmp_path / "options").mkdir()

    def put(filesystem: str, text: str) -> None:
        option = (
            f'[[options]]\nid = "mine"\nkind = "mkfs"\nfilesystems = ["{filesystem}"]\ntext = "{text}"\n'
            'why = "It is mine."\n'
        )
        (tmp_path / "options/mine.toml").write_text(option)

    return put


def test_zone_options_yield_on_other_drives(mine: Callable[[str, str], None]) -> None:
    mine("btrfs", "-m single")
    assert "-m dup" in texts(take("btrfs"))[0]
    assert [text for text in texts(take("btrfs", "mine"))[0] if text.startswith("-m")] == ["-m single"]


@pytest.mark.parametrize("text", ["-O ^quota", "-O quota=1"])
def test_one_list_has_no_conflicting_values(mine: Callable[[str, str], None], text: str) -> None:
    mine("ext4", text)
    with pytest.raises(BadInput, match="ext4-quota and mine cannot be combined"):
        take("ext4", "ext4-quota", "mine")


def test_lists_of_one_flag_are_written_as_one() -> None:
    words = mkfs_words(take("ext4", "ext4-quota", "ext4-large-dir").choice)
    assert "quota,large_dir" in words and words.count("-O") == 1
    assert "rmapbt=1,bigtime=1" in mkfs_words(take("xfs", "xfs-rmapbt", "xfs-bigtime").choice)


def test_present_option_is_not_duplicated() -> None:
    assert texts(take("ext4", "noatime", "noatime")) == texts(take("ext4"))


def test_option_against_advice_is_a_doubt() -> None:
    (doubt,) = take("ext4", "nodiratime").doubts
    assert str(doubt).startswith(
        "The volume for large-media uses nodiratime, as requested but not recommended. noatime"
    )


@pytest.mark.parametrize(
    ("filesystem", "name", "error", "says"),
    [
        ("ext4", "no-such", BadInput, "Unknown option 'no-such'"),
        ("ext4", "\x1b[2J", BadInput, r"Unknown option '\\x1b\[2J'"),
        ("xfs", "ext4-quota", BadInput, "ext4-quota is for ext4, not for xfs"),
        ("ext4", "tune-ext4-reserve-1", BadInput, "Only mkfs and mount options"),
        ("ext4", "mq-deadline", BadInput, "Only mkfs and mount options"),
        ("ext4", "defaults", BadInput, "defaults is not needed"),
        ("ext4", "ext4-notail", Refused, "notail: This is an option of ReiserFS"),
        ("xfs", "xfs-nobarrier", Refused, "Removed from the kernel"),
        ("ext4", "ext4-largefile4", Refused, "Only for shingled drives"),
        ("btrfs", "btrfs-zoned", Refused, "Only for host-managed drives"),
        ("btrfs", "btrfs-discard-async", Refused, "Only for drives that support discard"),
    ],
)
def test_unavailable_option_gives_the_reason(
    filesystem: str, name: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        take(filesystem, name)


def test_missing_kernel_support_is_a_reason() -> None:
    with pytest.raises(Refused, match=r"Requires kernel 5\.5 or later; running 5\.4\.0"):
        take("btrfs", "btrfs-csum-xxhash", kernel="5.4.0")
    assert "--csum xxhash" in texts(take("btrfs", "btrfs-csum-xxhash"))[0]


@pytest.mark.parametrize(
    ("names", "phrases"),
    [
        (
            ("ext4-no-journal", "ext4-data-writeback"),
            (NO_JOURNAL, "after a crash files can show deleted data of others"),
        ),
        (
            ("ext4-data-writeback", "ext4-no-journal"),
            (NO_JOURNAL, "after a crash files can show deleted data of others"),
        ),
        (("ext4-no-journal", "ext4-commit-30"), (NO_JOURNAL,)),
        (("ext4-no-journal", "ext4-fast-commit"), (NO_JOURNAL,)),
        (("ext4-inode-per-8k", "ext4-largefile"), ()),
        (("ext4-barrier-0", "ext4-no-journal", "ext4-data-err-abort"), (BARRIER, NO_JOURNAL)),
    ],
)
def test_options_that_exclude_each_other(names: tuple[str, ...], phrases: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="cannot be combined"):
        take("ext4", *names, phrases=phrases)


def test_option_required_by_the_drive_does_not_yield() -> None:
    zones = Zones(2 * GIB, 900, 0, 1077 * MIB, 14, 14, takes_partitions=False)
    zoned = drive(zoned="host-managed", zones=zones)
    assert {"-O zoned", "-m dup"} <= set(texts(take("btrfs", on=zoned))[0])
    with pytest.raises(BadInput, match="conflicts with -m dup, which the drive needs"):
        take("btrfs", "btrfs-zoned-metadata-once", on=zoned)
    with pytest.raises(Refused, match="Not suitable for host-managed drives"):
        take("btrfs", "btrfs-data-twice", on=zoned)


def test_danger_is_refused_until_typed_back() -> None:
    with pytest.raises(Refused, match=f'Without a journal every crash.*--danger "{NO_JOURNAL}"'):
        take("ext4", "ext4-no-journal")
    for almost in (NO_JOURNAL.upper(), NO_JOURNAL + ".", BARRIER, "yes", ""):
        with pytest.raises(Refused, match="add exactly: --danger"):
            take("ext4", "ext4-no-journal", phrases=(almost,))
    taken = take("ext4", "ext4-no-journal", phrases=(NO_JOURNAL,))
    assert "-O ^has_journal" in texts(taken)[0]
    (doubt,) = taken.doubts
    assert "you confirmed the danger. Without a journal" in str(doubt)


def test_every_supported_danger_is_available_except_for_a_system() -> None:
    discards = drive(rotational=False, discard=Discard(4096, 1 << 30))
    dangers = [option for option in load_catalogue().values() if option.phrase]
    assert len(dangers) > 5
    for option in dangers:
        for filesystem in set(option.filesystems) & {"ext4", "xfs", "btrfs"}:
            taken = take(filesystem, option.id, phrases=(option.phrase.english,), on=discards)
            assert option.text in [*texts(taken)[0], *texts(taken)[1]] and len(taken.doubts) == 1
            with pytest.raises(Refused, match="is not allowed on a system volume"):
                take(
                    filesystem,
                    option.id,
                    phrases=(option.phrase.english,),
                    workload="desktop-root",
                    on=discards,
                )


def plan(*words: str, output: Path) -> tuple[int, Plan | None]:
    code = main(["plan", "/dev/sdb", "--machine", MACHINE, "-o", str(output), *words])
    return code, PLANS.read(output.read_text(), "it") if output.exists() else None


def test_plan_has_the_option_and_repeats_its_danger(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--workload", "large-media", "--fs", "ext4", "--option", "ext4-no-journal")
    code, made = plan(*words, output=tmp_path / "plan.json")
    assert code == ExitCode.REFUSED and made is None
    assert f'--danger "{NO_JOURNAL}"' in capsys.readouterr().err
    code, made = plan(*words, "--danger", NO_JOURNAL, output=tmp_path / "plan.json")
    assert code == ExitCode.DONE and made is not None
    assert "^has_journal" in made.volumes[0].mkfs_options
    assert any("can lose whole directories" in doubt for doubt in map(str, made.doubts))
    assert "can lose whole directories" in " ".join(capsys.readouterr().err.split())
    assert main(["show", str(tmp_path / "plan.json")]) == ExitCode.DONE
    assert "can lose whole directories" in " ".join(capsys.readouterr().out.split())


def test_each_volume_has_its_own_options(tmp_path: Path) -> None:
    first = "workload=large-media,fs=ext4,size=200M,option=ext4-errors-remount-ro,option=ext4-barrier-0"
    second = "workload=small-files,fs=ext4,label=second"
    code, made = plan(
        "--volume", first, "--volume", second, "--danger", BARRIER, output=tmp_path / "plan.json"
    )
    assert code == ExitCode.DONE and made is not None
    one, two = made.volumes
    assert {"errors=remount-ro", "nobarrier"} <= set(one.mount_options) and not {
        "errors=remount-ro",
        "nobarrier",
    } & set(two.mount_options)
    assert sum("nobarrier" in doubt for doubt in map(str, made.doubts)) == 1


def test_plan_that_hides_a_danger_is_refused(tmp_path: Path) -> None:
    words = (
        "--workload",
        "large-media",
        "--fs",
        "ext4",
        "--option",
        "ext4-no-journal",
        "--option",
        "ext4-barrier-0",
    )
    _, made = plan(*words, "--danger", NO_JOURNAL, "--danger", BARRIER, output=tmp_path / "plan.json")
    assert made is not None
    PLANS.check(made)
    for silent in ("^has_journal", "nobarrier"):
        doubts = tuple(doubt for doubt in made.doubts if silent not in str(doubt))
        assert len(doubts) == len(made.doubts) - 1
        with pytest.raises(BadInput, match=rf"invalid {re.escape(silent)}\."):
            PLANS.check(replace(made, doubts=doubts))
    # Version 1.0 stored codes instead of texts.
    body = json.loads(PLANS.render(made))
    del body["schema"], body["digest"]
    for doubt in body["doubts"]:
        kind = {"-O ^has_journal": "made", "nobarrier": "mounted"}.get(doubt["values"].get("option"))
        if kind and doubt.pop("english"):
            doubt["code"] = f"advise.options.{kind}-dangerous"
    assert str(body).count("-dangerous") == 2
    PLANS.read_kept(sealed(body, PLANS.schema), "plan.json")


def test_plan_check_knows_every_danger_of_the_catalogue() -> None:
    catalogued: dict[str, set[str]] = {}
    for option in load_catalogue().values():
        # A plan can be applied under a kernel that still takes what today's no longer does.
        for filesystem in (
            MADE.keys() & option.filesystems if option.phrase or (option.danger and option.until) else ()
        ):
            catalogued.setdefault(filesystem, set()).update(
                text.split(" ")[-1] for text in (option.text, *option.also)
            )
    assert catalogued == DANGERS


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("--workload", "large-media", "--danger", NO_JOURNAL),
            "None of the requested options has the danger",
        ),
        (
            ("--workload", "large-media", "--option", "noatime", "--danger", "yes"),
            "None of the requested options has the danger 'yes'",
        ),
        (("--volume", "workload=large-media", "--option", "noatime"), "--option requires --workload"),
        (("--volume", "workload=large-media,option=nothing"), "Unknown option 'nothing'"),
    ],
)
def test_option_in_the_wrong_place(
    words: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, made = plan(*words, output=tmp_path / "plan.json")
    assert code == ExitCode.USAGE and made is None
    assert says in capsys.readouterr().err


def test_stripe_accepts_options_too() -> None:
    drives = (drive(), drive(path="/dev/sdb", serial="S2", wwn="naa.5000000000000002"))
    of = machine(*drives, tools=EVERYTHING)
    wanted = NewVolumes((), arrangement=Arrangement(stripe=Stripe("md")))
    asked = WantedVolume("large-media", fs="ext4", option=("ext4-no-journal",))
    with pytest.raises(Refused, match="add exactly: --danger"):
        plan_requested(of, drives, wanted, [asked])
    plan = plan_requested(of, drives, wanted, [asked], phrases=(NO_JOURNAL,))
    assert "^has_journal" in plan.volumes[0].mkfs_options


@pytest.mark.parametrize("role", ["root", "boot"])
def test_system_volume_gets_no_danger_for_any_workload(role: str, capsys: pytest.CaptureFixture[str]) -> None:
    volume = f"workload=large-media,fs=ext4,option=ext4-no-journal,role={role}"
    assert (
        main(["plan", "/dev/sdb", "--machine", MACHINE, "--volume", volume, "--danger", NO_JOURNAL])
        is ExitCode.REFUSED
    )
    assert "is not allowed on a system volume" in " ".join(capsys.readouterr().err.split())


def test_accepted_danger_is_dropped_for_a_system_role() -> None:
    taken = take("ext4", "ext4-no-journal", phrases=(NO_JOURNAL,))
    spec = VolumeSpec(taken.choice, find_workload("large-media").workload, None, None, None, taken.doubts)
    plan = make_plan(machine(), (drive(),), NewVolumes((spec,)), cycle(UUIDS).__next__)
    PLANS.check(plan)
    with pytest.raises(BadInput, match="is not allowed on a system volume"):
        make_plan(machine(), (drive(),), NewVolumes((replace(spec, role="root"),)), cycle(UUIDS).__next__)
    with pytest.raises(BadInput, match=r"is inconsistent: invalid \^has_journal"):
        PLANS.check(replace(plan, volumes=(replace(plan.volumes[0], role="root"),)))
