"""The sentences about a drive's health."""

from wizard.model.said import Sentence

GOOD = Sentence("diagnose.health.good", "Good: the drive reports no problem.")
WORN = Sentence("diagnose.health.worn", "Worn: it works, but plan to replace it.")
FAILING = Sentence("diagnose.health.failing", "Failing: copy everything off it now.")
UNKNOWN = Sentence("diagnose.health.unknown", "Unknown: the drive gives no verdict on itself.")
NOT_TOLD = Sentence("diagnose.health.not-told", "Unknown: {why}")

FAILED_CHECK = Sentence("diagnose.health.failed-check", "Its own health check has failed.")
BELOW_THRESHOLD = Sentence(
    "diagnose.health.below-threshold",
    "{names:and} has fallen to the maker's limit.",
    "{names:and} have fallen to the maker's limit.",
)
PENDING = Sentence(
    "diagnose.health.pending",
    "One sector cannot be read; what it held may be lost.",
    "{count} sectors cannot be read; what they held may be lost.",
)
FAILED_TEST = Sentence("diagnose.health.failed-test", "Its last self-test found errors.")
REALLOCATED = Sentence(
    "diagnose.health.reallocated",
    "It has replaced one bad sector with a spare.",
    "It has replaced {count} bad sectors with spares.",
)
MEDIA_ERRORS = Sentence(
    "diagnose.health.media-errors",
    "Once it could not give back what was stored.",
    "{count} times it could not give back what was stored.",
)
CABLE = Sentence(
    "diagnose.health.cable",
    "Once data came damaged over the cable; if that goes on, change the cable.",
    "{count} times data came damaged over the cable; if that goes on, change the cable.",
)
USED = Sentence("diagnose.health.used", "{percent} % of the writing it was made for is used up.")
SPARE = Sentence("diagnose.health.spare", "Only {percent} % of its spare blocks are left.")
AGE = Sentence("diagnose.health.age", "It was on for {years} years ({count} hours).")
AGE_NEW = Sentence("diagnose.health.age-new", "It was on for one hour.", "It was on for {count} hours.")
WARMTH = Sentence("diagnose.health.warmth", "It is at {celsius} °C.")
PASSED_TEST = Sentence(
    "diagnose.health.passed-test",
    "Its last self-test passed one hour of power ago.",
    "Its last self-test passed {count} hours of power ago.",
)
REPLACE = Sentence(
    "diagnose.health.replace",
    "Copy what matters elsewhere and replace the drive. `smartctl -x {drive}` shows all.",
)
WHY_UNREADABLE = Sentence(
    "diagnose.health.why-unreadable", "More sectors usually follow, and files are lost with them."
)
WHY_WORN = Sentence("diagnose.health.why-worn", "Worn drives fail more often than others.")
FOUND = Sentence("diagnose.health.found", "{drive}: {sentences:row}")
SOURCE = Sentence("diagnose.health.source", "smartctl: the drive's own counts and self-tests")
