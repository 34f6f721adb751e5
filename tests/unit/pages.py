"""Blocks of views as the lines that commands print."""

from collections.abc import Iterable

from wizard.cli.output import USUAL, harmless, rendered
from wizard.ui.view import Block


def page_lines(blocks: Iterable[Block], width: int = USUAL) -> list[str]:
    """Return blocks as lines without colour."""
    return [harmless(line) for block in blocks for line in rendered(block, width)]
