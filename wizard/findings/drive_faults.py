"""Describe drives and their contents in plain words, and find contradictory or missing facts.

The text is the same in all interfaces. All foreign text is made printable.
"""

from collections.abc import Iterator, Sequence

from wizard.filesystems.registry import MADE
from wizard.findings import smr_evidence
from wizard.findings.contents import NOT_READ
from wizard.model.drive_facts import NvmeFormat
from wizard.model.finding import Commands, Finding, Recorded, Recording, Severity, command
from wizard.model.machine import Drive
from wizard.model.said import Message, join, t

_WORDS = {
    Recorded.YES: t("shingled"),
    Recorded.LIKELY: t("shingled?"),
    Recorded.UNKNOWN: t("unknown"),
    Recorded.NOT_APPLICABLE: t("no tracks"),
}


ROTATION = {True: t("rotating"), False: t("not rotating"), None: t("rotation not reported")}


def recording_word(recording: Recording) -> str:
    """Return the recording method as one word for a column."""
    return str(_WORDS[recording.verdict])


def size_words(drive: Drive) -> str:
    """Describe size and blocks."""
    if drive.size_bytes is None:
        return str(NOT_READ)
    parts = [t("{size:size} ({size} bytes)", size=drive.size_bytes), turning_words(drive)]
    if known := drive.geometry:
        logical, physical = known.logical_block_bytes, known.physical_block_bytes
        blocks = t(
            "logical blocks of {logical} bytes, physical of {physical}", logical=logical, physical=physical
        )
        parts.insert(1, blocks)
    return ", ".join(map(str, parts))


def turning_words(drive: Drive) -> Message:
    """Describe rotation."""
    return ROTATION[drive.rotational]


def tuning_words(drive: Drive) -> str:
    """Return a hint about tuning the drive's filesystems, or an empty text."""
    known = [
        path
        for path, marks in drive.signatures_by_device
        if len(marks) == 1 and marks[0].kind in MADE and MADE[marks[0].kind].mounts
    ]
    if not known:
        return ""
    return str(
        t("To improve {device} without erasing: `diskwright tune {device} --workload ID`.", device=known[0])
    )


PERFORMANCE = (t("best"), t("better"), t("good"), t("degraded"))
"""Relative performance of an LBA format on the same drive."""
NATIVE_BYTES = 4096
AGAINST = t("the kernel's view in sysfs, against IDENTIFY data or smartctl")


def better_format(drive: Drive) -> NvmeFormat | None:
    """Return a format that the drive rates faster, or equally fast with 4096-byte blocks."""
    used = _used(drive)
    if used is None or drive.zoned not in ("none", None):
        return None
    plain = [
        one for one in drive.nvme_formats if not one.metadata_bytes and one.data_bytes in (512, NATIVE_BYTES)
    ]
    if not plain:
        return None
    best = _best(plain)
    faster = best.performance < used.performance
    as_fast_and_native = (
        best.performance == used.performance
        and best.data_bytes == NATIVE_BYTES
        and used.data_bytes < NATIVE_BYTES
    )
    return best if faster or as_fast_and_native else None


def find_nvme(drive: Drive) -> Iterator[Finding]:
    """Yield at most one finding: a better format, and what changing to it erases."""
    used = _used(drive)
    better = better_format(drive)
    if used is None or better is None or drive.nvme_format_scope == "none" or not drive.size_bytes:
        return
    scope = {
        "all": t("This controller formats all its namespaces together: all would be erased."),
        "namespace": t("This controller formats one namespace at a time; the others are not erased."),
    }
    unknown = t("It is unknown if the controller's other namespaces would also be erased; expect this.")
    yield Finding(
        "geometry-nvme-formats",
        Severity.INFO,
        drive.path,
        t(
            "{drive} supports {better} (format {better_number}) instead of {used} (format {used_number}).",
            drive=drive,
            used=_size(used),
            used_number=used.number,
            better=_size(better),
            better_number=better.number,
        ),
        t(
            "The drive rates the current format {used} and the other {better}, without figures.",
            used=PERFORMANCE[used.performance],
            better=PERFORMANCE[better.performance],
        )
        if better.performance < used.performance
        else t(
            "The drive rates both {used} and promises no speed gain. With 4096-byte "
            "blocks, writes cannot be misaligned or smaller. No other gain is known.",
            used=PERFORMANCE[used.performance],
        ),
        t(
            "the drive's own list of formats (NVMe Identify Namespace: data size, "
            "metadata size, relative performance)"
        ),
        join(
            t(
                "If at all, change the format before storing any data. It ERASES EVERYTHING on the drive "
                "permanently."
            ),
            scope.get(drive.nvme_format_scope or "", unknown),
            t("diskwright never runs this command. Old firmware cannot boot from 4096-byte blocks."),
        ),
        _nvme_format(drive, better),
    )


def _nvme_format(drive: Drive, wanted: NvmeFormat) -> Commands:
    return command("nvme", "format", f"--lbaf={wanted.number}", drive.path, unused=drive.path)


def _used(drive: Drive) -> NvmeFormat | None:
    return next((one for one in drive.nvme_formats if one.in_use), None)


def _best(formats: Sequence[NvmeFormat]) -> NvmeFormat:
    return min(formats, key=lambda one: (one.performance, -one.data_bytes))


def _size(one: NvmeFormat) -> Message:
    if one.metadata_bytes:
        return t("{data} bytes with {metadata} of metadata", data=one.data_bytes, metadata=one.metadata_bytes)
    return t("{data} bytes", data=one.data_bytes)


