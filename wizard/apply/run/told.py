"""Whether what a document tells a person is what would be told now: a digest does not keep a sentence from
being left out."""

from collections.abc import Callable, Iterable

from wizard.model.errors import Refused
from wizard.model.said import Said, t


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
        fault = t('it does not tell what holds now, "{sentence}"', sentence=missing)
    elif foreign := next((one for key, one in found.items() if key not in expected), None):
        fault = t('it tells what does not hold now, "{sentence}"', sentence=foreign)
    else:
        return
    raise Refused(
        t(
            "The document explains itself otherwise than it is worked out now: {fault}. "
            "Make it again with `{again}`. Nothing was written.",
            fault=fault,
            again=again,
        )
    )
