"""Changes to a drive by others during a benchmark, detected from kernel data."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wizard.benchmark.scratch import Watch, locked, other_writer
from wizard.model.errors import Refused


class Kernel:
    """A drive `sda` in a simulated sysfs, and its /dev folder."""

    def __init__(self, folder: Path) -> None:
        self.sys, self.dev = folder / "sys", folder / "dev"
        self.drive = self.sys / "block/sda"
        self.drive.mkdir(parents=True)
        self.dev.mkdir()
        self.writes(0)

    def writes(self, sectors: int) -> None:
        (self.drive / "stat").write_text(f"  100 0 800 9 50 0 {sectors} 7 0 1 2 0 0 0 0 0 0\n")

    def add(self, name: str) -> None:
        (self.drive / name).mkdir()
        (self.drive / name / "partition").touch()
        (self.dev / name).touch()

    def drop(self, name: str) -> None:
        shutil.rmtree(self.drive / name)
        (self.dev / name).unlink()

    def watch(self) -> Watch:
        # A filesystem's clock ticks too seldom for a test.
        os.utime(self.dev, ns=(0, 0))
        return Watch("/dev/sda", self.sys, self.dev)


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    return Kernel(tmp_path)


def test_writes_of_the_trial_are_no_disturbance(kernel: Kernel) -> None:
    with kernel.watch() as watch:
        for done in range(1, 5):
            assert watch.trouble() is None
            kernel.writes(8 * done)
            watch.wrote(4096)
        assert watch.trouble() is None


def test_another_writer_is_noticed_even_before_the_first_write(kernel: Kernel) -> None:
    with kernel.watch() as watch:
        kernel.writes(8)
        assert str(watch.trouble()) == "Another program is writing to /dev/sda."
    kernel.writes(0)
    with kernel.watch() as watch:
        kernel.writes(24)
        watch.wrote(4096)
        assert str(watch.trouble()) == "Another program is writing to /dev/sda."


def test_kernel_without_statistics_blocks_no_trial(kernel: Kernel) -> None:
    with kernel.watch() as watch:
        assert watch.trouble() is None
        watch.wrote(4096)
        watch.wrote(4096)
        assert watch.trouble() is None
    (kernel.drive / "stat").unlink()
    with kernel.watch() as watch:
        watch.wrote(4096)
        assert watch.trouble() is None


def test_added_removed_or_moved_partitions_are_noticed(kernel: Kernel) -> None:
    kernel.add("sda1")
    with kernel.watch() as watch:
        assert watch.partitions == {"/dev/sda1"} and watch.trouble() is None
        kernel.add("sda2")
        assert "partitions of /dev/sda have changed" in str(watch.trouble())
    with kernel.watch() as watch:
        kernel.drop("sda2")
        assert "partitions of /dev/sda have changed" in str(watch.trouble())
    with kernel.watch() as watch:
        kernel.drop("sda1")
        kernel.add("sda3")
        assert "partitions of /dev/sda have changed" in str(watch.trouble())


def test_nodes_of_other_drives_are_no_disturbance(kernel: Kernel) -> None:
    with kernel.watch() as watch:
        (kernel.dev / "sdb").touch()
        (kernel.drive / "queue").mkdir()
        assert watch.trouble() is None


def test_no_file_remains_open(kernel: Kernel) -> None:
    before = set(Path("/proc/self/fd").iterdir())
    with kernel.watch() as watch:
        watch.trouble()
    with Watch("/dev/sda", kernel.sys, kernel.dev / "none") as watch:
        assert watch.trouble() is None
    assert len(set(Path("/proc/self/fd").iterdir())) == len(before)


@contextmanager
def program(folder: Path, **files: Path) -> Iterator[int]:
    """Run a program with an escape sequence in its name and these files open, each in the named mode."""
    shell = folder / "qemu\x1b[31m"
    shutil.copy("/bin/sh", shell)
    opens = " ".join(f"{BY[how]} {file}" for how, file in files.items())
    with subprocess.Popen(
        [shell, "-c", f"exec {opens}; echo; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as made:
        assert made.stdout is not None and made.stdout.readline()
        yield made.pid
        made.communicate(b"\n")


BY = {"reads": "3<", "writes": "4>>", "changes": "5<>"}


def test_program_with_the_drive_open_for_writing_is_named(tmp_path: Path) -> None:
    drive, part, other = (tmp_path / name for name in ("sda", "sda1", "sdb"))
    nodes = {str(drive), str(part)}
    other.touch()
    with drive.open("w"), program(tmp_path, reads=drive, writes=other):
        assert other_writer(nodes) is None
    for how in ("writes", "changes"):
        with program(tmp_path, **{how: part}) as number:
            said = str(other_writer(nodes))
            assert said.isprintable() and "qemu" in said
            assert said.endswith(f"(process {number}) has {part} open for writing.")
    assert other_writer(nodes) is None


def test_drive_locked_by_another_program_is_refused(tmp_path: Path) -> None:
    drive = tmp_path / "sda"
    drive.touch()
    with locked(str(drive)), pytest.raises(Refused, match="Nothing was written"), locked(str(drive), 0.1):
        pass
    with locked(str(drive), 0.0):
        pass
