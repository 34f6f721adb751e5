"""For every tier: whoever runs the tests may have profiles and a language of their own, which must not change
what they see."""

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
    """A tier that is cut off by its limit reports what passed until then."""
    if not hasattr(config, "workerinput"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Reports of all workers come here, too."""
    _METER.add(report.location[0], report.when or "", report.duration)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Only the process that has all reports writes them down."""
    if not hasattr(session.config, "workerinput"):
        _METER.write()


@pytest.fixture(scope="session")
def pseudo_catalogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of catalogues with the language that nobody speaks, as `eo`."""
    from tests.translation import write_pseudo

    folder = tmp_path_factory.mktemp("locale")
    write_pseudo(folder)
    return folder


@pytest.fixture
def pseudo_language(pseudo_catalogues: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything in this process is said in the language that nobody speaks, also what begins at the command
    line."""
    from wizard.documents import files
    from wizard.model.said import English, Language

    monkeypatch.setenv("LANGUAGE", "eo")
    monkeypatch.setenv("LC_ALL", "eo")
    monkeypatch.setattr(files, "CATALOGUES", str(pseudo_catalogues))
    monkeypatch.setattr(Language, "one", English.one)
    monkeypatch.setattr(Language, "many", English.many)
    monkeypatch.setattr(Language, "of_profiles", English.of_profiles)
    files.speak()
