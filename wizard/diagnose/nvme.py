"""The LBA formats of an NVMe namespace, and whether another than the one in use is better."""

from collections.abc import Iterator

from wizard.model.drive_facts import NvmeFormat
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive
from wizard.model.said import Said, Sentence, in_a_row, t

PERFORMANCE = (t("best"), t("better"), t("good"), t("degraded"))
"""The relative performance field of an LBA format: among the formats of this one drive, at equal load."""
NATIVE_BYTES = 4096


def better_format(drive: Drive) -> NvmeFormat | None:
    """A format without metadata that the drive calls faster; or one of 4096 bytes, called as fast, where 512
    is in use."""
    used = next((one for one in drive.nvme_formats if one.in_use), None)
    if used is None or drive.zoned not in ("none", None):
        return None
    plain = [
        one for one in drive.nvme_formats if not one.metadata_bytes and one.data_bytes in (512, NATIVE_BYTES)
    ]
    best = min(plain, key=lambda one: (one.performance, -one.data_bytes), default=None)
    if best is None:
        return None
    faster = best.performance < used.performance
    as_fast_and_native = (
        best.performance == used.performance
        and best.data_bytes == NATIVE_BYTES
        and used.data_bytes < NATIVE_BYTES
    )
    return best if faster or as_fast_and_native else None


def find_nvme(drive: Drive) -> Iterator[Finding]:
    """At most one finding: the better format, what it would bring, and what changing to it destroys."""
    used = next((one for one in drive.nvme_formats if one.in_use), None)
    better = better_format(drive)
    if used is None or better is None or drive.nvme_format_scope == "none":
        return
    faster = better.performance < used.performance
    sentence = (
        Sentence(
            "{drive} has a faster format: {better} (format {better_number}) instead of "
            "{used} (format {used_number})."
        )
        if faster
        else Sentence(
            "{drive} could use {better} (format {better_number}) instead of {used} "
            "(format {used_number}). It calls that neither faster nor slower."
        )
    )
    scope = {
        "all": Sentence(
            "This controller formats all of its namespaces together: every one of them would be erased."
        ),
        "namespace": Sentence("This controller formats one namespace at a time; the others would stay."),
    }
    yield Finding(
        "geometry-nvme-formats",
        Severity.INFO,
        drive.path,
        sentence(
            drive=drive.path,
            used=_size(used),
            used_number=used.number,
            better=_size(better),
            better_number=better.number,
        ),
        t(
            "The drive calls the one in use {used} and the other {better}; by how much, it does not say.",
            used=PERFORMANCE[used.performance],
            better=PERFORMANCE[better.performance],
        )
        if faster
        else t(
            "The drive calls both {used}: no speed is promised. With 4096-byte blocks no "
            "write can be misaligned or smaller than that. No other gain is known.",
            used=PERFORMANCE[used.performance],
        ),
        t(
            "the drive's own list of formats (NVMe Identify Namespace: data size, "
            "metadata size, relative performance)"
        ),
        in_a_row(
            t(
                "If at all, before anything is stored: `nvme format --lbaf={number} {drive}` "
                "ERASES EVERYTHING on it, for good.",
                number=better.number,
                drive=drive.path,
            ),
            scope.get(
                drive.nvme_format_scope or "",
                Sentence(
                    "Whether it would erase the controller's other namespaces too is not known: count on it."
                ),
            )(),
            t("diskwright never runs it. Old firmware cannot start a system from 4096-byte blocks."),
        ),
    )


def _size(one: NvmeFormat) -> Said:
    if one.metadata_bytes:
        return t("{data} bytes with {metadata} of metadata", data=one.data_bytes, metadata=one.metadata_bytes)
    return t("{data} bytes", data=one.data_bytes)
