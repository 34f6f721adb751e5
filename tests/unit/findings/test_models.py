"""The list of models: full model numbers as reported, similar names, and user entries."""

import re
from pathlib import Path

import pytest

from tests.unit.machines import drive, machine
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import Pattern, RecordingKind, fitting, load_patterns, read_patterns
from wizard.findings.smr_evidence import judge_recording, may_be_shingled, rungs_of
from wizard.model.drive_facts import Ata, Smart
from wizard.model.errors import BadInput
from wizard.model.finding import Recorded, Recording, Severity
from wizard.model.machine import Drive
from wizard.model.said import in_english

YES, LIKELY, UNKNOWN, _ = Recorded
TB = 10**12


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Pattern, ...]:
    """List of models without entries of this machine's user."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    found = load_patterns()
    assert not any(re.fullmatch(one.model, "") or (one.largest_tb or 1) <= 0 for one in found)
    return found


def by_model(subject: Drive, patterns: tuple[Pattern, ...]) -> Recording:
    return judge_recording(subject, rungs_of(subject, patterns))


def test_silent_drive_is_recognised_by_its_model(bundled: tuple[Pattern, ...]) -> None:
    found = by_model(drive(model="ST8000AS0002-1NA17Z"), bundled)
    assert found == Recording("shingled", "drive", YES, "high", found.evidence)
    assert "smartmontools" in str(found.evidence[-1].source)


WHOLE = [
    ("WDC WD40EDAZ-11SLVB0", YES),
    ("WDC WD20EZBX-00AYRA0", YES),
    ("TOSHIBA DT02ABA200", UNKNOWN),
    ("WDC WSH722020ALN604", LIKELY),
    ("WDC WSH722626ALN604", LIKELY),
    ("WDC WUH722626ALE604", UNKNOWN),
    ("WDC WUH721818ALE6L4", UNKNOWN),
    ("HGST HTS541010A9E680", UNKNOWN),
    ("WDC WD120EMAZ-11BLFA0", UNKNOWN),
    ("WDC WD140EDFZ-11A0VA0", UNKNOWN),
    ("WDC WD10EZEX-08WN4A0", UNKNOWN),
    ("WDC WD10EARS-00Y5B1", UNKNOWN),
    ("ST1000DM010-2EP102", UNKNOWN),
    ("ST2000LM003 HN-M201RAD", UNKNOWN),
    ("TOSHIBA MG08ACA16TE", UNKNOWN),
    ("TOSHIBA MQ01ABD100", UNKNOWN),
    ("HGST HUS726T4TALA6L4", UNKNOWN),
    ("SAMSUNG HD204UI", UNKNOWN),
    ("Samsung SSD 870 QVO 8TB", UNKNOWN),
    ("My Passport 25E2", UNKNOWN),
]
"""Model numbers as IDENTIFY data have them, where a name from the lists below would not show the case."""


@pytest.mark.parametrize(("model", "verdict"), WHOLE, ids=[model for model, _ in WHOLE])
def test_model_numbers_match_completely(bundled: tuple[Pattern, ...], model: str, verdict: Recorded) -> None:
    found = by_model(drive(model=model), bundled)
    assert found.verdict is verdict, found.evidence
    assert by_model(drive(model=model.replace(" ", "_")), bundled).verdict is verdict, "as udev writes it"
    # SCSI has room for 16 characters: what is cut within the number is not known, and never something else.
    cut = by_model(drive(model=model[:16]), bundled).verdict
    assert cut is (UNKNOWN if len(model.split("-")[0]) > 16 else verdict)


def test_model_shingled_only_in_old_smartctl_is_a_doubt(bundled: tuple[Pattern, ...]) -> None:
    """smartctl 7.3 lists ST4000DM005 as shingled, but the database of August 2026 does not."""
    subject = drive(model="ST4000DM005-2DP166", smart=Smart(model_family="Seagate BarraCuda 3.5 (SMR)"))
    assert by_model(subject, bundled).verdict is UNKNOWN


@pytest.mark.parametrize(
    "own", [{"ata": Ata(model="WDC WD40NDZW-11MR8S1")}, {"smart": Smart(model_name="WDC WD40NDZW-11MR8S1")}]
)
def test_model_of_the_drive_counts_behind_a_named_bridge(
    bundled: tuple[Pattern, ...], own: dict[str, Ata | Smart]
) -> None:
    assert by_model(drive(vendor="WD", model="My Passport 25E2", bus="usb"), bundled).verdict is UNKNOWN
    assert by_model(drive(vendor="WD", model="My Passport 25E2", bus="usb", **own), bundled).verdict is LIKELY


def test_pattern_may_exclude_larger_drives() -> None:
    mine = (Pattern(model="WD.*EMAZ", largest_tb=6),)
    for size_bytes, verdict in (
        (6 * TB + 10**9, LIKELY),
        (4 * TB // 100, LIKELY),
        (8 * TB, UNKNOWN),
        (None, LIKELY),
    ):
        assert (
            by_model(drive(model="WDC WD60EMAZ-11LW3B0", size_bytes=size_bytes, free=()), mine).verdict
            is verdict
        ), size_bytes


def test_bundled_limits_include_drives_of_the_named_size(bundled: tuple[Pattern, ...]) -> None:
    """6 TB drives have 6,001,175,126,016 bytes."""
    for model in ("WDC WD60EFAX-68SHWN0", "WDC WD60EZAZ-00SF3B0", "WDC WD60EMAZ-11LW3B0"):
        assert (
            by_model(drive(model=model, size_bytes=6_001_175_126_016, free=()), bundled).verdict
            is not UNKNOWN
        )
        assert by_model(drive(model=model, size_bytes=8_001_563_222_016, free=()), bundled).verdict is UNKNOWN


def models_in(text: str) -> list[str]:
    return text.split()


HIGH = models_in("""
ST2000DM005 ST2000DM008 ST3000DM007 ST4000DM004 ST6000DM003 ST8000DM004 ST5000AS0011 ST6000AS0002 ST8000AS0002
ST8000AS0012 WD20EFAX WD30EFAX WD40EFAX WD60EFAX WD20EZAZ WD40EZAZ WD60EZAZ WD60EDAZ WD40EZBX WD10SPZX
WD20SPZX WD10SPSX HDWD220 HDWD240 HDWD260 HDWT720 HDWT740 HDWT840 HDWT860 HDWL110 HDWL120 MQ04UBB200
MQ04UBB400
""")
MEDIUM = models_in("""
DT02ABA400 DT02ABA600 DT02ABA400V DT02ABA600V MQ04ABF100 MQ04ABD200
HDWD320 ST500LM030 ST1000LM048 ST2000LM015 ST3000LM024
ST4000LM024 ST5000LM000
""")
LOW = models_in("""
ST8000AS0003 ST500LM034 ST1000LM035 ST1000LM038 ST1000LM049 ST2000LM007 ST2000LM010 ST2000LX001 ST1000LX015
ST500LX025 ST32000NM003K ST36000NM003K MQ04UBF100 MQ04UBD200 HDWC360 ST5000DM003 WD40NDZW WD50NDZW WD40NDZM
WD50NDZM WD30NMZW WD40NMZW WD50NMZW WD40NMZM WD30NMRW WD40NPZZ WD10SDZW WD20SDZW WD10SMZW WD20SMZW WD10SDZM
WD20SDZM WD10SMZM WD20SMZM HTS541010B7E610 WD10SPWX WD9000LPZX WD5000LPSX WD40EMAZ WD60EMAZ
""")
NOT_SHINGLED = models_in("""
ST4000DM005 ST500DM009 ST4000DM000 ST5000DM000 ST4000VX007 ST4000VX013 ST2000LM003 ST5000LM024 ST4000LM000
ST1000LM024 WD80EFAX WD100EFAX WD80EZAZ WD80EMAZ WD80EDAZ WD100EMAZ WD40EFRX WD40EFZX WD40EZAX WD60EAZZ
WD40EAAZ HDWD110 HDWD130 HDWJ110 HDWK105 ST8000NM0055 ST500LM0300 ST8000DM0045 XST4000DM004 WD400EFAX
WD10EARS-00Y5B1 DT01ACA300 ST2000L003 MQ04UBB4000 ST8000AS0022
""")


def names_of(model: str) -> list[str]:
    """Return a model number as IDENTIFY data, udev, and SCSI's 16 characters have it."""
    maker = {"WD": "WDC ", "ST": ""}.get(model[:2], "TOSHIBA ")
    whole = f"{maker}{model}-68JH4N0"
    cut = [whole[:16]] if len(maker + model) <= 16 else []
    return [model, whole, whole.replace(" ", "_"), f"{model} 0001", *cut]


