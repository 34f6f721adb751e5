"""The sentences of `diskwright demo`, and of the walk that it takes by itself."""

from wizard.model.said import Sentence

SAYS = Sentence("faces.itself.demo.says", "Try everything on a disposable drive.")
SCREENS = Sentence("faces.itself.demo.screens", "the five screens, on a badly partitioned disposable drive")
BY_LINE = Sentence(
    "faces.itself.demo.by-line", "the wizard line by line, for screen readers and serial lines"
)
WHOLE_JOB = Sentence(
    "faces.itself.demo.whole-job",
    "inspect, warn, advise, plan, measure, apply, undo, keep and verify, without questions",
)
PLAIN = Sentence("faces.itself.demo.plain", "ask line by line (default with TERM=dumb)")
BY_ITSELF = Sentence("faces.itself.demo.by-itself", "run the whole demo without asking")
ABOUT_DRIVE = Sentence(
    "faces.itself.demo.about-drive",
    "The drive is a sparse file on a loop device. No other drive is touched, and nothing "
    "remains, not even in /etc/fstab.",
)
ABOUT_TERMINAL = Sentence(
    "faces.itself.demo.about-terminal",
    "Without a terminal it runs by itself, and exits 0 only if every check passes.",
)
MADE = Sentence("faces.itself.demo.made", "A disposable drive was made: {drive}, a sparse file in {folder}.")
FAILS = Sentence("faces.itself.demo.fails", "{failed} of {checks} checks of the demo do not hold.")
CHECKS = Sentence("faces.itself.demo.checks", "Checks")
COUNT = Sentence("faces.itself.demo.count", "{held} checks hold, {failed} fail.")
UNTOUCHED = Sentence("faces.itself.demo.untouched", "{file} was not touched")
SAME_BYTES = Sentence("faces.itself.demo.same-bytes", "the same bytes")
CHANGED = Sentence("faces.itself.demo.changed", "it was changed")
GONE = Sentence("faces.itself.demo.gone", "nothing of the demo drive stays behind")
ALL_GONE = Sentence("faces.itself.demo.all-gone", "all gone")
STILL_THERE = Sentence("faces.itself.demo.still-there", "still there: {places:list}")

# The stages of the walk.
INSPECT = Sentence("faces.itself.demo.inspect", "Inspect")
WARN = Sentence("faces.itself.demo.warn", "Warn")
ADVISE = Sentence("faces.itself.demo.advise", "Advise: {workload}")
PLAN = Sentence("faces.itself.demo.plan", "Plan and preview")
MEASURE = Sentence("faces.itself.demo.measure", "Measure, by reading only")
APPLY = Sentence("faces.itself.demo.apply", "Apply")
APPLY_AGAIN = Sentence("faces.itself.demo.apply-again", "Apply again")
TAKE_BACK = Sentence("faces.itself.demo.take-back", "Undo")
KEEP = Sentence("faces.itself.demo.keep", "Keep")
VERIFY = Sentence("faces.itself.demo.verify", "Verify")
UNDO = Sentence("faces.itself.demo.undo", "Undo")

# What it tells.
DRIVE = Sentence("faces.itself.demo.drive", "{path}: {size:size}, {blocks}, {table}")
PART = Sentence("faces.itself.demo.part", "{path}: starts at {start:exact}, {size:size}, {filesystem}")
FREE = Sentence("faces.itself.demo.free", "free: {size:size} from {start:exact}")
OWN_FSTAB = Sentence(
    "faces.itself.demo.own-fstab", "Where /etc/fstab is said, the demo uses a file of its own, {file}."
)
NOT_READ = Sentence("faces.itself.demo.not-read", "The demo drive {drive} could not be read. {why:row}")
NOT_FOUND = Sentence("faces.itself.demo.not-found", "The demo drive {drive} is not found.")
NO_FILESYSTEM = Sentence(
    "faces.itself.demo.no-filesystem", "No filesystem can be made for {workload}: {obstacles:row}"
)
ENDED_AS = Sentence(
    "faces.itself.demo.ended-as", "The run on the demo drive ended as {state}; what it said is above."
)
LET_THROUGH = Sentence(
    "faces.itself.demo.let-through", "The demo's guard let a drive through that it must not touch."
)

# What it checks, and what it saw.
AS_MADE = Sentence("faces.itself.demo.as-made", "the drive is read as it was made")
BOTH_WARNED = Sentence("faces.itself.demo.both-warned", "both old partitions are warned of as misaligned")
NONE_WARNED = Sentence("faces.itself.demo.none-warned", "none was")
REFUSED_FIRST = Sentence(
    "faces.itself.demo.refused-first",
    "a drive that holds something is refused until that is said to go",
)
PLANNED = Sentence("faces.itself.demo.planned", "it was planned")
MEASURED = Sentence("faces.itself.demo.measured", "the benchmark measured pairs and came to a verdict")
PAIRS = Sentence("faces.itself.demo.pairs", "{outcome}, {pairs} pairs")
WAITS = Sentence("faces.itself.demo.waits", "the run is written, and waits for a decision")
WAITS_AGAIN = Sentence("faces.itself.demo.waits-again", "the run is written, and waits")
NOBODY_MOUNTS = Sentence("faces.itself.demo.nobody-mounts", "nobody can mount anything meanwhile")
NOTHING_SEEN = Sentence("faces.itself.demo.nothing-seen", "nothing is seen")
AS_RUN_FOUND = Sentence("faces.itself.demo.as-run-found", "as the run found")
IS_BACK = Sentence("faces.itself.demo.is-back", "what was there before is back")
CAME_TO_END = Sentence("faces.itself.demo.came-to-end", "the run came to its end")
NO_OTHER_DRIVE = Sentence("faces.itself.demo.no-other-drive", "no other drive can be reached from the demo")
AS_PLANNED = Sentence("faces.itself.demo.as-planned", "the drive is what the plan shows")
PARTITIONS = Sentence("faces.itself.demo.partitions", "{number} partitions")
ALIGNED = Sentence("faces.itself.demo.aligned", "no partition is misaligned any more")
NONE = Sentence("faces.itself.demo.none", "none")
VOLUME = Sentence("faces.itself.demo.volume", "{label}: {path}, {filesystem}, {place}")
MOUNTED = Sentence("faces.itself.demo.mounted", "{label} is mounted")
USABLE = Sentence("faces.itself.demo.usable", "{label} can be written and read")
READ_BACK = Sentence("faces.itself.demo.read-back", "a file was written and read back")
AT_BOOT = Sentence("faces.itself.demo.at-boot", "{label} will be mounted at boot")
NO_LINE = Sentence("faces.itself.demo.no-line", "no line")
UNDO_REFUSES = Sentence("faces.itself.demo.undo-refuses", "undo refuses what was kept")
WENT_AHEAD = Sentence("faces.itself.demo.went-ahead", "it went ahead")
