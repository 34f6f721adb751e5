"""Swap: mkswap(8), swapon(8), fstab(5). Activated instead of mounted."""

from wizard.filesystems import kind, partition_types
from wizard.model.said import MIB, TIB, Sentence, t

KIND = kind.MadeKind(
    name="swap",
    title="swap",
    drivers=(),
    maker="mkswap",
    # Without -f, mkswap refuses a device in use, mounted or as swap.
    commands=lambda new: (("mkswap", "-q", "-U", new.uuid, "-L", new.label, new.device),),
    in_general=t("It is not a filesystem and stores no files, only unused memory pages."),
    minimum_bytes=MIB,
    minimum_why=t("mkswap needs at least ten memory pages of up to 64 KiB"),
    # The page count has 32 bits; most machines have 4096-byte pages.
    maximum_bytes=16 * TIB,
    no_zones=Sentence("swap writes are in any order"),
    # 16 including the terminating zero byte.
    label_bytes=15,
    fsck_pass=0,
    seconds=(0.2, 0.1, 0.1),
    clean_check=(),
    noun="space",
    gpt_type=partition_types.SWAP_GPT,
    mbr_type=partition_types.SWAP_MBR,
    also=("swapon", "swapoff"),
    set_uuid=lambda device, uuid: ("swaplabel", "-U", uuid, device),
    relabelling=kind.Relabelling(command=kind.label_with("swaplabel", "-L")),
)
