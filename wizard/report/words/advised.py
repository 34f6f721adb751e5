"""What a report says of the advice, and of the figures behind it."""

from wizard.model.said import Sentence

FIGURES = Sentence("report.advised.figures", "The figures behind it")
OLD = Sentence(
    "report.advised.old",
    "They are published, and old: read the date, the kernel and the hardware with them. Best first.",
)
NONE_USABLE = Sentence(
    "report.advised.none-usable", "None of the filesystems that suit this work can be made here."
)
ALSO_MADE = Sentence("report.advised.also-made", "Also made here, and not ranked for this work")
NOT_MADE = Sentence("report.advised.not-made", "Known, and not made here")
IN_ZONES = Sentence("report.advised.in-zones", "What could live in its zones")
IN_DOUBT = Sentence("report.advised.in-doubt", "In doubt")
GOOD_TO_KNOW = Sentence("report.advised.good-to-know", "Good to know")
WAY_OFF = Sentence("report.advised.way-off", "{why} The way off: {way}")
OPTIONS = Sentence("report.advised.options", "Options for {filesystem}")
OPTIONS_IF_TAKEN = Sentence("report.advised.options-if-taken", "Options for {filesystem}, if it were taken")
TAKEN = Sentence("report.advised.taken", ", taken in the plan")
BARRED = Sentence("report.advised.barred", "Not made here: {why}")
THOUGHT_OF = Sentence("report.advised.thought-of", "Thought of for {filesystem}, and not offered ({options})")
NOT_OFFERED = Sentence("report.advised.not-offered", "Not offered for {filesystem}")
LOWER = Sentence("report.advised.lower", "lower is better")
HIGHER = Sentence("report.advised.higher", "higher is better")
AS_TABLE = Sentence("report.advised.as-table", "The same as a table")
