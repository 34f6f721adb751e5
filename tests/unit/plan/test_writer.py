"""Write access to a volume, and the default mount point."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive
from tests.unit.plan.layouts import plan_for, plan_page, spec
from wizard.apply.plan.run_summary import headline, results
from wizard.apply.run.journal import RunState
from wizard.apply.system.mounts import taken_places, usual_places
from wizard.model.errors import BadInput
from wizard.model.layout import EVERYONE, NO_PLACE, ROOT, Subvolume, Writer
from wizard.model.said import GIB, joined
from wizard.operations.filesystem import SetOwner
from wizard.operations.mounts import AddFstabLine, Mount
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.request.using import Usual, free_place, owner_options, with_usual_place
from wizard.plan.request.volume_request import VolumeSpec, parse_volume
from wizard.probe.host import environment

ANNA = Writer("person", "anna", 1000, 1001)
FAMILY = Writer("group", "family", 0, 2000)
PLACE = "/srv/media"


def for_writer(writer: Writer, filesystem: str = "ext4", place: str | None = PLACE) -> Plan:
    return plan_for(drive(), replace(spec(filesystem, mount_point=place), writer=writer))


def commands(plan: Plan) -> list[tuple[str, ...]]:
    return [argv for step in plan.steps for argv in step.commands]


def given(plan: Plan) -> list[tuple[str, ...]]:
    return [argv for argv in commands(plan) if argv[0] in ("chown", "chmod")]


@pytest.mark.parametrize(
    ("writer", "filesystem", "wanted"),
    [
        (ANNA, "xfs", [("chown", "1000:1001"), ("chmod", "0755")]),
        (ANNA, "f2fs", [("chown", "1000:1001"), ("chmod", "0755")]),
        (FAMILY, "ext4", [("chown", "0:2000"), ("chmod", "2775")]),
        (EVERYONE, "btrfs", [("chown", "0:0"), ("chmod", "1777")]),
        (ROOT, "xfs", []),
        (ANNA, "exfat", []),
    ],
)
def test_top_folder_is_given_to_the_writer(
    writer: Writer, filesystem: str, wanted: Sequence[tuple[str, ...]]
) -> None:
    plan = for_writer(writer, filesystem)
    assert [argv[:2] for argv in given(plan)] == wanted
    kinds = [step.operation.kind for step in plan.steps]
    assert ("set-owner" in kinds) == bool(wanted)
    if wanted:
        assert kinds.index("make-filesystem") < kinds.index("set-owner") < kinds.index("add-fstab-line")


def test_mke2fs_sets_the_owner_itself() -> None:
    plan = for_writer(ANNA)
    (made,) = [argv for argv in commands(plan) if argv[0] == "mkfs.ext4"]
    assert "root_owner=1000:1001" in made[made.index("-E") + 1].split(",")
    assert not given(plan)
    (other,) = [argv for argv in commands(for_writer(FAMILY)) if argv[0] == "mkfs.ext4"]
    assert "root_owner" not in " ".join(other)


def test_inspection_mount_disables_background_writes() -> None:
    mounts = [argv for argv in commands(for_writer(EVERYONE)) if argv[0] == "mount"]
    assert "noinit_itable" in mounts[0][mounts[0].index("-o") + 1]
    assert "noinit_itable" not in " ".join(mounts[-1])


def test_every_subvolume_is_given_too() -> None:
    asked = replace(
        spec("btrfs"), subvolumes=(Subvolume("@", "/srv/a"), Subvolume("@/in", None)), writer=ANNA
    )
    plan = plan_for(drive(), asked)
    (operation,) = [step.operation for step in plan.steps if isinstance(step.operation, SetOwner)]
    assert operation.names == ("@", "@/in")
    assert [argv[2:] for argv in given(plan)] == [
        tuple(f"/run/diskwright/{operation.uuid}{name}" for name in ("", "/@", "/@/in"))
    ] * 2


@pytest.mark.parametrize("filesystem", ["vfat", "exfat", "ntfs"])
@pytest.mark.parametrize(
    ("writer", "wanted"),
    [
        (ANNA, {"uid=1000", "gid=1001", "fmask=0022", "dmask=0022"}),
        (FAMILY, {"gid=2000", "fmask=0002", "dmask=0002"}),
        (EVERYONE, {"fmask=0000", "dmask=0000"}),
        (ROOT, set()),
    ],
)
def test_filesystem_without_owners_is_mounted_for_the_writer(
    writer: Writer, filesystem: str, wanted: set[str]
) -> None:
    operations = [step.operation for step in for_writer(writer, filesystem).steps]
    for operation in operations:
        if isinstance(operation, AddFstabLine | Mount):
            assert {one for one in operation.options if one != "nofail"} == {"noatime", *wanted}


def test_other_requested_options_are_preserved() -> None:
    plan = for_writer(ANNA, "vfat")
    asked = replace(plan.volumes[0], mount_options=("noatime", "dmask=0000", "uid=7"))
    assert owner_options(asked.filesystem, asked.writer, asked.mount_options) == ("gid=1001", "fmask=0022")


def test_plan_names_the_writer_and_is_read_back() -> None:
    plan = for_writer(FAMILY, "xfs")
    text = PLANS.render(plan)
    assert PLANS.read(text, "it") == plan
    assert "Writable by the group family." in "\n".join(plan_page(plan, 100))
    assert any("the group family" in step.sentence for step in plan.steps)


def test_root_writer_is_omitted_so_old_plans_are_read() -> None:
    assert '"writer"' not in PLANS.render(for_writer(ROOT))


@pytest.mark.parametrize(
    "forged",
    [
        Writer("person", "anna", 0, 0),
        Writer("person", "", 1000, 1000),
        Writer("person", "anna\n", 1000, 1000),
        Writer("person", "anna", 2**32 - 1, 0),
        Writer("group", "family", 5, 2000),
        Writer("group", "wheel", 0, 0),
        Writer("everyone", "anna", 1000, 0),
        Writer("root", "", 1000, 1000),
    ],
)
def test_forged_writer_is_refused(forged: Writer) -> None:
    """Neither with matching steps nor with the steps of another writer."""
    plan = for_writer(ANNA, "xfs")
    PLANS.check(plan)
    with pytest.raises(BadInput, match=r"volumes\.1\.writer"):
        PLANS.check(for_writer(forged, "xfs"))
    with pytest.raises(BadInput, match="invalid steps"):
        PLANS.check(replace(plan, volumes=(replace(plan.volumes[0], writer=FAMILY),)))
    system = for_writer(ANNA, "xfs")
    with pytest.raises(BadInput, match=r"volumes\.1\.writer"):
        PLANS.check(replace(system, volumes=(replace(system.volumes[0], role="home"),)))


def test_system_volumes_are_given_to_no_user() -> None:
    asked = replace(spec("ext4", size_bytes=GIB), role="home", writer=ANNA)
    assert plan_for(drive(), asked).volumes[0].writer == ROOT
    swap = replace(spec("swap", mount_point=NO_PLACE), writer=ANNA)
    assert plan_for(drive(), swap).volumes[0].writer == ROOT
    with pytest.raises(BadInput, match="Omit writable="):
        with_usual_place(replace(spec("ext4"), role="home"), drive(), Usual(), writer=ANNA)


@pytest.mark.parametrize(
    ("sudo", "pkexec", "login", "own", "wanted"),
    [
        ("1", "2", "2", 2, "daemon"),
        (None, "1", "2", 2, "daemon"),
        (None, None, "1", 2, "daemon"),
        (None, None, "4294967295", 1, "daemon"),
        (None, None, None, 1, "daemon"),
        ("4242424", "1", None, 0, "daemon"),
        ("x", None, "1", 0, "daemon"),
        ("0", "1", "1", 1, ""),
        (None, None, "4294967295", 0, ""),
    ],
)
def test_caller_is_determined(
    sudo: str | None,
    pkexec: str | None,
    login: str | None,
    own: int,
    wanted: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """User who requested root, else login user, else user of the process, skipping nobody and unknown
    users."""
    for name, value in (("SUDO_UID", sudo), ("PKEXEC_UID", pkexec)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    told = tmp_path / "loginuid"
    if login is not None:
        told.write_text(login)
    monkeypatch.setattr(environment, "LOGIN_UID", told)
    monkeypatch.setattr("os.getuid", lambda: own)
    assert environment.caller() == (Writer("person", "daemon", 1, 1) if wanted else ROOT)


def test_writer_is_resolved_by_name() -> None:
    assert environment.writer_named("daemon") == Writer("person", "daemon", 1, 1)
    assert environment.writer_named("group:daemon") == Writer("group", "daemon", 0, 1)
    assert environment.writer_named("everyone") == EVERYONE
    assert environment.writer_named("root") == environment.writer_named("group:root") == ROOT
    with pytest.raises(BadInput, match="'nobody-here' is no user"):
        environment.writer_named("nobody-here")
    with pytest.raises(BadInput, match="'group:nobody-here' is no user or group"):
        environment.writer_named("group:nobody-here")


def test_command_line_names_writer_and_mount_point() -> None:
    asked = parse_volume("workload=large-media,writable=group:family,mount=none")
    assert (asked.writable, asked.mount) == ("group:family", NO_PLACE)


USUAL = Usual(ANNA, "/srv", frozenset({"/srv/taken", "/srv/above/below"}))


def used(asked: VolumeSpec) -> tuple[str | None, Writer]:
    done = with_usual_place(asked, drive(), USUAL)
    return done.mount_point, done.writer


def test_data_is_mounted_for_the_caller() -> None:
    assert used(spec("ext4")) == ("/srv/media", ANNA)
    assert used(spec("ext4", label="taken")) == ("/srv/taken-2", ANNA)
    assert used(spec("ext4", label="above")) == ("/srv/above-2", ANNA)
    assert used(spec("ext4", label="..")) == ("/srv/data", ANNA)


def test_system_volume_is_unchanged() -> None:
    plain = spec("ext4")
    systems = replace(plain, workload=replace(plain.workload, id="desktop-root"))
    assert used(replace(plain, role="root")) == (None, ROOT)
    assert used(systems) == (None, ROOT)
    assert used(spec("swap")) == (None, ROOT)


def test_shared_stick_is_left_to_the_desktop_by_default() -> None:
    on = replace(drive(), removable=True)
    assert with_usual_place(spec("exfat"), on, USUAL).mount_point is None
    assert with_usual_place(spec("exfat"), replace(drive(), bus="usb"), USUAL).mount_point is None
    portable = replace(spec("ext4"), workload=replace(spec("ext4").workload, id="portable"))
    assert with_usual_place(portable, on, USUAL).mount_point is None
    assert with_usual_place(portable, drive(), USUAL).mount_point == "/srv/media"
    assert with_usual_place(spec("ext4"), on, USUAL).mount_point == "/srv/media"
    assert with_usual_place(spec("exfat"), on, USUAL, writer=FAMILY).mount_point is not None
    assert with_usual_place(spec("exfat", mount_point="/mnt/x"), on, USUAL).mount_point == "/mnt/x"


def test_explicit_settings_are_followed() -> None:
    asked = with_usual_place(spec("ext4", mount_point=NO_PLACE), drive(), USUAL, writer=EVERYONE)
    assert (asked.mount_point, asked.writer) == (None, EVERYONE)
    asked = with_usual_place(spec("ext4", mount_point="/mnt/x"), drive(), USUAL)
    assert (asked.mount_point, asked.writer) == ("/mnt/x", ANNA)
    swap = with_usual_place(spec("swap", mount_point=NO_PLACE), drive(), USUAL)
    assert swap.mount_point == NO_PLACE


def test_subvolumes_with_a_mount_point_replace_it() -> None:
    parts = (Subvolume("@", "/srv/a"), Subvolume("@home"))
    asked = with_usual_place(replace(spec("btrfs"), subvolumes=parts), drive(), USUAL)
    assert (asked.mount_point, asked.writer) == (None, ANNA)
    asked = with_usual_place(replace(spec("btrfs"), subvolumes=parts[1:]), drive(), USUAL)
    assert asked.mount_point == "/srv/media"


def test_each_of_several_volumes_has_its_own_mount_point() -> None:
    first = with_usual_place(spec("ext4", size_bytes=GIB), drive(), USUAL)
    second = with_usual_place(spec("ext4"), drive(), USUAL, (first,))
    assert (first.mount_point, second.mount_point) == ("/srv/media", "/srv/media2")
    plan_for(drive(), first, second)


def test_free_mount_point_is_separate_from_others() -> None:
    assert free_place("/srv", "a", {"/srv/ab", "/srv", "/"}) == "/srv/a"
    assert free_place("/srv", "a", {"/srv/a/b", "/srv/a-2"}) == "/srv/a-3"


def test_mounted_listed_or_non_empty_mount_point_is_taken(tmp_path: Path) -> None:
    places, fstab = tmp_path / "srv", tmp_path / "fstab"
    for name in ("empty", "full/file"):
        (places / name).mkdir(parents=True)
    (places / "file").touch()
    (places / "link").symlink_to(places / "empty")
    fstab.write_text("UUID=1 /srv/listed ext4 defaults 0 2\n")
    found = taken_places(str(places), fstab)
    assert {one for one in found if one.startswith(str(tmp_path))} == {
        str(places / name) for name in ("full", "file", "link")
    }
    assert {"/srv/listed", "/proc"} <= found
    fstab.write_text("no line that can be read\n")
    assert "/proc" in taken_places(str(tmp_path / "nowhere"), fstab)


def test_link_is_followed_to_the_mount_point_of_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some systems link /srv to a folder in /var."""
    (tmp_path / "var").mkdir()
    (tmp_path / "srv").symlink_to(tmp_path / "var")
    monkeypatch.setenv("DISKWRIGHT_PLACES", str(tmp_path / "srv"))
    assert usual_places() == str(tmp_path / "var")
    monkeypatch.delenv("DISKWRIGHT_PLACES")
    assert usual_places() == str(Path("/srv").resolve())


