"""What a report says of a trial of filesystems."""

from wizard.model.said import Sentence

TITLE = Sentence("report.tried.title", "Filesystems tried on {drive}")
PURPOSE = Sentence("report.tried.purpose", "Purpose")
LOADS = Sentence("report.tried.loads", "Loads")
TOOK = Sentence("report.tried.took", "Took")
WRITTEN = Sentence("report.tried.written", "Written")
SIZE = Sentence("report.tried.size", "{size:size}")
FACTOR_TITLE = Sentence("report.tried.factor-title", "{other} over {planned}, with its interval")
FACTOR = Sentence(
    "report.tried.factor",
    "{other} took {factor} times as long as {planned}; with 95% confidence {low} to {high}.",
)
SPEED = Sentence("report.tried.speed", "{load}, {phase}: speed")
SPREAD = Sentence("report.tried.spread", "The median round; the whiskers are the slowest and the fastest.")
ROUND = Sentence("report.tried.round", "Round")
ROUNDS = Sentence("report.tried.rounds", "The seconds of every run")
IN_MIND = Sentence("report.tried.in-mind", "With this in mind")
