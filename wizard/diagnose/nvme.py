"""The LBA formats of an NVMe namespace, and whether another than the one in use is better."""

from collections.abc import Iterator

from wizard.diagnose.words import nvme as words
from wizard.model.drive_facts import NvmeFormat
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive
from wizard.model.said import Said, in_a_row

PERFORMANCE = (words.BEST(), words.BETTER(), words.GOOD(), words.DEGRADED())
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
    sentence = words.FASTER if faster else words.AS_FAST
    scope = {"all": words.SCOPE_ALL, "namespace": words.SCOPE_ONE}
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
        words.FASTER_WHY(used=PERFORMANCE[used.performance], better=PERFORMANCE[better.performance])
        if faster
        else words.AS_FAST_WHY(used=PERFORMANCE[used.performance]),
        words.SOURCE(),
        in_a_row(
            words.REMEDY(number=better.number, drive=drive.path),
            scope.get(drive.nvme_format_scope or "", words.SCOPE_UNKNOWN)(),
            words.REMEDY_REST(),
        ),
    )


def _size(one: NvmeFormat) -> Said:
    if one.metadata_bytes:
        return words.SIZE_WITH_METADATA(data=one.data_bytes, metadata=one.metadata_bytes)
    return words.SIZE(data=one.data_bytes)
