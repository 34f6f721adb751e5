"""Draw a drive as a bar to scale, with names and sizes."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from wizard.model.said import format_capacity
from wizard.ui.view import Bar, Fate, Stretch
from wizard.window import canvas
from wizard.window.look import FILESYSTEMS, OTHER_FILESYSTEM, Look

TITLES = {
    "xfs": "XFS",
    "btrfs": "Btrfs",
    "vfat": "FAT",
    "exfat": "exFAT",
    "ntfs": "NTFS",
    "f2fs": "F2FS",
    "crypto_LUKS": "LUKS",
    "LVM2_member": "LVM",
    "linux_raid_member": "RAID",
}


def bar_lines(bar: Bar, width: int, look: Look, high: int, aside: int) -> Iterator[Strip]:
    """Yield the bar in `high` lines after its caption, then the labels without room. `aside`: cells reserved
    for the caption. With 0 lines, yield one, with short names."""
    caption = canvas.shown(bar.caption)
    if aside and aside + 2 > width // 3:
        if caption:
            yield from look.paragraph([(caption, "strong")], width)
        aside, caption = 0, ""
    left = aside + 2 if aside else 0
    room = width - left
    stretches = [stretch for stretch in bar.stretches if stretch.size_bytes > 0 or canvas.shown(stretch.name)]
    if not stretches or room < 4:
        yield look.line((caption, "strong"))
        return
    cells = shares(stretches, room, high)
    gap = _gap(len(stretches), room)
    for row in range(max(1, high)):
        strips: list[Strip] = []
        for stretch, wide in zip(stretches, cells, strict=True):
            if wide:
                strips += [Strip.blank(gap)] if strips else []
                strips.append(_piece(stretch, wide, row, high, look))
        label = look.line((caption if row == 0 else "", "strong"))
        yield canvas.joined(canvas.fitted(label, left), canvas.fitted(canvas.joined(*strips), room))
    left_out = [
        stretch for stretch, wide in zip(stretches, cells, strict=True) if wide < _need(stretch, high)
    ]
    if left_out and high:
        labels = ", ".join(filter(None, (" ".join(filter(None, _words(stretch))) for stretch in left_out)))
        yield from look.paragraph([(labels, "muted")], left + room, left)


def shares(stretches: Sequence[Stretch], width: int, high: int) -> list[int]:
    """Return the cells for each stretch: by size, at least enough for its label if possible."""
    room = width - _gap(len(stretches), width) * (len(stretches) - 1)
    needs = [_need(stretch, high) for stretch in stretches]
    equal_share = room // len(stretches)
    spare = room - sum(min(need, equal_share) for need in needs)
    least = []
    for need in needs:
        more = min(max(0, need - equal_share), max(0, spare))
        least.append(min(need, equal_share) + more)
        spare -= more
    total = sum(stretch.size_bytes for stretch in stretches) or 1
    # Fix those that need more than their share. The others share the remaining cells by size.
    wide = [room * stretch.size_bytes / total for stretch in stretches]
    fixed: set[int] = set()
    while True:
        free = room - sum(least[index] for index in fixed)
        weight = sum(wide[index] for index in range(len(wide)) if index not in fixed) or 1
        scaled = [least[i] if i in fixed else free * wide[i] / weight for i in range(len(wide))]
        short = {i for i in range(len(wide)) if i not in fixed and scaled[i] < least[i]}
        if not short:
            break
        fixed |= short
    cells = [int(share) for share in scaled]
    cells[max(range(len(cells)), key=lambda index: scaled[index])] += room - sum(cells)
    return [max(0, each) for each in cells]


def _gap(count: int, width: int) -> int:
    return 1 if count * 4 <= width else 0


def _words(stretch: Stretch) -> tuple[str, str, str]:
    name = canvas.shown(stretch.name)
    if stretch.fate is Fate.LOST:
        name = f"✗ {name}".rstrip()
    kind = canvas.shown(TITLES.get(stretch.filesystem, stretch.filesystem))
    return (
        name,
        "" if kind == name else kind,
        format_capacity(stretch.size_bytes) if stretch.size_bytes else "",
    )


def _labels(stretch: Stretch, high: int) -> list[tuple[str, ...]]:
    name, kind, size = _words(stretch)
    whole = " ".join(filter(None, (kind, size)))
    free = stretch.fate in (Fate.FREE, Fate.UNREAD)
    whole = ", ".join(filter(None, (whole, canvas.shown(stretch.use))))
    if high <= 1 or free:
        return [
            (" ".join(filter(None, (size, name))) if free else "  ".join(filter(None, (name, whole))), ""),
            (" ".join(filter(None, (name, size))), ""),
            *([] if high else [(size if free else name, "")]),
        ]
    return [(name, whole), (name, size)]


def _need(stretch: Stretch, high: int) -> int:
    return 2 + max(cell_len(text) for text in _labels(stretch, high)[-1])


def _piece(stretch: Stretch, wide: int, row: int, high: int, look: Look) -> Strip:
    ways = _labels(stretch, high)
    texts = next((way for way in ways if max(map(cell_len, way)) + 2 <= wide), ways[-1])
    text = texts[row] if row < len(texts) else ""
    if cell_len(text) + 2 > wide:
        *_, letter = FILESYSTEMS.get(stretch.filesystem, OTHER_FILESYSTEM)
        text = letter if look.colourless and wide < 4 else text[: canvas.fitting(text, wide - 1)]
    fate = stretch.fate
    role = "lost" if fate is Fate.LOST else "raised" if fate in (Fate.FREE, Fate.UNREAD) else ""
    style = look.style(role) if role else look.filesystem(stretch.filesystem)
    fill = look.fill if fate is Fate.FREE else " "
    fill = "?" if fate is Fate.UNREAD and not look.many else fill
    label = f" {text} " if text and cell_len(text) + 2 <= wide else f" {text}" if text else ""
    before = fill * 2 if label and fill != " " and cell_len(label) + 2 <= wide else ""
    rest = fill * max(0, wide - cell_len(before + label))
    bold = Style(bold=True) if row == 0 and look.many else Style.null()
    return canvas.fitted(look.line((before, style), (label, style + bold), (rest, style)), wide, style)
