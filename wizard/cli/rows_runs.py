"""Commands for runs."""

from wizard.cli.command import (
    CONFIRM,
    FROM_DRIVE,
    JOURNAL,
    JSON,
    MACHINE,
    PASSPHRASE_FILE,
    RUN,
    Argument,
    CommandRow,
    plain,
    root,
)
from wizard.model.said import t

RUNS = (
    CommandRow(
        "status",
        t("list runs, waiting ones first"),
        "status:status",
        (RUN, JSON, JOURNAL),
        (root("status"), root("status 0007-sdb --json")),
        (
            t(
                "States: running, waiting, done, failed, stopped, interrupted, refused, undone, kept. A "
                "waiting run is written, but not in use yet. `resume` continues a failed, stopped or "
                "interrupted run, `undo` reverts it. A refused run failed a check before the next write. A "
                "kept run cannot be undone."
            ),
        ),
    ),
    CommandRow(
        "look",
        t("show the result of a waiting run, read-only"),
        "runs:look",
        (RUN, JOURNAL),
        (root("look"), root("look 0008-sdb")),
        (
            t(
                "Shows the commands that mount the scratch copy read-only in another terminal. The drive is "
                "neither read nor written. Preserved partitions have no content here."
            ),
        ),
    ),
    CommandRow(
        "keep",
        t("keep the result of a waiting run for good"),
        "runs:keep_run",
        (RUN, FROM_DRIVE, CONFIRM, PASSPHRASE_FILE, JOURNAL),
        (root("keep"), root("keep 0008-sdb1"), root("keep --from-drive /dev/sdb")),
        (
            t(
                "Writes the withheld signatures, mounts the volumes as planned, and runs all checks. "
                "Deletes the saved bytes: the old content is then lost for good. If interrupted, run again."
            ),
            t(
                "A waiting drive looks empty, also on other computers. If the run's folder is lost, "
                "--from-drive reads the recovery label on the drive. It lists every range to write; "
                "--confirm writes and checks the ranges. No volume is mounted. The old content was saved in "
                "the folder, and is lost as well."
            ),
        ),
        begins=True,
    ),
    CommandRow(
        "undo",
        t("restore the old content, bit for bit, unless the run was kept"),
        "runs:undo_run",
        (
            RUN,
            JOURNAL,
            Argument(
                "--over-changes", t("overwrite data that another program wrote to the drive since `apply`")
            ),
            CONFIRM,
        ),
        (root("undo"), root("undo 0007-sdb")),
        (
            t(
                "The old content is read back and compared. If interrupted, run again. Settings are "
                "reverted unless changed since. A conversion to ext4 is undone until kept or mounted for "
                "writing. A plan that ran directly on the drive cannot be undone."
            ),
        ),
        begins=True,
    ),
    CommandRow(
        "resume",
        t("continue a failed, stopped or interrupted run"),
        "runs:resume_run",
        (RUN, FROM_DRIVE, CONFIRM, PASSPHRASE_FILE, JOURNAL),
        (
            root("resume"),
            root("resume 0007-sdb --confirm WD-WX11A2345678"),
            root("resume --from-drive /dev/sdb", t("a move, from the journal on the drive")),
        ),
        (
            t(
                "Continues with the first unfinished step. The drive must be the same, and unchanged since "
                "the run ended. If the run would still overwrite data, confirm the drive again."
            ),
        ),
        begins=True,
    ),
    CommandRow(
        "report",
        t("save a run or a plan as one HTML page or as JSON"),
        "report:report",
        (
            RUN,
            Argument("--plan PLAN.json", t("report on a plan that was not applied")),
            Argument("--device DEVICE", t("report on a drive, without a plan")),
            Argument("--workload ID", t("with --device or --machine: add advice for this workload")),
            MACHINE,
            Argument("--verdict VERDICT.json", t("add measurements from `bench -o` or `trial -o`")),
            JOURNAL,
            Argument(
                "-o --output FILE", t("save the page in this file, or the document if the name ends in .json")
            ),
            JSON,
            Argument(
                "--without-serials",
                t(
                    "replace serial numbers, WWNs, UUIDs, by-id paths, labels, mount points and names of "
                    "personal folders"
                ),
            ),
        ),
        (
            root("report 0007-sdb --without-serials -o report.html"),
            plain("report --plan media.json --machine saved.json -o report.html"),
            plain("report --device /dev/sdX --workload large-media --json | jq .advice[0].choices[0]"),
        ),
    ),
)
