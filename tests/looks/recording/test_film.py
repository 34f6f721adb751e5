"""The README's animation is short and self-contained, and ends with a drive that is ready."""

from xml.etree import ElementTree

from tests.looks.recording.film import Film
from tests.looks.recording.walked import Frame, Walked, walked
from wizard.model.run import Event

MOST_BYTES = 300_000
NAMESPACE = "http://www.w3.org/2000/svg"


def text_of(frame: Frame) -> str:
    return "\n".join(strip.text for strip in frame.lines)


def test_recording_goes_from_an_empty_drive_to_a_ready_one() -> None:
    frames = walked()
    assert "empty" in text_of(frames[0]) and frames[0].key == ""
    assert "ready at /srv/media, writable by anna" in text_of(frames[-1])
    assert [frame.key for frame in frames].count("Enter") == 4
    svg = Film(frames).svg()
    assert len(svg.encode()) < MOST_BYTES
    root = ElementTree.fromstring(svg)
    names = {element.get("id") for element in root.iter(f"{{{NAMESPACE}}}g")}
    used = {element.get("href", "").removeprefix("#") for element in root.iter(f"{{{NAMESPACE}}}use")}
    assert used and used <= names
    assert "<script" not in svg and svg.count("http") == svg.count(NAMESPACE)


def test_displayed_run_ended_well() -> None:
    entries = Walked().entries
    assert entries[-1].event is Event.DONE
    assert not [entry for entry in entries if entry.event in (Event.FAILED, Event.NOT_VERIFIED)]
