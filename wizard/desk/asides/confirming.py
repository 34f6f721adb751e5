"""What going on with a run asks for: the drives' own tokens once more, where it would still write over what
is there, and the passphrase of what it encrypts."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from wizard.desk.asides.asking import Typing
from wizard.desk.parts.drive_rows import short
from wizard.desk.places.words import review
from wizard.desk.places.words import work as words
from wizard.desk.view import Field, Para, para
from wizard.model.errors import Refused
from wizard.model.names import printable
from wizard.model.said import t, tn

if TYPE_CHECKING:
    from wizard.desk.desk import Desk
    from wizard.desk.jobs.job import Job
    from wizard.desk.place import Values


def confirm(desk: Desk, job: Job | None, then: Callable[[bytes | None], None], *, secret: bool) -> None:
    """Ask for the whole token of each drive of a job that still writes to them, and for a passphrase where a
    `secret` is wanted; `then` gets it once all is right."""
    drives = job.drives if job else ()

    def take(values: Values) -> Callable[[], None]:
        for number, drive in enumerate(drives):
            typed = values.get(f"token{number}", "").strip()
            if not typed or typed != drive.token:
                said = review.WRONG if typed else review.EMPTY
                raise Refused(said(drive=short(drive.path), token=printable(drive.token, 40)))
        return partial(then, _secret(values) if secret else None)

    fields = tuple(
        Field(
            f"token{number}",
            review.TOKEN_OF(drive=short(drive.path)),
            hint=review.HINT_WHOLE(token=printable(drive.token, 40)),
        )
        for number, drive in enumerate(drives)
    )
    names = tuple(short(drive.path) for drive in drives)
    text: tuple[Para, ...] = ()
    if job:
        over = tn(
            "Going on still writes over what {drives:and} holds.",
            "Going on still writes over what {drives:and} hold.",
            drives=names,
            count=len(names),
        )
        text = (
            para(
                t("Going on still writes to {drives:and}, and keeps every file.", drives=names)
                if job.keeps_all
                else over
            ),
        )
    asked = (
        Field("passphrase", review.PASSPHRASE, secret=True),
        Field("again", review.AGAIN, hint=review.AGAIN_HINT, secret=True),
    )
    fields = (*fields, *(asked if secret else ()))
    desk.go(Typing(desk, t("Go on?"), text, fields, take, words.RESUME))


def _secret(values: Values) -> bytes:
    """It is typed twice: while nothing is written yet, what is encrypted is made anew with it."""
    if not values.get("passphrase"):
        raise Refused(review.NO_PASSPHRASE)
    if values.get("passphrase") != values.get("again"):
        raise Refused(review.DIFFERENT)
    return os.fsencode(values["passphrase"])