@pytest.mark.parametrize("model", HIGH + MEDIUM + LOW)
def test_listed_models(bundled: tuple[Pattern, ...], model: str) -> None:
    confidence = "high" if model in HIGH else "medium" if model in MEDIUM else "low"
    for name in names_of(model):
        found = by_model(drive(model=name), bundled)
        assert (found.verdict, found.confidence) == (YES if confidence == "high" else LIKELY, confidence), (
            name
        )
    if confidence == "low":
        assert "reported" in str(found.evidence[-1].says)


LISTED = models_in("""
ST4000VN008 ST8000VN004 ST12000VN0008 ST16000NE000 ST20000NT001 ST4000VX013 ST8000VX004 ST16000VE002
ST8000NM0055
ST20000NM007D WD40EFRX WD40EFZX WD40EFPX WD80EFAX WD101EFAX WD120EFBX WD80EFZZ WD4003FFBX WD161KFGX WD102KRYZ
HDWG480 HDWN180 HDWQ140 HDWE140 HDWR180
""")
NOT_LISTED = models_in("""
ST4000DM005 ST500DM009 ST4000VN000 ST32000NM003K WD40EFAX WD400EFAX WD40EZAX HDWD130 HDWT840
""")


@pytest.mark.parametrize("model", NOT_SHINGLED + LISTED)
def test_conventional_look_alikes_are_not_listed(bundled: tuple[Pattern, ...], model: str) -> None:
    for name in names_of(model):
        found = by_model(drive(model=name), bundled)
        assert found.verdict is UNKNOWN, found.evidence


