"""Published figures behind what is said of a drive: those of the topic that a finding's code begins with."""

from wizard.advise.evidence import load_evidence
from wizard.model.advice import Evidence

TOPICS = {"alignment": "alignment-", "recording-shingled": "shingled-"}
"""How a finding's code begins, and how the ids of the measurements on the same matter do."""


def evidence_for(code: str) -> tuple[Evidence, ...]:
    """The measurements on the matter that `code` is about, in the order of the files; none where no study
    here is about it."""
    beginning = next((ids for topic, ids in TOPICS.items() if code.startswith(topic)), None)
    if beginning is None:
        return ()
    return tuple(card for name, card in load_evidence().items() if name.startswith(beginning))
