"""What a run says."""

from wizard.model.said import Sentence

GIVEN = Sentence("apply.given", "The top of {device} belongs to {uid}:{gid}, mode {mode}.")
NOT_GIVEN = Sentence("apply.not-given", "{device} could not be given to {who}.")
WROTE = Sentence("apply.wrote", "a file was written and deleted")
FOLDER_BELOW = Sentence("apply.folder-below", "it is not mounted there")

READY = Sentence("apply.ready", "{size:size} ready at {places:and}, writable by {who}.")
READY_READ_ONLY = Sentence("apply.ready-read-only", "{size:size} ready at {places:and}, read-only.")
MAY_GIVE = Sentence("apply.may-give", "Its owner stays as it was. To let {who} write there: {command}")
READY_UNMOUNTED = Sentence("apply.ready-unmounted", "{size:size} ready on {device}, not mounted.")
SEVERAL_READY = Sentence("apply.several-ready", "{volumes} volumes ready on {drives:and}, not mounted.")
NOT_YET = Sentence("apply.not-yet", "Done, not yet in use: keep it to use it, or undo it.")

GOES_ON = Sentence("apply.goes-on", "The run {name} goes on: `diskwright status` shows how it goes.")
UNDOES = Sentence("apply.undoes", "`diskwright undo {run}` reverts the changes.")
WHEN_ATTACHED = Sentence("apply.when-attached", "Attach {drives:list} again; then {commands}")
SHOWS = Sentence("apply.shows", "`diskwright status {run}` shows the run.")
WAITS = Sentence("apply.waits", "The run {name} is done, not yet in use: {commands}")
NOT_FINISHED = Sentence("apply.not-finished", "The run {name} was not finished: {commands}")
MORE_RUNS = Sentence(
    "apply.more-runs",
    "1 more run: `diskwright status` lists it.",
    "{count} more runs: `diskwright status` lists them.",
)
UNUSABLE = Sentence("apply.unusable", "{file} cannot be used: {why}.")

DELETED = Sentence("apply.deleted", "{part} is deleted; its space is free.")
GROWN = Sentence("apply.grown", "{part} now has {size:size}, with all files.")

NEEDS_STAND_IN = Sentence(
    "apply.needs-stand-in",
    "Changing {part} is only done on a stand-in first, and that is not possible: {why}. Nothing was written.",
)
HAS_WAY_BACK = Sentence(
    "apply.has-way-back",
    "Changing {part} always has a way back: leave out {word!r}. Nothing was written.",
)