@pytest.mark.parametrize("model", LISTED)
def test_conventional_model_of_the_maker_is_an_info_with_its_source(
    bundled: tuple[Pattern, ...], model: str
) -> None:
    subject = drive(model=model)
    found = diagnose(machine(subject), subject, bundled)
    (finding,) = [one for one in found.findings if one.code.startswith("recording")]
    assert (finding.code, finding.severity) == ("recording-listed-conventional", Severity.INFO)
    (pattern,) = [one for one in fitting(subject, bundled) if one.kind is RecordingKind.LISTED_CONVENTIONAL]
    assert pattern.source.english in in_english(finding.source)
    assert found.recording.verdict is UNKNOWN and not may_be_shingled(subject, found.recording)


@pytest.mark.parametrize("model", NOT_LISTED)
def test_unlisted_model_remains_in_doubt(bundled: tuple[Pattern, ...], model: str) -> None:
    assert by_model(drive(model=model), bundled).kind != "listed-conventional"


@pytest.mark.parametrize(
    ("says", "code"),
    [
        ({"zoned": "host-managed"}, "recording-zoned-host-managed"),
        ({"vpd_zoned": 2}, "recording-shingled"),
        ({"smart": Smart(model_family="Example (SMR)")}, "recording-contradiction"),
    ],
)
def test_list_of_the_maker_never_hides_evidence_for_shingles(
    bundled: tuple[Pattern, ...], says: dict[str, str | int | Smart], code: str
) -> None:
    subject = drive(model="ST8000VN004", **says)
    found = diagnose(machine(subject), subject, bundled)
    assert code in {one.code for one in found.findings}
    assert "recording-listed-conventional" not in {one.code for one in found.findings}


def test_each_model_is_listed_once(bundled: tuple[Pattern, ...]) -> None:
    for model in HIGH + MEDIUM + LOW:
        found = [
            one for one in fitting(drive(model=model), bundled) if one.kind is not RecordingKind.MEDIA_CACHE
        ]
        assert len(found) == 1, model


