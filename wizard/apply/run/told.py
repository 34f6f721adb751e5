"""Whether what a document tells a person is what would be told now: a digest does not keep a sentence from
being left out."""

from collections.abc import Callable, Iterable

from wizard.apply.run import words
from wizard.model.errors import Refused
from wizard.model.said import Said


def check_told(
    wanted: Iterable[Said | str],
    told: Iterable[Said | str],
    again: str,
    alike: Callable[[Said | str], Said | str] = lambda said: said,
) -> None:
    """Raises Refused unless both are the same sentences, in whatever order and language; `again` is the
    command that makes the document.

    `alike` gives what is compared of a sentence, where a part of it may differ.
    """
    expected, found = {alike(one): one for one in wanted}, {alike(one): one for one in told}
    if missing := next((one for key, one in expected.items() if key not in found), None):
        fault = words.NOT_TOLD(sentence=missing)
    elif foreign := next((one for key, one in found.items() if key not in expected), None):
        fault = words.WRONGLY_TOLD(sentence=foreign)
    else:
        return
    raise Refused(words.OTHERWISE(fault=fault, again=again))
