"""Which part of the content is moved next. Pure."""

from collections.abc import Iterator

from wizard.apply.move.mover.state import Course, Side


def next_window(course: Course, boundary: int, target: Side) -> tuple[int, int] | None:
    """The next [start, end) of the content, or None where all of it lies at the target. The end that the next
    window begins at lies on a border of physical blocks at the place it goes to: a torn write never takes in
    what another window wrote."""
    block = course.physical_bytes
    if course.raises(target):
        if boundary <= course.head_bytes:
            return None
        start = boundary - course.window_bytes
        if start <= course.head_bytes:
            return course.head_bytes, boundary
        start += -(course.hi + start) % block
        return start, boundary
    if boundary >= course.size_bytes:
        return None
    end = boundary + course.window_bytes
    if end >= course.size_bytes:
        return boundary, course.size_bytes
    end -= (course.lo + end) % block
    return boundary, end


def windows(course: Course, boundary: int, target: Side) -> Iterator[tuple[int, int]]:
    """All of them, in order."""
    while (window := next_window(course, boundary, target)) is not None:
        yield window
        boundary = window[0] if course.raises(target) else window[1]


def after(window: tuple[int, int], upwards: bool) -> int:
    """Where the boundary is once the window has moved."""
    return window[0] if upwards else window[1]


def ends(course: Course, target: Side) -> tuple[int, int]:
    """Where content is read from and written to, as what is added to its offsets."""
    return (course.lo, course.hi) if course.raises(target) else (course.hi, course.lo)
