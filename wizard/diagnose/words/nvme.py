"""The formats of an NVMe drive."""

from wizard.model.said import Sentence

FASTER = Sentence(
    "diagnose.nvme.faster",
    "{drive} has a faster format: {better} (format {better_number}) instead of {used} (format "
    "{used_number}).",
)
AS_FAST = Sentence(
    "diagnose.nvme.as-fast",
    "{drive} could use {better} (format {better_number}) instead of {used} (format {used_number}). It "
    "calls that neither faster nor slower.",
)
SIZE = Sentence("diagnose.nvme.size", "{data} bytes")
SIZE_WITH_METADATA = Sentence("diagnose.nvme.size-with-metadata", "{data} bytes with {metadata} of metadata")

FASTER_WHY = Sentence(
    "diagnose.nvme.faster-why",
    "The drive calls the one in use {used} and the other {better}; by how much, it does not say.",
)
AS_FAST_WHY = Sentence(
    "diagnose.nvme.as-fast-why",
    "The drive calls both {used}: no speed is promised. With 4096-byte blocks no write can be misaligned "
    "or smaller than that. No other gain is known.",
)
BEST = Sentence("diagnose.nvme.best", "best")
BETTER = Sentence("diagnose.nvme.better", "better")
GOOD = Sentence("diagnose.nvme.good", "good")
DEGRADED = Sentence("diagnose.nvme.degraded", "degraded")

SOURCE = Sentence(
    "diagnose.nvme.source",
    "the drive's own list of formats (NVMe Identify Namespace: data size, metadata size, relative "
    "performance)",
)
REMEDY = Sentence(
    "diagnose.nvme.remedy",
    "If at all, before anything is stored: `nvme format --lbaf={number} {drive}` ERASES EVERYTHING on it, "
    "for good.",
)
REMEDY_REST = Sentence(
    "diagnose.nvme.remedy-rest",
    "diskwright never runs it. Old firmware cannot start a system from 4096-byte blocks.",
)
SCOPE_ALL = Sentence(
    "diagnose.nvme.scope-all",
    "This controller formats all of its namespaces together: every one of them would be erased.",
)
SCOPE_ONE = Sentence(
    "diagnose.nvme.scope-one",
    "This controller formats one namespace at a time; the others would stay.",
)
SCOPE_UNKNOWN = Sentence(
    "diagnose.nvme.scope-unknown",
    "Whether it would erase the controller's other namespaces too is not known: count on it.",
)
