#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make drives match a description: a thin layer over `diskwright ensure --json`."""

DOCUMENTATION = r"""
---
module: drives
short_description: Make drives match a description
description:
  - Sets up partitions, filesystems, lines of fstab and mounts of whole drives with C(diskwright ensure)
    on the target. Changes only differences.
  - A blank drive is set up. A missing mount is added. A drive that matches is not changed.
  - A drive with other content is refused, and so are all other drives of the task. Nothing is destroyed
    unless C(replace) names that drive and its content.
options:
  drives:
    description: The drives, as in the file for C(diskwright ensure).
    type: list
    elements: dict
    suboptions:
      name:
        description: The name of the drive in messages.
        type: str
      match:
        description: What exactly one drive must have. All given keys must match.
        type: dict
        required: true
        suboptions: &match
          path:
            description: A device node, or a link to one such as C(/dev/disk/by-id/...).
            type: str
          model:
            description: The model, or a shell pattern such as C(WDC*).
            type: str
          serial:
            description: The serial number. Quote one of digits only.
            type: str
          size:
            description: The size on the box, within one percent, as text with a unit such as C(4TB).
            type: raw
          bus:
            description: The bus as in C(diskwright inspect), such as C(sata), C(usb) or C(nvme).
            type: str
      also:
        description: More drives for the same volume. Needs I(mirror) or I(stripe).
        type: list
        elements: dict
        suboptions: *match
      mirror:
        description: Mirror the volume across the drives.
        type: str
        choices: [md, btrfs]
      stripe:
        description: Stripe the volume across the drives.
        type: str
        choices: [md, btrfs]
      table:
        description: The type of a new partition table.
        type: str
        choices: [gpt, mbr]
        default: gpt
      lvm:
        description: Create all volumes in one LVM volume group.
        type: bool
        default: false
      replace:
        description: The content that may be lost, as the refusal prints it.
        type: str
      danger:
        description: The dangers of options that endanger data, typed out.
        type: list
        elements: str
      volume:
        description: The volumes, in their order on the drive. Each needs I(workload) or I(role).
        type: list
        elements: dict
        required: true
        suboptions:
          workload:
            description: What the volume is used for, as in C(diskwright workloads).
            type: str
          role:
            description: The role of the volume in a system.
            type: str
            choices: [esp, boot, root, home, swap]
          size:
            description: Text such as C(500G), C(30%) or C(rest). Default is the role's size, or the rest.
            type: raw
          label:
            description: The label of the filesystem.
            type: str
          mount:
            description: The mount point, now and at every boot; C(none) for none. Default is C(/srv/LABEL).
            type: str
          writable:
            description: A user name, C(group:NAME), C(everyone) or C(root).
            type: str
          fs:
            description: The filesystem. Default is the recommended one, or the existing one.
            type: str
          encrypt:
            description: Create the filesystem in an encrypted container. Needs I(key).
            type: str
            choices: [luks2]
          key:
            description: The key file on the target, of root and with mode 0600.
            type: str
          option:
            description: Options by id, as in C(diskwright options).
            type: list
            elements: str
          subvolume:
            description: Btrfs subvolumes, each as C(NAME) or C(NAME:DIR).
            type: list
            elements: str
  src:
    description: A file for C(diskwright ensure) on the target, instead of I(drives).
    type: path
  executable:
    description: The path of the program on the target, or its name in the search path.
    type: str
    default: diskwright
  journal:
    description: The folder for runs (C(/var/lib/diskwright/runs)).
    type: path
  fstab:
    description: The fstab to change (C(/etc/fstab)).
    type: path
attributes:
  check_mode:
    support: full
    description: Shows the changes without writing.
  diff_mode:
    support: full
    description: Shows each drive before and after.
requirements:
  - diskwright on the target, which the role C(diskwright.storage.one_file) copies there
  - root on the target (become)
author:
  - The diskwright project
"""

EXAMPLES = r"""
- name: The 4 TB drive holds media
  become: true
  diskwright.storage.drives:
    drives:
      - name: media
        match: {model: "WDC WD40*", bus: sata}
        volume:
          - workload: large-media
            label: media
            mount: /srv/media
            writable: "group:family"

- name: Two drives hold the photos together, each file twice
  become: true
  diskwright.storage.drives:
    drives:
      - name: photos
        match: {serial: WD-A1}
        also: [{serial: WD-B2}]
        mirror: btrfs
        volume:
          - workload: nas
            mount: /srv/photos
"""

RETURN = r"""
drives:
  description: The result of each drive, as C(drives) of a C(diskwright.ensured/1) document.
  returned: always, if the drives were read
  type: list
  elements: dict
"""

