"""SCSI vital product data pages as they were recorded. Pure."""

import base64
import binascii

from wizard.probe.facts import RawDrive

PAGE_HEADER_BYTES = 4


def vital_page(raw: RawDrive, number: str) -> bytes | None:
    """A vital product data page; None where it is missing or damaged."""
    try:
        page = base64.b64decode(raw.vpd.get(number, ""), validate=True)
    except (binascii.Error, ValueError):
        return None
    return page if len(page) > PAGE_HEADER_BYTES else None