def find_contradictions(
    drive: Drive, recording: Recording, rungs: Sequence[smr_evidence.Rung]
) -> Iterator[Finding]:
    """Yield sources that contradict each other about the recording method."""
    shingled = [rung for rung in rungs if rung.weight and rung.management]
    conventional = [rung for rung in rungs if rung.is_conventional]
    several = len({rung.management for rung in shingled if rung.exact}) > 1
    if not shingled or not (conventional or several) or drive.bus in smr_evidence.VIRTUAL_BUSES:
        return
    sources = tuple(rung.statement for rung in (*shingled, *conventional))
    best = smr_evidence.strongest(shingled)
    assert best is not None
    believed = (
        t(
            "{source} is used: the drive ranks first, then the manufacturer and smartmontools, then others.",
            source=best.source,
        )
        if recording.verdict is not Recorded.UNKNOWN
        else t(
            "The sources are equally strong, so the drive counts as unknown. One model number can "
            "be either kind."
        )
    )
    yield Finding(
        "recording-contradiction",
        Severity.WARNING,
        drive.path,
        t(
            "Sources disagree about the recording method of {drive}: {clues:semicolons}.",
            drive=drive,
            clues=sources,
        ),
        believed,
        t("the ranked evidence, with confidence shown by `diskwright inspect --json`"),
        t(
            "Look up the exact model number on the label at the manufacturer. Until "
            "then, treat the drive as shingled: that costs little if wrong."
        ),
    )


def find_rotation(drive: Drive) -> Iterator[Finding]:
    """Yield a contradiction about rotation."""
    rate, kernels = drive.rotation_rate, drive.kernel_rotational
    if rate is None or kernels is None or (rate > 1) == kernels:
        return
    setting = f"/sys/block/{drive.path.removeprefix('/dev/')}/queue/rotational"
    yield Finding(
        "recording-contradiction",
        Severity.INFO,
        drive.path,
        t(
            "The kernel reports {drive} as {kernels}, but the drive reports {own}.",
            drive=drive,
            kernels=ROTATION[kernels],
            own=ROTATION[rate > 1],
        ),
        t(
            "The drive's report is used: enclosures and controllers often omit it, and root can "
            "set queue/rotational."
        ),
        AGAINST,
        t(
            "Correct the kernel's setting until the next reboot. Conclusions about the recording method do "
            "not depend on this setting."
        ),
        command("sh", "-c", f"echo {int(rate > 1)} > {setting}"),
    )


def find_blocks(drive: Drive) -> Iterator[Finding]:
    """Compare the drive's blocks with the kernel's, which an intermediate layer may have changed."""
    if drive.ata is None or drive.geometry is None:
        return
    physical, shift = drive.ata.physical_block_bytes, drive.ata.alignment_offset_bytes
    block, offset = drive.geometry.physical_block_bytes, drive.geometry.alignment_offset_bytes
    if physical is not None and physical > block:
        yield Finding(
            "geometry-contradiction",
            Severity.WARNING,
            drive.path,
            t(
                "{drive} reports {own}-byte blocks, but the kernel uses {kernels}-byte blocks.",
                drive=drive,
                own=physical,
                kernels=block,
            ),
            t(
                "An intermediate layer hides the larger blocks. Partitions aligned for the "
                "kernel may be misaligned on the drive."
            ),
            AGAINST,
            t(
                "No action needed for diskwright layouts, which start on a whole MiB. In "
                "other tools, specify starts in MiB."
            ),
        )
    elif shift is not None and shift != offset and offset >= 0:
        yield Finding(
            "geometry-contradiction",
            Severity.WARNING,
            drive.path,
            t(
                "{drive} reports an alignment offset of {own} bytes, but the kernel reports {kernels}.",
                drive=drive,
                own=shift,
                kernels=offset,
            ),
            t(
                "An intermediate layer hides the offset, which a jumper on the drive causes. "
                "Blocks aligned for the kernel then straddle two physical blocks."
            ),
            AGAINST,
            t(
                "Remove the jumper before storing any data, or attach the drive without the bridge. A "
                "measurement shows which value is right."
            ),
            command("diskwright", "bench", drive.path),
        )


def find_no_size(drive: Drive) -> Iterator[Finding]:
    """Report a drive without a size. Ignores readers without a medium."""
    if drive.size_bytes != 0 or drive.removable is not False:
        return
    why = t("Drives from storage arrays often have 520- or 528-byte blocks, which Linux cannot use.")
    remedy = t(
        "Check the block size. For such blocks, sg_format changes the size. This erases everything and "
        "takes hours."
    )
    commands = (
        *command("sg_readcap", "--long", drive.path),
        *command("sg_format", "--format", "--size=512", drive.path, unused=drive.path),
    )
    if drive.bus == "nvme":
        used, plain = _used(drive), [one for one in drive.nvme_formats if not one.metadata_bytes]
        why = t("The drive may have a block format that the kernel cannot use, or be damaged.")
        remedy = t("Look at the drive's formats and the kernel log.")
        commands = (*command("nvme", "id-ns", "-H", drive.path), *command("dmesg"))
        if used and used.metadata_bytes:
            why = t(
                "The drive is formatted with {data}-byte blocks and {metadata} bytes of "
                "metadata each, which the kernel cannot use.",
                data=used.data_bytes,
                metadata=used.metadata_bytes,
            )
        if used and used.metadata_bytes and plain and drive.nvme_format_scope != "none":
            remedy = t(
                "Select blocks without metadata. This erases everything, perhaps on the whole controller."
            )
            commands = _nvme_format(drive, _best(plain))
    yield Finding(
        "drive-no-size",
        Severity.WARNING,
        drive.path,
        t(
            "The kernel reports no size for {drive}, so the drive cannot be read or written.",
            drive=drive,
        ),
        why,
        t("the kernel's view in sysfs"),
        remedy,
        commands,
    )