import json  # noqa: E402 - Ansible wants its documentation before
from pathlib import Path  # noqa: E402

from ansible.module_utils.basic import AnsibleModule  # noqa: E402

TEXT = {"type": "str"}
TEXTS = {"type": "list", "elements": "str"}
# Raw: Ansible would turn the number 10 into text, but diskwright must refuse a size without a unit.
SIZE = {"type": "raw"}
MATCH = {"path": TEXT, "model": TEXT, "serial": TEXT, "size": SIZE, "bus": TEXT}
VOLUME = {
    "workload": TEXT,
    "role": {"type": "str", "choices": ["esp", "boot", "root", "home", "swap"]},
    "size": SIZE,
    "label": TEXT,
    "mount": TEXT,
    "writable": TEXT,
    "fs": TEXT,
    "encrypt": {"type": "str", "choices": ["luks2"]},
    "key": TEXT,
    "option": TEXTS,
    "subvolume": TEXTS,
}
DRIVE = {
    "name": TEXT,
    "match": {"type": "dict", "required": True, "options": MATCH},
    "also": {"type": "list", "elements": "dict", "options": MATCH},
    "mirror": {"type": "str", "choices": ["md", "btrfs"]},
    "stripe": {"type": "str", "choices": ["md", "btrfs"]},
    "table": {"type": "str", "choices": ["gpt", "mbr"], "default": "gpt"},
    "lvm": {"type": "bool", "default": False},
    "replace": TEXT,
    "danger": TEXTS,
    "volume": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": VOLUME,
        "required_one_of": [("workload", "role")],
    },
}
OPTIONS = {
    "drives": {"type": "list", "elements": "dict", "options": DRIVE},
    "src": {"type": "path"},
    "executable": {"type": "str", "default": "diskwright"},
    "journal": {"type": "path"},
    "fstab": {"type": "path"},
}


def wanted_file(module: AnsibleModule) -> str:
    """Return the path of the file for `diskwright ensure`."""
    if module.params["src"]:
        return module.params["src"]
    path = Path(module.tmpdir, "wanted.json")
    wanted = {"schema": "diskwright.wanted/1", "drive": given(module.params["drives"])}
    path.write_text(json.dumps(wanted), encoding="utf-8")
    return str(path)


def given(value: object) -> object:
    """Return the value without options that the task omits."""
    if isinstance(value, dict):
        return {key: given(one) for key, one in value.items() if one is not None}
    return [given(one) for one in value] if isinstance(value, list) else value


def differences(drive: dict) -> list:
    """Return before and after, for --diff, of a drive and the other drives of its volume."""
    return [difference(drive["name"], one) for one in (drive, *drive["also"])]


def difference(name: str, drive: dict) -> dict:
    """Return before and after of one drive."""
    header = f"{name} ({drive['path']})"
    shown = {side: json.dumps(drive[side], indent=2) + "\n" for side in ("before", "after")}
    return dict(shown, before_header=header, after_header=header)


def main() -> None:
    """Run the command, and return its result."""
    module = AnsibleModule(
        argument_spec=OPTIONS,
        required_one_of=[("drives", "src")],
        mutually_exclusive=[("drives", "src")],
        supports_check_mode=True,
    )
    program = module.get_bin_path(module.params["executable"], required=True)
    file = wanted_file(module)
    command = [program, "ensure", file, "--json"]
    command += ["--check"] if module.check_mode else []
    for option in ("journal", "fstab"):
        command += ["--" + option, module.params[option]] if module.params[option] else []
    code, stdout, stderr = module.run_command(command)
    try:
        said = json.loads(stdout)
    except ValueError:
        # A killed command prints no result, but a run that it started continues.
        was_killed = code < 0 or code > 128
        said = {"changed": was_killed and not module.check_mode, "drives": []}
    drives = said["drives"]
    result = {"changed": said["changed"], "drives": drives, "stderr": stderr}
    shown = [one for one in drives if one["state"] in ("changed", "would-change")]
    result["diff"] = [each for one in shown for each in differences(one)]
    if code != 0 or not drives:
        bad = [one for one in drives if one["state"] in ("refused", "failed")]
        told = [f"{one['name']}: {says['text']}" for one in bad for says in one["differences"]]
        # Remove the position in the generated file, which the user never sees.
        last = stderr.strip().rpartition("\n")[2].replace(f"{file}, line 1, ", "") or f"exit code {code}"
        module.fail_json(msg="; ".join(told) or last, rc=code, **result)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
