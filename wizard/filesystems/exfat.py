"""exFAT: mkfs.exfat(8), tune.exfat(8) and fsck.exfat(8) of exfatprogs; tried with 1.2.0."""

from wizard.filesystems import words
from wizard.filesystems.holding import FORBIDDEN, SECOND, Holds
from wizard.filesystems.kind import Argv, MadeKind, Relabelling, serial_of
from wizard.filesystems.partitions import BASIC_DATA_TYPE, NTFS_MBR_TYPE
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.said import Said, t
from wizard.model.units import MIB, TIB


def _commands(made: MakeFilesystem) -> tuple[Argv, ...]:
    return (
        ("mkfs.exfat", "-L", made.label, *made.options, made.device),
        ("tune.exfat", "-I", f"0x{serial_of(made.uuid)}", made.device),
    )


def _label_fault(label: str) -> Said | None:
    # mkfs.exfat reads it by the locale, which is C here.
    return (
        None if label.isascii() else t("holds other characters than ASCII has, which mkfs.exfat is not given")
    )


KIND = MadeKind(
    name="exfat",
    title="exFAT",
    kernel_names=("exfat",),
    never_shrinks=True,
    tool="mkfs.exfat",
    commands=_commands,
    in_general=t(
        "It is for sharing with Windows, macOS and cameras: it has no journal, no owners and no permissions."
    ),
    minimum_bytes=8 * MIB,
    minimum_why=t("the first megabytes go to its records"),
    # 2^32 clusters of 128 KiB, which is what mkfs.exfat takes from 32 GiB on.
    maximum_bytes=512 * TIB,
    zones=words.NO_ZONES(title="exFAT"),
    label_bytes=11,
    fsck_pass=2,
    seconds=(1.0, 0.5, 1.0),
    clean_check=("fsck.exfat", "-n"),
    flags=frozenset({"-b", "-c", "--boundary-align", "--cluster-size"}),
    bare_flags=frozenset({"--pack-bitmap"}),
    label_fault=_label_fault,
    serial_digits=8,
    uuid_follows=True,
    gpt_type=BASIC_DATA_TYPE,
    mbr_type=NTFS_MBR_TYPE,
    also=("tune.exfat",),
    relabelling=Relabelling(command=lambda device, _place, label: ("tune.exfat", "-L", label, device)),
    holds=Holds(
        owners=False,
        links=False,
        attributes=(),
        flags=0,
        grain=2 * SECOND,
        since=315532800,
        holes=False,
        forbidden=FORBIDDEN,
        ends_plainly=True,
        folds_case=True,
    ),
)
