"""A passphrase sent to the root process or read from a file, and the boot lines that need one."""

import io
import json
import os
from io import BytesIO
from pathlib import Path

import pytest

from tests.unit.machines import drive, machine
from tests.unit.plan.layouts import EVERYTHING, UUIDS
from tests.unit.plan.test_encryption import planned, secret
from wizard.apply.privilege.ask import Ask, RootRequest, as_line
from wizard.apply.steps.containers import data_place
from wizard.apply.system.fstab import add_line, check_lines, conflict, parse_crypttab, read_key
from wizard.cli.start import passphrase_for
from wizard.documents.codec import from_json
from wizard.host.services import Services
from wizard.model.errors import BadInput, Failed, Refused
from wizard.operations.containers import AddCrypttabLine
from wizard.plan.plan import LOST
from wizard.plan.request.roles import content_fault
from wizard.report.anonymous import without_names
from wizard.report.gather import Sources, make_report, render_report
from wizard.report.page import render_page
from wizard.ui.jobs.job import PlanJob

OPERATION = AddCrypttabLine(UUIDS[0], "luks-private-10000000")


def test_passphrase_file_loses_only_one_line_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "passphrase"
    file.write_bytes(b" words and more words \n")
    assert passphrase_for(planned(), str(file), anew=True) == b" words and more words "
    assert " ".join(str(LOST).split()[:6]) in " ".join(capsys.readouterr().err.split())
    for content, why in (
        (b"\n", "is empty"),
        (b"two\nlines\n", "control characters"),
        (b"x" * 600, "longer than"),
    ):
        file.write_bytes(content)
        with pytest.raises(BadInput, match=why):
            passphrase_for(planned(), str(file), anew=True)
    with pytest.raises(BadInput, match="cannot be read"):
        passphrase_for(planned(), str(tmp_path / "none"), anew=True)


def test_key_file_must_belong_to_root_alone(tmp_path: Path) -> None:
    key, content = tmp_path / "k", bytes(range(32)) + b"\n"
    key.write_bytes(content)
    key.chmod(0o600)
    if os.geteuid() == 0:
        assert read_key(key) == content
    for mode in (0o640, 0o604):
        key.chmod(mode)
        with pytest.raises(Refused, match="only root owns and reads"):
            read_key(key)
    key.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(key, 1234, 0)
    with pytest.raises(Refused, match="only root owns and reads"):
        read_key(key)
    (tmp_path / "link").symlink_to(key)
    os.mkfifo(tmp_path / "fifo", 0o600)
    for name, why in (
        ("link", "cannot be read"),
        ("none", "cannot be read"),
        ("fifo", "must be regular files"),
        (".", "no"),
    ):
        with pytest.raises(Refused, match=why):
            read_key(tmp_path / name)


def test_key_file_avoids_the_passphrase_prompt(tmp_path: Path) -> None:
    plan = planned(secret(key="/etc/keys/media.key"))
    assert passphrase_for(plan, None, anew=True) is None
    with pytest.raises(BadInput, match="No passphrase is needed"):
        passphrase_for(plan, str(tmp_path), anew=False)
    for one, asked in ((plan, False), (planned(), True)):
        assert PlanJob(Services(machine(), ""), one).takes_passphrase is asked


def test_key_counts_to_the_last_byte() -> None:
    assert content_fault(b"\n" * 16) is None and content_fault(bytes(4096)) is None
    for content in (b"", b"short", bytes(4097)):
        assert "bytes" in str(content_fault(content))


def test_stdin_can_be_the_passphrase_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(BytesIO(b"words and more words\n")))
    assert passphrase_for(planned(), "-", anew=False) == b"words and more words"


def test_request_to_root_contains_the_secret_without_showing_it() -> None:
    asked = RootRequest(Ask.APPLY, secret=b"several words".hex())
    assert from_json(json.loads(as_line(asked)), RootRequest, "the request") == asked
    assert b"several words".hex() not in repr(asked)


def test_crypttab_gets_one_line(tmp_path: Path) -> None:
    file = tmp_path / "crypttab"
    old = "# <name> <device> <key> <options>\nother UUID=0 none luks"
    file.write_text(old)
    line = OPERATION.line
    assert line == f"luks-private-10000000 UUID={UUIDS[0]} none luks,nofail"
    for _ in range(2):
        add_line(file, OPERATION, file.with_name("kept"))
        assert file.read_text() == f"{old}\n{line}\n"


@pytest.mark.parametrize(
    "line", ["luks-private-10000000 /dev/sdx1 none luks", f'x UUID="{UUIDS[0].upper()}" none luks']
)
def test_conflicting_crypttab_line_is_reported(tmp_path: Path, line: str) -> None:
    assert "line 2" in str(conflict(parse_crypttab(f"# {line}\n{line}\n"), OPERATION))
    assert conflict(parse_crypttab(f"# {line}\n"), OPERATION) is None
    file = tmp_path / "crypttab"
    file.write_text(f"{line}\n")
    with pytest.raises(Refused, match="Nothing was written"):
        check_lines(file, (OPERATION,))
    with pytest.raises(Failed, match="was not edited"):
        add_line(file, OPERATION, file.with_name("kept"))
    assert file.read_text() == f"{line}\n"


def test_anonymous_report_has_no_names_of_a_container() -> None:
    plan = planned()
    (container,) = plan.containers
    report = make_report(Sources(plan=plan, machine=machine(drive(), tools=EVERYTHING)))
    assert container.name in render_report(report)
    text = render_report(without_names(report)) + render_page(without_names(report))
    assert not [
        said for said in (container.name, container.uuid, container.uuid[:8], "luks-private") if said in text
    ]


def test_header_is_read_only_if_understood() -> None:
    assert data_place('{"segments":{"0":{"type":"crypt","offset":"16777216","sector_size":4096}}}') == (
        16777216,
        4096,
    )
    for other in (
        "",
        "[]",
        '{"segments":{}}',
        '{"segments":{"0":{"offset":"x","sector_size":1}}}',
        '{"segments":{"0":{},"1":{}}}',
    ):
        with pytest.raises(Failed, match="output not understood"):
            data_place(other)
