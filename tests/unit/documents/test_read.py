"""Documents read from pipes."""

import os
import threading
from contextlib import suppress
from pathlib import Path
from time import sleep

import pytest

from wizard.documents import files
from wizard.documents.files import read_file
from wizard.model.errors import BadInput


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_pipe_without_a_writer_is_reported(pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "WRITER_SECONDS", 0.2)
    with pytest.raises(BadInput, match="No data arrived through the pipe"):
        read_file(pipe)


@pytest.mark.parametrize("late", ["opens late", "writes late"])
def test_slow_writer_is_awaited(late: str, pipe: Path) -> None:
    text = "word " * 100_000

    def write() -> None:
        if late == "opens late":
            sleep(0.3)
        with pipe.open("w") as file:
            if late == "writes late":
                sleep(0.3)
            file.write(text)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    assert read_file(pipe) == text
    writer.join(5)


def test_oversized_input_from_a_pipe_is_refused(pipe: Path) -> None:
    def write() -> None:
        descriptor = os.open(pipe, os.O_WRONLY)
        with suppress(BrokenPipeError):
            os.write(descriptor, b"x" * 200_000)
        os.close(descriptor)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    with pytest.raises(BadInput, match="too large"):
        read_file(pipe, 1000)
    writer.join(5)
