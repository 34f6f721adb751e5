"""The LBA formats of an NVMe namespace, and whether another than the one in use is better."""

from collections.abc import Iterator

from wizard.model.drive_facts import NvmeFormat
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive

PERFORMANCE = ("best", "better", "good", "degraded")
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
    if faster:
        gain = (
            f"The drive calls the one in use {PERFORMANCE[used.performance]} and the other "
            f"{PERFORMANCE[better.performance]}; by how much, it does not say."
        )
    else:
        gain = (
            f"The drive calls both {PERFORMANCE[used.performance]}, so that no speed is promised: with "
            "blocks of 4096 bytes no write can be misaligned or smaller than that, and nothing else is known "
            "to be gained."
        )
    spread = {
        "all": "This controller formats all of its namespaces together: every one of them would be erased.",
        "namespace": "This controller formats one namespace at a time; the others would stay.",
    }.get(
        drive.nvme_format_scope or "",
        "Whether it would erase the controller's other namespaces too is not known: count on it.",
    )
    yield Finding(
        "geometry-nvme-formats",
        Severity.INFO,
        drive.path,
        f"{drive.path} is formatted in blocks of {_size(used)} (format {used.number}) and could have "
        f"{_size(better)} (format {better.number}), which it calls "
        f"{'faster' if faster else 'neither faster nor slower'}.",
        gain,
        "the drive's own list of formats (NVMe Identify Namespace: data size, metadata size, relative "
        "performance)",
        f"If at all, before anything is stored: `nvme format --lbaf={better.number} {drive.path}` ERASES "
        f"EVERYTHING on it, at once and for good. {spread} diskwright never runs it. Old firmware cannot "
        "start a system from blocks of 4096 bytes.",
    )


def _size(one: NvmeFormat) -> str:
    return f"{one.data_bytes} bytes" + (
        f" with {one.metadata_bytes} of metadata" if one.metadata_bytes else ""
    )
