"""The sentences of `diskwright bench --scratch --shingled --quick`."""

from wizard.model.said import Sentence

NO_SHINGLED = Sentence("faces.quick.no-shingled", "--quick belongs to --scratch --shingled.")
HAS_LIMITS = Sentence(
    "faces.quick.has-limits", "--quick has limits of its own: leave out --seconds and --most-bytes."
)
BEGINNING = Sentence(
    "faces.quick.beginning",
    "Reading {count} blocks in free space of {drive}, and writing the same bytes back: {size:exact}. That "
    "takes about {usual} s, {most} s at most. Every byte stays as it is; Ctrl+C ends it.",
)
READING = Sentence("faces.quick.reading", "reading")
WRITING = Sentence("faces.quick.writing", "writing back")
STREAMING = Sentence("faces.quick.streaming", "reading elsewhere")
LOOKING = Sentence("faces.quick.looking", "comparing")
IDLING = Sentence("faces.quick.idling", "leaving it alone")
LOOKING_AGAIN = Sentence("faces.quick.looking-again", "comparing again")
PROGRESS = Sentence("faces.quick.progress", "{phase}: {percent} %, at most {seconds:.0f} s left")
WRITTEN = Sentence("faces.quick.written", "written, at random")
UNWRITTEN = Sentence("faces.quick.unwritten", "not written, at random")
WRITTEN_IN_ORDER = Sentence("faces.quick.written-in-order", "written, in order")
UNWRITTEN_IN_ORDER = Sentence("faces.quick.unwritten-in-order", "not written, in order")
MEDIANS = Sentence("faces.quick.medians", "Medians of reading one block again, {when}.")
AT_FIRST = Sentence("faces.quick.at-first", "right after writing")
AFTER_IDLE = Sentence("faces.quick.after-idle", "after the drive was left alone")
TOOK = Sentence(
    "faces.quick.took", "Wrote {written:exact} and read {read:size} in {seconds:.0f} s, waiting included."
)
