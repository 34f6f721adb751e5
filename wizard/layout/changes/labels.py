"""What the label of a filesystem that exists may be."""

from wizard.filesystems.registry import KINDS
from wizard.layout.rules import label_fault
from wizard.model.said import Said, t


def label_fault_of(label: str, filesystem: str) -> Said | None:
    """Why a filesystem that exists cannot get this label, as the end of a sentence; None where it can."""
    relabelling = KINDS[filesystem].relabelling
    if relabelling is None:
        return t("cannot be changed")
    return label_fault(label, relabelling.rules or filesystem) or relabelling.fault(label)


def old_label_fault(label: str, filesystem: str) -> Said | None:
    """Why the label that it has could not be given back to it, as the end of a sentence; None where it
    could."""
    relabelling = KINDS[filesystem].relabelling
    if relabelling is None or not label.isprintable() or "\N{REPLACEMENT CHARACTER}" in label:
        return t("cannot be read as text")
    return relabelling.fault(label)