@pytest.mark.parametrize("state", [RunState.DONE, RunState.KEPT])
def test_result_starts_with_size_mount_point_and_writer(state: RunState) -> None:
    plan = for_writer(ANNA)
    assert joined(results(plan, state)).startswith("500 GB ready at /srv/media, writable by anna. ")
    assert "writable by root only." in joined(headline(for_writer(ROOT), state))
    unmounted = for_writer(ANNA, place=None)
    assert joined(headline(unmounted, state)) == f"500 GB ready on {unmounted.volumes[0].path}, not mounted."


def test_waiting_or_failed_result_is_not_called_ready() -> None:
    plan = for_writer(ANNA)
    waiting = "Done, not in use yet: keep or undo the result."
    assert joined(results(plan, RunState.WAITING)) == waiting
    for state in (RunState.FAILED, RunState.UNDONE, RunState.INTERRUPTED):
        assert headline(plan, state) == () and "ready" not in joined(results(plan, state))


def test_several_results_are_listed_one_by_one() -> None:
    parts = (Subvolume("@", "/srv/a"), Subvolume("@home", "/srv/a/home"))
    plan = plan_for(
        drive(),
        replace(spec("btrfs", size_bytes=100 * GIB), subvolumes=parts, writer=FAMILY),
        spec("swap", size_bytes=GIB, mount_point=NO_PLACE),
    )
    assert joined(headline(plan, RunState.DONE)) == (
        "107 GB ready at /srv/a and /srv/a/home, writable by the group family."
    )
    swaps = plan_for(drive(), spec("swap", size_bytes=GIB), spec("ext4", size_bytes=GIB))
    assert joined(headline(swaps, RunState.DONE)).endswith(", not mounted.")


def test_unwritable_fstab_prevents_mounting_with_a_message() -> None:
    fixed = Usual(ANNA, fixed="/etc/fstab")
    used = with_usual_place(spec("ext4"), drive(), fixed)
    assert used.mount_point is None and used.writer == ANNA
    assert any("Cannot write /etc/fstab here" in doubt for doubt in map(str, used.doubts))
    named = with_usual_place(spec("ext4", mount_point="/srv/films"), drive(), fixed)
    assert named.mount_point == "/srv/films"
