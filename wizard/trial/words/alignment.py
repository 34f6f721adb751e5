"""What is said of aligned against misaligned access: what a verdict says, and what it does not say."""

from wizard.model.said import Sentence

UNREAD = Sentence(
    "trial.alignment.unread",
    "{drive}: its size and block sizes could not be read. Without them nothing can be measured.",
)
UNREAD_WHY = Sentence(
    "trial.alignment.unread-why",
    "{drive}: its size and block sizes could not be read. {why} Without them nothing can be measured.",
)
NO_SIZE = Sentence(
    "trial.alignment.no-size",
    "{size} is no physical block size to assume. It must be a power of two, above the logical block of "
    "{logical} bytes and at most {most}.",
)
IMPOSSIBLE = Sentence("trial.alignment.impossible", "{drive}: no misaligned access is possible. {why}")
HOST_MANAGED = Sentence(
    "trial.alignment.host-managed",
    "It is host-managed: a write can only begin where the zone's last one ended, so none is ever misaligned. "
    "What was never written need not be readable.",
)
WHOLE_BLOCKS = Sentence(
    "trial.alignment.whole-blocks",
    "It takes only blocks of {size} bytes, which are its physical blocks: nothing smaller can be asked for.",
)
SAME_BLOCKS = Sentence(
    "trial.alignment.same-blocks",
    "It reports physical blocks of {size} bytes, like the logical ones. Since some drives hide larger "
    "blocks, `diskwright bench {drive} --assume-physical 4096` measures.",
)
OFF_EACH_OTHER = Sentence(
    "trial.alignment.off-each-other",
    "The kernel calls the devices beneath it misaligned to each other: no access is aligned for all of them.",
)
NOT_MEANT = Sentence(
    "trial.alignment.not-meant", "It reports physical blocks of {size} bytes, which cannot be meant."
)
TOO_SMALL = Sentence("trial.alignment.too-small", "It is too small.")
NOT_ROOT = Sentence(
    "trial.alignment.not-root", "Only root may read {drive}: run `sudo diskwright bench {drive}`."
)
NO_DIRECT = Sentence(
    "trial.alignment.no-direct",
    "{drive} cannot be read past the page cache (O_DIRECT), so nothing can be measured.",
)
NOT_OPENED = Sentence("trial.alignment.not-opened", "{drive} cannot be opened: {why}.")

READING = Sentence("trial.alignment.reading", "reading")
WRITING = Sentence("trial.alignment.writing", "writing")
INTERVAL = Sentence("trial.alignment.interval", "({low}-{high}, {confidence} %)")
FEW_PAIRS = Sentence(
    "trial.alignment.few-pairs",
    "{drive}, {doing}: inconclusive; {pairs} pairs are too few to say anything. Give it more time.",
)
FASTER = Sentence("trial.alignment.faster", "{drive}, {doing}: aligned is {factor}x faster {interval}.")
NO_DIFFERENCE = Sentence(
    "trial.alignment.no-difference",
    "{drive}, {doing}: no measurable difference between aligned and misaligned {interval}.",
)
AS_FAST = Sentence("trial.alignment.as-fast", "{drive}, {doing}: as fast as aligned {interval}.")
INCONCLUSIVE = Sentence(
    "trial.alignment.inconclusive",
    "{drive}, {doing}: inconclusive; misaligned takes {factor} times as long as aligned {interval}. A "
    "difference is claimed only above {above}, none only within {low}-{high}.",
)

UNCLEAR_THERE = Sentence(
    "trial.alignment.unclear-there",
    "{drive}, {doing}: inconclusive; it takes {factor} times as long as aligned {interval}. A difference is "
    "claimed only above {above}, none only within {low}-{high}.",
)

READING_ONLY = Sentence(
    "trial.alignment.reading-only",
    "Reading alone never clears a drive: the penalty of misalignment is in writing, which was not measured.",
)
LOOP = Sentence(
    "trial.alignment.loop",
    "This is a loop device: what was measured is the file beneath it and this machine's cache, not a drive.",
)
ASSUMED = Sentence("trial.alignment.assumed", "You gave the physical block size, not the drive.")
WEAR = Sentence(
    "trial.alignment.wear", "On a solid-state drive misalignment also costs wear, which no timing shows."
)
DURABLE = Sentence(
    "trial.alignment.durable",
    "Each write was waited for until the drive called it durable. With its write cache, costs come later, "
    "but they come.",
)
PAUSES = Sentence(
    "trial.alignment.pauses",
    "The drive works off what it took before while nothing is asked of it: the pauses between accesses were "
    "counted.",
)
USED = Sentence("trial.alignment.used", "The drive is in use: other work on it widens the interval.")
ENDED = Sentence(
    "trial.alignment.ended", "You ended it before the interval was as narrow as it could have become."
)
