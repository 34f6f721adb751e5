"""Swap: mkswap(8), swapon(8), fstab(5). It is turned on instead of mounted."""

from wizard.filesystems.kind import LINUX_SWAP_TYPE, SWAP_MBR_TYPE, Argv, MadeKind, Relabelling
from wizard.model.operations import MakeFilesystem
from wizard.model.said import MIB, TIB, t


def _commands(made: MakeFilesystem) -> tuple[Argv, ...]:
    # Without -f it refuses a device that is mounted or swapped to.
    return (("mkswap", "-q", "-U", made.uuid, "-L", made.label, made.device),)


KIND = MadeKind(
    name="swap",
    title="swap",
    kernel_names=(),
    tool="mkswap",
    commands=_commands,
    in_general=t("It is no filesystem and holds no files: it is where memory goes that is not in use."),
    minimum_bytes=MIB,
    minimum_why=t("mkswap takes no less than ten pages of memory, which can have 64 KiB each"),
    # It counts its pages, of 4096 bytes on most machines, in 32 bits.
    maximum_bytes=16 * TIB,
    zones=t("swap is written in any order"),
    # 16 with the zero byte at its end.
    label_bytes=15,
    fsck_pass=0,
    seconds=(0.2, 0.1, 0.1),
    clean_check=(),
    noun="space",
    gpt_type=LINUX_SWAP_TYPE,
    mbr_type=SWAP_MBR_TYPE,
    also=("swapon", "swapoff"),
    relabelling=Relabelling(command=lambda device, _place, label: ("swaplabel", "-L", label, device)),
)