@pytest.mark.parametrize(
    ("model", "verdict", "confidence"),
    [
        ("HSH721414ALE6M0", LIKELY, "low"),
        ("HGST HMH7210A0ALE600", YES, "high"),
        ("HGST HMH7210A0AL", YES, "high"),
    ],
)
def test_host_managed_models_are_reported_as_such(
    bundled: tuple[Pattern, ...], model: str, verdict: Recorded, confidence: str
) -> None:
    found = by_model(drive(model=model, zoned=None), bundled)
    assert (found.verdict, found.management, found.confidence) == (verdict, "host-managed", confidence)


def test_model_split_by_a_usb_bridge_is_found(bundled: tuple[Pattern, ...]) -> None:
    assert by_model(drive(vendor="ST8000DM", model="004-2CX188", bus="usb"), bundled).verdict is YES


def test_user_file_extends_the_list_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "diskwright" / "drives"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text('drives = [{ model = "ST9999XX000", source = "my own measurement" }]\n')
    found = by_model(drive(model="ST9999XX000-1AB"), load_patterns())
    assert (found.verdict, found.confidence) == (LIKELY, "low")
    assert "my own measurement" in str(found.evidence[-1].source)


def test_machine_file_precedes_the_user_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The last entry counts, so a user's entry overrides the administrator's."""
    for folder, kind in (("etc", "host-aware"), ("config/diskwright", "host-managed")):
        (tmp_path / folder / "drives").mkdir(parents=True)
        (tmp_path / folder / "drives" / "one.toml").write_text(
            f'drives = [{{ model = "ST9999XX000", kind = "{kind}" }}]\n'
        )
    folders = (tmp_path / "etc", tmp_path / "config/diskwright")
    monkeypatch.setattr("wizard.documents.profiles.profile_folders", lambda: folders)
    assert by_model(drive(model="ST9999XX000-1AB"), load_patterns()).management == "host-managed"


def test_line_in_the_file_header_works_as_it_is(tmp_path: Path) -> None:
    head = (Path(__file__).resolve().parents[3] / "profiles/drives/shingled.toml").read_text()
    (line,) = [
        line.removeprefix("#").strip() for line in head.splitlines() if line.startswith("#     drives = [")
    ]
    path = tmp_path / "mine.toml"
    path.write_text(line + "\n")
    assert list(fitting(drive(model="ST9999XX000-1AB"), read_patterns(path)))


def test_every_bundled_pattern_has_its_source(bundled: tuple[Pattern, ...]) -> None:
    for pattern in bundled:
        assert pattern.family and pattern.source != Pattern("x").source


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('drives = [{ model = "ST(" }]\n', ("line 1", "drives 1", "`model`", "'ST('")),
        (
            '[[drives]]\nmodel = "A"\n\n[[drives]]\nfamily = "F"\nmodel = "["\n',
            ("line 6", "drives 2", "`model`"),
        ),
        ('[[drives]]\nmodel = ".*"\n', ("line 2", "drives 1", "`model`", "every drive")),
        (
            '[[drives]]\nmodel = "A"\nkind = "roof"\n',
            ("line 3", "drives 1", "`kind`", "drive-managed", "'roof'"),
        ),
        ('[[drives]]\nmodel = "A"\nconfidnce = "high"\n', ("drives 1", "confidnce")),
        ("[[drives]]\nmodel = 3\n", ("line 2", "drives 1", "`model`")),
        (
            '[[drives]]\nmodel = "A"\nlargest_tb = 0\n',
            ("line 3", "drives 1", "`largest_tb`", "excludes every drive"),
        ),
        (
            '[[drives]]\nmodel = "A"\nlargest_tb = "6"\n',
            ("line 3", "drives 1", "`largest_tb`", "must be a number, not text"),
        ),
        ("drives = [\n", ("end of document",)),
    ],
)
def test_bad_file_is_reported_by_file_line_and_key(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        read_patterns(path)
    for word in (str(path), *words):
        assert word in str(caught.value)
