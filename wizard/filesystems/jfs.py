"""JFS: jfs_mkfs(8), jfs_tune(8) and jfs_fsck(8) of jfsutils; tried with 1.1.15, its last version, of 2011."""

from wizard.filesystems import words
from wizard.filesystems.kind import Argv, MadeKind, Relabelling
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.said import t
from wizard.model.units import MIB, TIB


def _commands(made: MakeFilesystem) -> tuple[Argv, ...]:
    # -q leaves out the question whether it is really meant; it still refuses a device that is mounted.
    return (
        ("mkfs.jfs", "-q", "-L", made.label, *made.options, made.device),
        ("jfs_tune", "-U", made.uuid, made.device),
    )


KIND = MadeKind(
    name="jfs",
    title="JFS",
    kernel_names=("jfs",),
    never_shrinks=True,
    tool="mkfs.jfs",
    commands=_commands,
    in_general=t(
        "It asks little of a processor, but hardly anybody works on it: its programs "
        "are of 2011. ext4 does all that it does."
    ),
    minimum_bytes=16 * MIB,
    minimum_why=t("mkfs.jfs makes none that is smaller"),
    maximum_bytes=32 * 1024 * TIB,
    zones=words.NO_ZONES(title="JFS"),
    label_bytes=16,
    # Its journal is played back by fsck.jfs alone: without that it is mounted read-only after a power cut.
    fsck_pass=2,
    seconds=(1.0, 2.0, 10.0),
    clean_check=("jfs_fsck", "-n", "-f"),
    flags=frozenset({"-s"}),
    uuid_follows=True,
    also=("jfs_tune",),
    relabelling=Relabelling(command=lambda device, _place, label: ("jfs_tune", "-L", label, device)),
)
