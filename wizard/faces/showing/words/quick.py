"""The sentences of `diskwright bench --scratch --shingled --quick`."""

from wizard.model.said import Sentence

NO_SHINGLED = Sentence("faces.showing.quick.no-shingled", "--quick belongs to --scratch --shingled.")
HAS_LIMITS = Sentence(
    "faces.showing.quick.has-limits", "--quick has limits of its own: leave out --seconds and --most-bytes."
)
BEGINNING = Sentence(
    "faces.showing.quick.beginning",
    "Reading {count} blocks in free space of {drive}, and writing the same bytes back: {size:exact}. That "
    "takes about {usual} s, {most} s at most. Every byte stays as it is; Ctrl+C ends it.",
)
READING = Sentence("faces.showing.quick.reading", "reading")
WRITING = Sentence("faces.showing.quick.writing", "writing back")
STREAMING = Sentence("faces.showing.quick.streaming", "reading elsewhere")
LOOKING = Sentence("faces.showing.quick.looking", "comparing")
IDLING = Sentence("faces.showing.quick.idling", "leaving it alone")
LOOKING_AGAIN = Sentence("faces.showing.quick.looking-again", "comparing again")
PROGRESS = Sentence("faces.showing.quick.progress", "{phase}: {percent} %, at most {seconds:.0f} s left")
MEDIANS = Sentence("faces.showing.quick.medians", "Medians of reading one block again, {when}.")
AT_FIRST = Sentence("faces.showing.quick.at-first", "right after writing")
AFTER_IDLE = Sentence("faces.showing.quick.after-idle", "after the drive was left alone")
TOOK = Sentence(
    "faces.showing.quick.took",
    "Wrote {written:exact} and read {read:size} in {seconds:.0f} s, waiting included.",
)
