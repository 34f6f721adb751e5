"""What is said on the page as a whole, where its parts come from, and of the log."""

from wizard.model.said import Sentence

OF_PLAN = Sentence("report.page.of-plan", "Report on setting up {drives:list}")
OF_CHANGES = Sentence("report.page.of-changes", "Report on changing {device}")
OF_MIGRATION = Sentence("report.page.of-migration", "Report on bringing {device} to ext4")
OF_MOVE = Sentence("report.page.of-move", "Report on moving {device}")
OF_DRIVES = Sentence("report.page.of-drives", "Report on {drives:list}")
NO_DRIVE = Sentence("report.page.no-drive", "no drive")
REPLACED = Sentence(
    "report.page.replaced",
    "Serial numbers, WWNs, UUIDs, labels, mount points and people's folders were replaced: the same one "
    "always by the same word.",
)
MADE = Sentence("report.page.made", "{at}, by diskwright {version}")
HOLD = Sentence("report.page.hold", "{holding} of {all} checks hold")

DRIVES = Sentence("report.page.drives", "The drives")
FOUND = Sentence("report.page.found", "What was found")
ADVISED = Sentence("report.page.advised", "What was recommended, and why")
PLAN = Sentence("report.page.plan", "The plan")
CHANGES = Sentence("report.page.changes", "The changes")
MIGRATION = Sentence("report.page.migration", "The migration")
MOVE = Sentence("report.page.move", "The move")
MEASURED = Sentence("report.page.measured", "What was measured")
DONE = Sentence("report.page.done", "What was done")
VERIFIED = Sentence("report.page.verified", "What was verified")
ABSENT = Sentence("report.page.absent", "What is missing, or in doubt")

NOW = Sentence("report.page.now", "Read when this report was made.")
AFTER = Sentence(
    "report.page.after",
    "Read when this report was made. The run kept no facts of its own, so this is how the drives are after "
    "it.",
)
BEFORE = Sentence("report.page.before", "Read when the run began, before its first write.")
NO_RUN = Sentence("report.page.no-run", "No run was named, so nothing is said about applying and its checks.")
NO_PLAN = Sentence("report.page.no-plan", "No plan was named.")
NO_VERDICT = Sentence(
    "report.page.no-verdict",
    "No verdict of a benchmark was named; what was measured in the wizard is not kept in a run.",
)
OTHER_MEASURED = Sentence(
    "report.page.other-measured", "What was measured was called {path} then; this report is on {own:list}."
)
NOBODY_KNOWS = Sentence("report.page.nobody-knows", "Nobody knows which drives the run is on.")
BRINGS = Sentence(
    "report.page.brings",
    "The run brought files. What it did stands in its journal; no drive is described.",
)
UNKNOWN_DRIVE = Sentence(
    "report.page.unknown-drive", "There is no drive {drive} among those that are known: {known:list}."
)
NONE = Sentence("report.page.none", "none")
OTHER_DRIVE = Sentence(
    "report.page.other-drive",
    "What is known of {drive} is about another drive than the plan's: {difference}.",
)
NO_FACTS = Sentence("report.page.no-facts", "Without the facts about the drives there is no advice.")
NO_PURPOSE = Sentence("report.page.no-purpose", "No purpose was named.")
PURPOSE_GONE = Sentence("report.page.purpose-gone", "{why} The plan was made where it was known.")

LOG = Sentence("report.page.log", "diskwright: The log is in {place}. {held}")
LOG_SERIALS = Sentence("report.page.log-serials", "It holds serial numbers.")
LOG_REPLACED = Sentence(
    "report.page.log-replaced", "Serial numbers, labels and names of people are replaced in it."
)
