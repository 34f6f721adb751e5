"""Whether what a document tells a person is what would be told now: a digest does not keep a sentence from
being left out."""

from collections.abc import Callable, Iterable

from wizard.model.errors import Refused
from wizard.model.names import printable


def check_told(
    wanted: Iterable[str], told: Iterable[str], again: str, alike: Callable[[str], str] = str
) -> None:
    """Raises Refused unless both are the same sentences, in whatever order; `again` is the command that makes
    the document.

    `alike` gives what is compared of a sentence, where a part of it may differ.
    """
    expected, found = {alike(one): one for one in wanted}, {alike(one): one for one in told}
    if missing := next((one for key, one in expected.items() if key not in found), None):
        fault = f'it does not tell what holds now, "{printable(missing, 1000)}"'
    elif foreign := next((one for key, one in found.items() if key not in expected), None):
        fault = f'it tells what does not hold now, "{printable(foreign, 1000)}"'
    else:
        return
    raise Refused(
        f"The document explains itself otherwise than it is worked out now: {fault}. Make it again with "
        f"`{again}`. Nothing was written."
    )
