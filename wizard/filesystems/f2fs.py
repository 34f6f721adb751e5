"""F2FS: mkfs.f2fs(8), fsck.f2fs(8); the limits were tried with f2fs-tools 1.15."""

from wizard.filesystems.kind import Argv, MadeKind, Relabelling
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.said import t
from wizard.model.units import MIB, TIB


def _commands(made: MakeFilesystem) -> tuple[Argv, ...]:
    return (("mkfs.f2fs", "-q", "-f", "-U", made.uuid, "-l", made.label, *made.options, made.device),)


KIND = MadeKind(
    name="f2fs",
    title="F2FS",
    kernel_names=("f2fs",),
    tool="mkfs.f2fs",
    commands=_commands,
    discards=True,
    in_general=t(
        "It is made for flash behind simple controllers, as in phones, cards and "
        "sticks. Elsewhere ext4 and XFS are at home on more machines, and their "
        "repair has seen more."
    ),
    # mkfs.f2fs makes none below 56 MiB.
    minimum_bytes=128 * MIB,
    minimum_why=t("a smaller one would be mostly the reserve that its cleaner needs"),
    maximum_bytes=16 * TIB,
    zones=t(
        "diskwright does not set up F2FS on zones; what can live there says whether it can be made by hand"
    ),
    label_bytes=255,
    fsck_pass=2,
    seconds=(1.0, 0.5, 1.0),
    for_trial=lambda options: options if "-t" in options else (*options, "-t", "0"),
    # With --dry-run alone it says what it would repair, writes nothing, and tells by its status.
    clean_check=("fsck.f2fs", "--dry-run"),
    flags=frozenset({"-a", "-o", "-O", "-s", "-t", "-z"}),
    relabelling=Relabelling(command=lambda device, _place, label: ("f2fslabel", "--", device, label)),
)
