"""What a person reads of a program that failed."""

import pytest

from wizard.process.program import Result

HINT = "       dmesg(1) may have more information after failed mount system call.\n"


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ("mount: /srv/x: mount point does not exist.\n" + HINT, "mount: /srv/x: mount point does not exist."),
        ("mount: /srv/x: mount point does not exist.\n", "mount: /srv/x: mount point does not exist."),
        (HINT, "no output"),
        ("", "no output"),
    ],
)
def test_where_else_to_look_is_not_what_went_wrong(errors: str, said: str) -> None:
    assert Result(32, "", errors, 0.1).last_words == said
