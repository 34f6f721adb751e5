"""What is said of profiles, most of all where they do not fit: that stands behind file, line and key."""

from wizard.model.said import Sentence

OTHER_FAULT = Sentence("advise.profiles.other-fault", "{why}")
"""What the reader of a value says."""

NO_ID = Sentence(
    "advise.profiles.no-id",
    "{text} is no id: use small letters, digits and single hyphens, at most {longest}.",
)
USED_ID = Sentence(
    "advise.profiles.used-id", "{id} is already used in {path}; give one of the two another id."
)
ONE_LINE = Sentence("advise.profiles.one-line", "write one line of plain text.")
SHORT_LINE = Sentence(
    "advise.profiles.short-line", "write one line of plain text, at most {longest} characters."
)
NONE_OF = Sentence("advise.profiles.none-of", "{name} is none of {known:list}.")

STUDY = Sentence("advise.profiles.study", "{title}: {source}")
"""Where figures are from."""

NO_FIGURE = Sentence(
    "advise.profiles.no-figure", "there is no figure; a measurement without one proves nothing."
)
FIGURES_AND_RUNS = Sentence(
    "advise.profiles.figures-and-runs",
    "give the figures or each run; a figure beside the runs would be a second word on the same.",
)
RUNS = Sentence("advise.profiles.runs", "Lowest and highest run: {runs:semicolons}.")
RUN = Sentence(
    "advise.profiles.run",
    "{name} {low:g} in one run",
    "{name} {low:g} to {high:g} in {count} runs",
)
MEAN_OF_RUNS = Sentence(
    "advise.profiles.mean-of-runs",
    "Each figure is the mean of {count} runs; how far they lay apart is not told.",
)
ONE_RUN = Sentence(
    "advise.profiles.one-run", "One run of each, as far as the study tells: another could differ."
)
EXPLAINED = Sentence(
    "advise.profiles.explained", "{spelling} is explained already by the term with the id {id}."
)

NO_FILESYSTEM = Sentence("advise.profiles.no-filesystem", "name at least one filesystem.")
NOT_ONE_OPTION = Sentence("advise.profiles.not-one-option", "{text} cannot be written as one {kind} option.")
RESERVED = Sentence("advise.profiles.reserved", "{text} is for diskwright itself to set.")
NO_REASON = Sentence(
    "advise.profiles.no-reason",
    "an option marked as dangerous, refused or the default is never offered: say why.",
)
NO_CONFLICT = Sentence("advise.profiles.no-conflict", "there is no option {option}.")
PHRASE = Sentence(
    "advise.profiles.phrase",
    "a dangerous option of mkfs or mount that is not refused has a phrase that is typed back. No other has "
    "one.",
)
PHRASE_TYPED = Sentence(
    "advise.profiles.phrase-typed",
    "write a line of plain text that can be typed, at most {longest} characters.",
)

NO_WORKLOAD = Sentence(
    "advise.profiles.no-workload", "There is no workload {name}; the known ones are {known:list}."
)
LABEL = Sentence(
    "advise.profiles.label",
    "a label has 1 to 12 letters, digits, hyphens or underscores and begins with a letter or digit.",
)
RANKED_BEFORE = Sentence("advise.profiles.ranked-before", "{filesystem} was ranked before.")
NONE_CHOSEN = Sentence("advise.profiles.none-chosen", "no filesystem is chosen; exactly one must be.")
NONE_CHOSEN_SHINGLED = Sentence(
    "advise.profiles.none-chosen-shingled",
    "no filesystem is chosen on a shingled drive; exactly one must be.",
)
TWO_CHOSEN = Sentence(
    "advise.profiles.two-chosen", "more than one filesystem is chosen; exactly one must be."
)
TWO_CHOSEN_SHINGLED = Sentence(
    "advise.profiles.two-chosen-shingled",
    "more than one filesystem is chosen on a shingled drive; exactly one must be.",
)
TWO_SECOND = Sentence("advise.profiles.two-second", "more than one filesystem is second; at most one may be.")
TWO_SECOND_SHINGLED = Sentence(
    "advise.profiles.two-second-shingled",
    "more than one filesystem is second on a shingled drive; at most one may be.",
)
UNFIT = Sentence("advise.profiles.unfit", "only a filesystem that is rejected can be unfit.")
NO_SENTENCE = Sentence("advise.profiles.no-sentence", "say in a sentence why it has this place.")
NO_EVIDENCE = Sentence("advise.profiles.no-evidence", "there is no evidence {name} in profiles/evidence.")
NO_OPTION = Sentence("advise.profiles.no-option", "there is no option {name} in profiles/options.")
OTHER_KIND = Sentence("advise.profiles.other-kind", "{option} is an option for {kind}, not for {wanted}.")
NEVER = Sentence("advise.profiles.never", "{option} is never offered: {why}")

NO_TERM = Sentence("advise.profiles.no-term", "The glossary does not have {text}.")
NEAR_TERMS = Sentence(
    "advise.profiles.near-terms", "The glossary does not have {text}. Did you mean {near:list}?"
)
