"""Documents with valid steps, changed texts and a valid digest: texts are derived again before the run."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.loop.applying import diskwright
from tests.loop.migrate.migrating import Old
from tests.loop.program import Refused
from tests.loop.tune.tuning import Used
from wizard.ext4.document import MIGRATIONS
from wizard.host.services import Services
from wizard.plan.changes import SETTINGS


@pytest.mark.parametrize("field", ["reasons", "doubts"])
def test_changes_with_altered_texts_are_refused(used: Used, field: str) -> None:
    uuid = used.line.split()[0]
    used.work.fstab.write_text(f"{used.fstab}\n{uuid} /elsewhere ext4 noatime 0 2\n")
    file, before = used.work.folder / "better.json", used.all
    own = ("--fstab", str(used.work.fstab))
    tuned = diskwright(used.work, "tune", used.drive, "--workload", "large-media", "-o", str(file), *own)
    assert tuned.returncode == 0, tuned.stderr
    made = SETTINGS.read(file.read_text(), str(file))
    told = made.reasons if field == "reasons" else made.doubts
    assert told
    for forged in (told[1:], (*told, "It was all tried by the maker of the drive.")):
        other = replace(made, reasons=forged) if field == "reasons" else replace(made, doubts=forged)
        file.write_text(SETTINGS.render(other))
        for words in (("--confirm", Path(used.drive).name), ("--dry-run",)):
            done = diskwright(used.work, "apply", str(file), *words, *own)
            assert done.returncode == 3 and "explanations differ" in done.stderr, done.stderr
    assert used.all == before and not list(used.work.runs.glob("*-*"))
    file.write_text(SETTINGS.render(made))
    done = diskwright(used.work, "apply", str(file), "--confirm", Path(used.drive).name, *own)
    assert done.returncode == 0, done.stderr


def test_migration_with_altered_texts_is_refused(old: Old) -> None:
    file, before = old.work.folder / "ext4.json", old.digest
    own = ("--fstab", str(old.work.fstab))
    old.planned_by_command(file)
    migration = MIGRATIONS.read(file.read_text(), str(file))
    for doubts in ((*migration.doubts, "Your files were saved elsewhere."), ("Nothing is lost.",)):
        file.write_text(MIGRATIONS.render(replace(migration, doubts=doubts)))
        for words in (("--confirm", migration.drive.token), ("--dry-run",)):
            done = diskwright(old.work, "apply", str(file), *words, *own)
            assert done.returncode == 3 and "explanations differ" in done.stderr, done.stderr
        services = Services(only=(old.drive,), environment=old.work.environment, journal_dir=old.work.runs)
        forged = replace(migration, doubts=doubts)
        with pytest.raises(Refused, match="explanations differ"):
            services.runs.start(forged, migration.tokens)
    assert old.digest == before and not list(old.work.runs.glob("*-*"))
    file.write_text(MIGRATIONS.render(migration))
    done = diskwright(old.work, "apply", str(file), "--dry-run", *own)
    assert done.returncode == 0, done.stderr
