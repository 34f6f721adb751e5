"""Views with more content than fits any screen, and with characters that must not reach a terminal."""

from msgspec.structs import replace

from tests.looks.window.made_views import DRIVES, GB, HELP, HOSTILE, QUIT
from wizard.ui import view as ui

HOSTILE_VIEW = ui.View(
    "hostile",
    ui.ScreenStep.PLAN,
    HOSTILE,
    (ui.Action("go", "enter", HOSTILE), ui.Action("x", "x", HOSTILE), HELP),
    HOSTILE,
    above=(
        ui.para(HOSTILE, hang=4, key="x"),
        ui.Bar((ui.Stretch(HOSTILE, GB, HOSTILE), ui.Stretch(HOSTILE, 5 * GB)), HOSTILE),
        ui.Banner(HOSTILE, (HOSTILE,)),
    ),
    rows=ui.Rows(
        tuple(
            ui.Row(
                f"r{n}",
                (ui.Piece(HOSTILE), ui.Piece(f"row-{n}"), ui.Piece(HOSTILE)),
                level=n,
                chosen=n == 1,
                why_not=HOSTILE if n == 2 else "",
                notes=(HOSTILE,),
            )
            for n in range(4)
        ),
        columns=(ui.Column(HOSTILE), ui.Column(), ui.Column(right=True)),
    ),
    panes=(
        ui.Pane(
            HOSTILE,
            (
                ui.Command(("run", HOSTILE, "漢" * 90)),
                ui.Figures(HOSTILE, ((HOSTILE, 1.0, "1"), ("b", -3.0, "-3"))),
                ui.Progress(None, HOSTILE),
            ),
        ),
    ),
    said=ui.Piece(HOSTILE),
)

CROWDED = ui.View(
    "crowded",
    ui.ScreenStep.DRIVES,
    "Partitions",
    (ui.Action("go", "enter", "go"), QUIT),
    rows=ui.Rows(
        tuple(ui.Row(f"p{n}", (ui.Piece(f"partition-{n}"), ui.Piece("note" * 3))) for n in range(128)), "p64"
    ),
    panes=(
        ui.Pane(
            "All",
            (
                ui.Bar(tuple(ui.Stretch(f"n{n}", GB, "ext4") for n in range(128))),
                *(ui.para(f"line-{n}") for n in range(90)),
            ),
        ),
    ),
)

_RUNS = tuple(
    ui.Row(
        f"run:{name}",
        (
            ui.Piece("!", ui.Tone.WARN),
            ui.strong(name),
            ui.Piece("done, not in use yet. Keep it?", ui.Tone.WARN),
        ),
        pinned=True,
    )
    for name in ("sdc", "sdd")
)
_MANY = tuple(
    ui.Row(
        f"sd{letter}",
        (ui.Piece(f"sd{letter}"), ui.Piece("Seagate"), ui.Piece("1.0 TB"), ui.Piece("3 partitions")),
    )
    for letter in "abcdefghijklmnopqrstuvwxyz"
)
WAITING = replace(DRIVES, above=(), rows=ui.Rows((*_RUNS, *_MANY), "run:sdc"))
"""Two runs over more drives than any screen has lines for."""
