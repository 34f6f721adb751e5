"""NILFS2: mkfs.nilfs2(8) and nilfs-tune(8) of nilfs-utils; tried with 2.2.9."""

from wizard.filesystems import words
from wizard.filesystems.kind import Argv, MadeKind, Relabelling
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.said import t
from wizard.model.units import MIB, TIB


def _commands(made: MakeFilesystem) -> tuple[Argv, ...]:
    # -f writes over old marks without asking, and still refuses a device that is mounted.
    return (
        ("mkfs.nilfs2", "-q", "-f", "-L", made.label, *made.options, made.device),
        ("nilfs-tune", "-U", made.uuid, made.device),
    )


KIND = MadeKind(
    name="nilfs2",
    title="NILFS2",
    kernel_names=("nilfs2",),
    tool="mkfs.nilfs2",
    commands=_commands,
    discards=True,
    in_general=t(
        "It writes everything as one log and keeps its past states. A cleaner runs "
        "for that all the time. No program checks or repairs it."
    ),
    minimum_bytes=136 * MIB,
    minimum_why=t("mkfs.nilfs2 wants more than sixteen segments of 8 MiB"),
    maximum_bytes=8 * 1024 * 1024 * TIB - 1,
    zones=words.NO_ZONES(title="NILFS2"),
    label_bytes=80,
    fsck_pass=0,
    seconds=(1.0, 0.5, 1.0),
    # There is no program that does.
    clean_check=(),
    flags=frozenset({"-b", "-B", "-m", "-O"}),
    bare_flags=frozenset({"-K"}),
    for_trial=lambda options: options if "-K" in options else (*options, "-K"),
    uuid_follows=True,
    also=("nilfs-tune",),
    # It looks there for what is mounted, and ends where it is not.
    needs_files=(("/etc/mtab", t("`ln -s /proc/self/mounts /etc/mtab` makes it")),),
    relabelling=Relabelling(command=lambda device, _place, label: ("nilfs-tune", "-L", label, device)),
)
