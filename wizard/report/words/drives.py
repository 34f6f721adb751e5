"""What a report says of the drives, and of what was found on them."""

from wizard.model.said import Sentence

SHINGLED = Sentence("report.drives.shingled", "Shingled: its tracks overlap, and rewriting in place is slow.")
LIKELY = Sentence("report.drives.likely", "Likely shingled (overlapping tracks), not proven.")
UNKNOWN = Sentence("report.drives.unknown", "Unknown: nothing proves that it is shingled, or that it is not.")
NO_TRACKS = Sentence("report.drives.no-tracks", "It has no tracks to overlap.")

AS_ROOT = Sentence("report.drives.as-root", "Read as root")
YES = Sentence("report.drives.yes", "yes")
LESS = Sentence("report.drives.less", "no: less can be read without")
UNREAD = Sentence("report.drives.unread", "What could not be read")
PASSED = Sentence("report.drives.passed", "its own test (SMART) passed")
FAILED = Sentence("report.drives.failed", "its own test (SMART) FAILED")
NOT_KNOWN = Sentence("report.drives.not-known", "not known")
ON_ITSELF = Sentence("report.drives.on-itself", "On the drive itself")
PARTITIONS = Sentence("report.drives.partitions", "Partitions of {drive}")
NOTHING_AMISS = Sentence("report.drives.nothing-amiss", "Nothing was found amiss.")
REMEDY = Sentence("report.drives.remedy", "What to do")
SOURCE = Sentence("report.drives.source", "Where it was read")
RECORDS = Sentence("report.drives.records", "How it records")
EVIDENCE = Sentence("report.drives.evidence", "What tells how {drive} records")
SAYS = Sentence("report.drives.says", "What it says")
TRUST = Sentence("report.drives.trust", "How far it can be trusted")
