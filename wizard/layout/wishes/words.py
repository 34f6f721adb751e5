"""What is said of what a person asks for: volumes, roles, subvolumes, encryption."""

from wizard.model.said import Sentence, t

# --volume, word by word.

# Volumes that contradict themselves or each other.

# Roles.

# Subvolumes.

# Encryption.
LOST = Sentence(
    "Whoever loses the passphrase loses everything in the encrypted volume: nobody can open it without, and "
    "diskwright keeps it nowhere. A damaged header loses it too, unless `cryptsetup luksHeaderBackup` was "
    "kept elsewhere."
)
OPENED_TO_KEEP = t(
    "Keeping it opens what is encrypted, so that it can be used. That takes its passphrase, which diskwright "
    "has not kept."
)

# Keys in files.

# Passphrases.
