"""A layer on a drive in one line, the same on every face."""

from wizard.model.machine import Layer
from wizard.model.names import printable
from wizard.model.units import format_exact


def layer_words(layer: Layer) -> str:
    """`md raid0 /dev/md0 on /dev/sda1, data at 1 MiB, stripes of 2 x 64 KiB, holds ext4, mounted on /srv`."""
    said = [f"{layer.kind} {printable(layer.path, 60)} on {printable(layer.below, 60)}"]
    if layer.offset_bytes is not None:
        said.append(f"data at {format_exact(layer.offset_bytes)}")
    if (spread := layer.striping) and spread.unit_bytes:
        said.append(f"stripes of {spread.width_bytes // spread.unit_bytes} x {format_exact(spread.unit_bytes)}")
    if layer.signatures:
        said.append(f"holds {'+'.join(printable(mark.kind, 20) for mark in layer.signatures)}")
    if layer.mount_points:
        said.append(f"mounted on {', '.join(printable(point, 60) for point in layer.mount_points)}")
    return ", ".join(said)
