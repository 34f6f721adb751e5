"""Fixtures for every tier. The user's profiles and language must not affect results."""

import os
import signal
from pathlib import Path

import pytest

from tests.costs import Meter

os.environ["XDG_CONFIG_HOME"] = "/nonexistent"
# Nor does it matter who called: what is planned here is root's, unless a test says otherwise.
os.environ["SUDO_UID"] = "0"
os.environ["LANGUAGE"] = "en"


_METER = Meter()


def pytest_configure(config: pytest.Config) -> None:
    """Report the passed tests if the time limit interrupts a tier."""
    if not hasattr(config, "workerinput"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Receive the reports of all workers."""
    _METER.add(report.location[0], report.when or "", report.duration)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the costs in the main process, which has all reports."""
    if not hasattr(session.config, "workerinput"):
        _METER.write()


@pytest.fixture(scope="session")
def pseudo_catalogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of catalogues with the pseudo language as `eo`."""
    from tests.translation import write_pseudo

    folder = tmp_path_factory.mktemp("locale")
    write_pseudo(folder)
    return folder


@pytest.fixture
def pseudo_language(pseudo_catalogues: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pseudo language in this process, including messages of the command line."""
    from wizard.documents import files
    from wizard.model.said import English, Language

    monkeypatch.setenv("LANGUAGE", "eo")
    monkeypatch.setenv("LC_ALL", "eo")
    monkeypatch.setattr(files, "CATALOGUES", str(pseudo_catalogues))
    monkeypatch.setattr(Language, "one", English.one)
    monkeypatch.setattr(Language, "many", English.many)
    monkeypatch.setattr(Language, "of_profiles", English.of_profiles)
    files.speak()
