"""The sentences of `diskwright resume`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.writing.resume.says",
    "Continue a failed, stopped or interrupted run. Needs no name if one run is open.",
)
CONFIRM = Sentence(
    "faces.writing.resume.confirm", "the drive's serial number, if the run would still overwrite something"
)
PASSPHRASE_FILE = Sentence(
    "faces.writing.resume.passphrase-file",
    "read the passphrase of what the run encrypts from this file, or from the input for -",
)
ABOUT_STEPS = Sentence(
    "faces.writing.resume.about-steps",
    "Continues with the first unfinished step. The drive must be the same, with the content the run left.",
)
ABOUT_WAITING = Sentence(
    "faces.writing.resume.about-waiting",
    "A waiting run is complete: use `keep` or `undo`.",
)
ABOUT_TOKEN = Sentence(
    "faces.writing.resume.about-token",
    "If the run would still write a table or create a filesystem, confirm the drive again, as in `apply`.",
)
NOT_ENCRYPTED = Sentence(
    "faces.writing.resume.not-encrypted",
    "--passphrase-file is for a run that encrypts; this one changes a filesystem that exists, which wants "
    "none.",
)
STEP_LEFT = Sentence("faces.writing.resume.step-left", "step {number} is still to be done:")
DESTROYS = Sentence("faces.writing.resume.destroys", "it destroys {what}")
MAKES = Sentence(
    "faces.writing.resume.makes", "Going on with run {run} makes a new filesystem on {drives:list}."
)
WRITES_OVER = Sentence(
    "faces.writing.resume.writes-over", "Going on with run {run} writes over what is there on {drives:list}."
)
WRITES_TO = Sentence(
    "faces.writing.resume.writes-to",
    "Going on with run {run} still writes to {drives:list}, and keeps every file.",
)
UNCONFIRMED = Sentence(
    "faces.writing.resume.unconfirmed",
    "Nothing was written now. If that is the drive that you mean, confirm it:",
)
FROM_DRIVE = Sentence(
    "faces.writing.resume.from-drive",
    "continue a move from another computer, by the journal on the drive",
)
RUN_OR_DRIVE = Sentence(
    "faces.writing.resume.run-or-drive", "Name a run, or a drive with --from-drive, not both."
)
OVER_BAD_SECTORS = Sentence(
    "faces.writing.resume.over-bad-sectors",
    "of a move that stopped at sectors that cannot be read: go on, with zeros in their place",
)
