"""Views with more content than fits any screen, and with characters that must not reach a terminal."""

from dataclasses import replace

from tests.looks.window.made_views import DRIVES, GB, HELP, HOSTILE, QUIT
from wizard.ui.view import (
    Action,
    Banner,
    Bar,
    Column,
    Command,
    Figures,
    Pane,
    Piece,
    Progress,
    Row,
    Rows,
    ScreenStep,
    Stretch,
    Tone,
    View,
    para,
    strong,
)

HOSTILE_VIEW = View(
    "hostile",
    ScreenStep.PLAN,
    HOSTILE,
    (Action("go", "enter", HOSTILE), Action("x", "x", HOSTILE), HELP),
    HOSTILE,
    above=(
        para(HOSTILE, hang=4, key="x"),
        Bar((Stretch(HOSTILE, GB, HOSTILE), Stretch(HOSTILE, 5 * GB)), HOSTILE),
        Banner(HOSTILE, (HOSTILE,)),
    ),
    rows=Rows(
        tuple(
            Row(
                f"r{n}",
                (Piece(HOSTILE), Piece(f"row-{n}"), Piece(HOSTILE)),
                level=n,
                chosen=n == 1,
                why_not=HOSTILE if n == 2 else "",
                notes=(HOSTILE,),
            )
            for n in range(4)
        ),
        columns=(Column(HOSTILE), Column(), Column(right=True)),
    ),
    panes=(
        Pane(
            HOSTILE,
            (
                Command(("run", HOSTILE, "漢" * 90)),
                Figures(HOSTILE, ((HOSTILE, 1.0), ("b", -3.0))),
                Progress(None, HOSTILE),
            ),
        ),
    ),
    said=Piece(HOSTILE),
)

CROWDED = View(
    "crowded",
    ScreenStep.DRIVES,
    "Partitions",
    (Action("go", "enter", "go"), QUIT),
    rows=Rows(tuple(Row(f"p{n}", (Piece(f"partition-{n}"), Piece("note" * 3))) for n in range(128)), "p64"),
    panes=(
        Pane(
            "All",
            (
                Bar(tuple(Stretch(f"n{n}", GB, "ext4") for n in range(128))),
                *(para(f"line-{n}") for n in range(90)),
            ),
        ),
    ),
)

_RUNS = tuple(
    Row(
        f"run:{name}",
        (Piece("!", Tone.WARN), strong(name), Piece("done, not in use yet. Keep it?", Tone.WARN)),
        pinned=True,
    )
    for name in ("sdc", "sdd")
)
_MANY = tuple(
    Row(f"sd{letter}", (Piece(f"sd{letter}"), Piece("Seagate"), Piece("1.0 TB"), Piece("3 partitions")))
    for letter in "abcdefghijklmnopqrstuvwxyz"
)
WAITING = replace(DRIVES, above=(), rows=Rows((*_RUNS, *_MANY), "run:sdc"))
"""Two runs over more drives than any screen has lines for."""
