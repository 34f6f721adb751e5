"""Pictures of the screen during a walk through the wizard, and the list of published ones."""

import re
from collections.abc import Awaitable, Callable

from tests.looks.rehearsal import Hand, Take, wizard
from wizard.host.services import Services
from wizard.window.terminal import Terminal

README = ("drives", "purpose", "plan", "review", "result")
"""The five of the README."""
DOCS = ("actions", "work", "undo", "ways", "trial")
"""Those of the manual besides them."""
PUBLISHED = (*README, *DOCS)


async def pictured(
    services: Services,
    size: tuple[int, int],
    terminal: Terminal,
    steps: Callable[[Hand, Take], Awaitable[None]],
) -> dict[str, str]:
    """Return name and SVG of every picture taken during these steps."""
    taken: dict[str, str] = {}
    app = wizard(services, terminal)
    try:
        async with app.run_test(size=size) as pilot:

            async def take(name: str) -> None:
                await pilot.pause()
                taken[name] = plain_svg(app.export_screenshot(title="diskwright"))

            await steps(pilot, take)
    finally:
        app.desk.end()
    return taken


def plain_svg(svg: str) -> str:
    """Remove the address of a font on a server."""
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace(
        "font-family: Fira Code, monospace", "font-family: DejaVu Sans Mono, Menlo, Consolas, monospace"
    )
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
