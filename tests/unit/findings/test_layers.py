"""Alignment across layers: the sum of all offsets decides, and a filesystem's striping is compared with
the array's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.unit.findings.stacks import (
    ARRAY,
    CHUNK,
    SECRET,
    VOLUME,
    array,
    ext4,
    holding,
    luks,
    lvm,
    member,
    opened,
    volume,
    xfs,
)
from tests.unit.machines import E512, KN4, N512, drive, machine
from wizard.findings.diagnose import diagnose
from wizard.model.finding import Finding, Severity
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Layer, Signature, Striping, Table
from wizard.model.said import KIB, MIB

DANGER, WARNING, INFO, OK = Severity
OFFSET = Geometry(512, 4096, 3584, 4096, 0)
BOGUS = replace(E512, optimal_io_bytes=33553920)


def alignment(subject: Drive) -> list[Finding]:
    return [
        finding
        for finding in diagnose(machine(subject), subject, ()).findings
        if finding.code.startswith("alignment-")
    ]


def codes(subject: Drive) -> dict[str, Severity]:
    return {finding.code: finding.severity for finding in alignment(subject)}


def one(subject: Drive, code: str) -> Finding:
    (found,) = (finding for finding in alignment(subject) if finding.code == code)
    return found


@pytest.mark.parametrize("container", [luks, lvm, member])
def test_aligned_partition_with_aligned_content_shows_the_data_offset(container: type) -> None:
    found = one(holding(container(16 * MIB)), "alignment-ok")
    assert codes(holding(container(16 * MIB))) == {"alignment-ok": OK}
    assert str(17 * MIB) in str(found.sentence)


@pytest.mark.parametrize("container", [luks, lvm, member])
def test_aligned_partition_with_misaligned_content_is_a_danger(container: type) -> None:
    subject = holding(container(MIB + 512))
    found = one(subject, "alignment-inside")
    assert codes(subject) == {"alignment-inside": DANGER}
    assert found.subject == "/dev/sda1" and str(found.sentence).startswith("The data of ")
    assert (
        f"{MIB} (partition) + {MIB + 512}" in str(found.sentence)
        and str(2 * MIB + 512) in str(found.sentence)
        and "3584" in str(found.sentence)
    )
    assert any(word in str(found.advice) for word in ("cryptsetup", "pvcreate", "mdadm"))


@pytest.mark.parametrize("container", [luks, lvm, member])
def test_misaligned_partition_compensated_by_its_content_is_reported(container: type) -> None:
    subject = holding(container(MIB + 3072), start_bytes=34 * 512)
    assert codes(subject) == {"alignment-compensated": INFO}
    assert str(34 * 512 + MIB + 3072) in str(one(subject, "alignment-compensated").sentence)


@pytest.mark.parametrize("container", [luks, lvm, member])
def test_misaligned_partition_not_compensated_is_one_danger(container: type) -> None:
    assert codes(holding(container(16 * MIB), start_bytes=34 * 512)) == {"alignment-physical": DANGER}


def test_unread_container_does_not_change_the_verdict() -> None:
    assert codes(holding(luks(None), start_bytes=34 * 512)) == {"alignment-physical": DANGER}
    assert codes(holding(luks(None))) == {"alignment-ok": OK}


def test_jumpered_drive_is_aligned_if_the_sum_matches_its_offset() -> None:
    assert codes(holding(lvm(MIB), start_bytes=MIB + 3584, geometry=OFFSET)) == {"alignment-ok": OK}
    assert codes(holding(lvm(MIB + 3584), geometry=OFFSET)) == {"alignment-compensated": INFO}
    assert codes(holding(lvm(MIB + 3584), start_bytes=MIB + 3584, geometry=OFFSET)) == {
        "alignment-inside": DANGER
    }


def test_content_directly_on_a_jumpered_drive_is_misaligned() -> None:
    bare = drive(geometry=OFFSET, signatures=(lvm(MIB),), table=Table("none"))
    assert codes(bare) == {"alignment-physical": DANGER}
    assert codes(replace(bare, signatures=(lvm(MIB + 3584),))) == {"alignment-compensated": INFO}
    assert codes(replace(bare, geometry=E512)) == {"alignment-ok": OK}
    assert codes(replace(bare, geometry=E512, signatures=(lvm(MIB + 512),))) == {"alignment-inside": DANGER}


def test_drive_claiming_512_bytes_is_doubted_inside_and_outside() -> None:
    assert codes(holding(luks(2 * MIB + 512), geometry=N512)) == {"alignment-inside": WARNING}
    assert codes(holding(luks(2 * MIB), start_bytes=63 * 512, geometry=N512)) == {"alignment-4096": WARNING}
    assert codes(holding(luks(2 * MIB + 512), start_bytes=63 * 512, geometry=N512)) == {
        "alignment-compensated": INFO
    }


def test_layers_on_4096_byte_blocks_are_aligned() -> None:
    assert codes(holding(luks(16 * MIB), geometry=KN4)) == {"alignment-ok": OK}


def test_sum_includes_luks_on_lvm_on_md() -> None:
    stack = (
        array(1, 1, 2 * MIB, lvm(MIB + 512), striping=None, geometry=E512),
        volume(5 * MIB + 512, luks(16 * MIB), below=ARRAY),
        opened(16 * MIB, ext4(), below=VOLUME),
    )
    subject = holding(member(2 * MIB), layers=stack)
    assert codes(subject) == {"alignment-inside": DANGER}
    assert one(subject, "alignment-inside").subject == ARRAY
    mended = (*stack[:2], opened(16 * MIB + 3584, ext4(), below=VOLUME))
    subject = holding(member(2 * MIB), layers=mended)
    assert codes(subject) == {"alignment-ok": OK, "alignment-compensated": INFO}
    sum_words = (
        f"{MIB} (partition) + {2 * MIB} (md raid1) + {MIB + 512} (LVM) + {4 * MIB} (LVM) + {16 * MIB + 3584} "
        "(LUKS)"
    )
    assert sum_words in str(one(subject, "alignment-compensated").sentence)


def test_many_volumes_in_a_misaligned_data_area_are_one_danger() -> None:
    volumes = tuple(
        volume(MIB + 512 + number * 4 * MIB, path=f"/dev/mapper/vg-{number}") for number in range(5)
    )
    assert [finding.code for finding in alignment(holding(lvm(MIB + 512), layers=volumes))] == [
        "alignment-inside"
    ]


def test_open_layer_at_unknown_offset_is_judged_by_the_kernel() -> None:
    known = opened(None, ext4(), geometry=replace(E512, alignment_offset_bytes=512))
    assert codes(holding(luks(None), layers=(known,))) == {"alignment-inside": DANGER}
    sound = opened(None, ext4(), geometry=E512)
    assert codes(holding(luks(None), start_bytes=34 * 512, layers=(sound,))) == {
        "alignment-compensated": INFO
    }
    assert codes(holding(luks(None), start_bytes=34 * 512, layers=(opened(None, geometry=None),))) == {
        "alignment-physical": DANGER
    }


def test_misaligned_flag_of_the_kernel_is_no_offset() -> None:
    """The kernel reports -1 for misaligned, which is not a byte offset."""
    torn = opened(None, ext4(), geometry=replace(E512, alignment_offset_bytes=-1))
    assert codes(holding(luks(None), layers=(torn,))) == {"alignment-stack": DANGER, "alignment-ok": OK}
    (fine,) = (found for found in alignment(holding(luks(None), layers=(torn,))) if found.severity is OK)
    assert SECRET not in str(fine.sentence)


def test_stack_misaligned_for_the_kernel_is_named_by_its_own_node() -> None:
    subject = holding(
        member(MIB), layers=(array(0, 2, MIB, geometry=Geometry(512, 4096, -1, CHUNK, 2 * CHUNK)),)
    )
    assert (
        one(subject, "alignment-stack").subject == ARRAY
        and one(subject, "alignment-stack").severity is DANGER
    )


def test_kernel_alarm_from_a_bogus_number_is_no_danger() -> None:
    torn = volume(MIB, geometry=replace(BOGUS, alignment_offset_bytes=-1))
    subject = holding(lvm(MIB), layers=(torn,), geometry=BOGUS)
    assert codes(subject) == {"alignment-ok": OK, "alignment-stack": INFO}
    assert "33553920" in str(one(subject, "alignment-stack").why)


def test_content_visible_through_a_mirror_is_no_contradiction() -> None:
    """Erasing either signature would destroy the array or its filesystem."""

    def all_codes(subject: Drive) -> set[str]:
        return {finding.code for finding in diagnose(machine(subject), subject, ()).findings}

    assert "signatures-ambivalent" not in all_codes(holding(member(0), ext4()))
    assert "signatures-ambivalent" in all_codes(holding(member(MIB), ext4()))
    assert "signatures-ambivalent" in all_codes(holding(replace(member(0), ambivalent=True), ext4()))
    assert "signatures-beside-table" not in all_codes(holding(ext4(), signatures=(member(0),)))
    assert "signatures-beside-table" in all_codes(holding(ext4(), signatures=(member(MIB),)))
    assert "signatures-beside-table" not in all_codes(
        holding(ext4(), signatures=(Signature("isw_raid_member", "raid"),))
    )


def test_cyclic_graph_of_layers_ends() -> None:
    ring = (opened(MIB, below="/dev/sda1"), Layer("LVM", "/dev/sda1", SECRET, offset_bytes=MIB))
    assert codes(holding(luks(MIB), layers=ring))


def test_data_misaligned_to_array_chunks_is_a_warning_for_any_size() -> None:
    def on_array(chunk_bytes: int, data_bytes: int) -> dict[str, Severity]:
        layers = (
            array(0, 2, MIB, luks(data_bytes), chunk_bytes=chunk_bytes),
            opened(data_bytes, below=ARRAY),
        )
        return codes(holding(member(MIB), layers=layers))

    assert "alignment-chunk" not in on_array(CHUNK, 16 * MIB)
    assert on_array(CHUNK, 16 * MIB + 4096)["alignment-chunk"] is WARNING
    assert "alignment-chunk" not in on_array(3 * 64 * KIB, 3 * MIB)
    assert on_array(3 * 64 * KIB, 2 * MIB)["alignment-chunk"] is WARNING


def test_parity_arrays_count_full_stripes() -> None:
    def data_at(level: int) -> dict[str, Severity]:
        return codes(holding(member(MIB), layers=(array(level, 3, MIB, lvm(MIB)),)))

    assert data_at(5)["alignment-chunk"] is WARNING
    assert "alignment-chunk" not in data_at(0)


FITTING = Striping(CHUNK, 2 * CHUNK)


@pytest.mark.parametrize(
    ("filesystem", "level", "severity"),
    [
        (ext4(FITTING), 5, OK),
        (xfs(FITTING), 5, OK),
        (ext4(), 5, WARNING),
        (ext4(), 0, INFO),
        (xfs(), 5, WARNING),
        (ext4(Striping(64 * KIB, 128 * KIB)), 0, WARNING),
        (ext4(Striping(CHUNK, 3 * CHUNK)), 0, WARNING),
        (xfs(Striping(64 * KIB, 128 * KIB)), 0, WARNING),
    ],
)
def test_filesystem_on_an_array_is_checked_against_it(
    filesystem: Signature, level: int, severity: Severity
) -> None:
    stripe = one(holding(member(MIB), layers=(array(level, 2, MIB, filesystem),)), "alignment-stripe")
    assert stripe.severity is severity and stripe.subject == ARRAY


def test_correct_numbers_are_shown_with_the_command() -> None:
    def remedy(filesystem: Signature) -> str:
        layers = (array(5, 2, MIB, filesystem),)
        return str(one(holding(member(MIB), layers=layers), "alignment-stripe").advice)

    assert f"tune2fs -E stride=128,stripe_width=256 {ARRAY}" in remedy(ext4())
    assert f"tune2fs -E stride=512,stripe_width=1024 {ARRAY}" in remedy(ext4(block_bytes=1024))
    assert "mount -o sunit=1024,swidth=2048" in remedy(xfs(Striping(CHUNK // 4, CHUNK)))
    assert f"su={CHUNK},sw=2" in remedy(xfs())
    assert f"su={CHUNK},sw=2" in remedy(xfs(Striping(96 * KIB, 192 * KIB)))
    thrice = holding(
        member(MIB), layers=(array(0, 2, MIB, xfs(Striping(64 * KIB, 128 * KIB)), chunk_bytes=192 * KIB),)
    )
    assert f"su={192 * KIB},sw=2" in str(one(thrice, "alignment-stripe").advice)


def test_filesystem_above_lvm_on_an_array_is_checked_against_it() -> None:
    sizes = Geometry(512, 4096, 0, CHUNK, 2 * CHUNK)
    layers = (array(0, 2, MIB, lvm(MIB)), volume(5 * MIB, ext4(FITTING), below=ARRAY, geometry=sizes))
    assert one(holding(member(MIB), layers=layers), "alignment-stripe").severity is OK


def test_striping_without_an_array_is_doubted_unless_the_drive_asks() -> None:
    assert one(holding(ext4(FITTING)), "alignment-stripe").severity is INFO
    wide = replace(E512, minimum_io_bytes=CHUNK, optimal_io_bytes=2 * CHUNK)
    assert "alignment-stripe" not in codes(holding(ext4(FITTING), geometry=wide))
    believed = one(holding(ext4(Striping(4096, 8191 * 4096)), geometry=BOGUS), "alignment-stripe")
    assert (
        believed.severity is WARNING
        and "33553920" in str(believed.sentence)
        and "stride=0,stripe_width=0" in str(believed.advice)
    )
    assert "alignment-stripe" not in codes(holding(ext4()))
    assert "alignment-stripe" not in codes(holding(ext4(Striping(4096, 4096), block_bytes=1024)))
    assert "alignment-stripe" not in codes(holding(member(0), ext4(FITTING)))


def test_bogus_number_is_reported_with_its_effect_on_tools() -> None:
    subject = drive(geometry=BOGUS)
    (found,) = (
        finding
        for finding in diagnose(machine(subject), subject, ()).findings
        if finding.code == "geometry-optimal-io-bogus"
    )
    for words in (
        "reports 1 MiB as not aligned",
        "LVM also uses",
        "sfdisk ignore",
    ):
        assert words in str(found.why)
    assert len(str(found.why)) < 400
    subject = drive(geometry=replace(N512, optimal_io_bytes=16776704))
    (found,) = (
        finding
        for finding in diagnose(machine(subject), subject, ()).findings
        if finding.code == "geometry-optimal-io-bogus"
    )
    assert "LVM also uses" in str(found.why) and "sfdisk" not in str(found.why)


@given(
    st.sampled_from([E512, OFFSET, Geometry(512, 4096, 0, 65536, 0)]),
    st.integers(1, 1 << 20),
    st.lists(st.integers(0, 1 << 20), min_size=1, max_size=3),
)
def test_verdict_is_the_kernel_formula_of_the_sum(geometry: Geometry, start: int, offsets: list[int]) -> None:
    """For any stack: danger exactly if the topmost data is misaligned."""
    below, layers = "/dev/sda1", []
    for number, offset in enumerate(offsets):
        layers.append(Layer("LUKS", f"/dev/mapper/{number}", below, offset_bytes=offset * 512, geometry=None))
        below = layers[-1].path
    subject = holding(start_bytes=start * 512, layers=tuple(layers), geometry=geometry)
    summed = (start + sum(offsets)) * 512
    assert (DANGER in codes(subject).values()) == (geometry.misalignment_bytes(summed) != 0)
