#!/bin/sh
# Puts the files of a distribution's package in their places:
#
#   packaging/install.sh DESTDIR [FOLDER]
#
# FOLDER holds the program; without it that is /usr/lib/diskwright. PYTHON has rich and the other libraries,
# since manual pages and completions are made here. Nothing is fetched. SOURCE_DATE_EPOCH dates the manual
# pages.
set -eu
[ $# = 1 ] || [ $# = 2 ] || {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}
repo=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
usr=$1/usr folder=${2:-/usr/lib/diskwright}
program=$1$folder
desktop=$repo/packaging/desktop
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# With the folder of this copy for @FOLDER@.
put() { # MODE FROM TO
    sed "s|@FOLDER@|$folder|g" "$2" >"$program/.put"
    install -D -m "$1" "$program/.put" "$3"
    rm "$program/.put"
}

umask 022
mkdir -p "$program"
cp -R -P "$repo/wizard" "$repo/profiles" "$program/"
find "$program" -name __pycache__ -prune -exec rm -rf {} +
# For translators only.
rm -f "$program/profiles/locale/diskwright.pot"
find "$program/profiles" -name README.md -delete
chmod -R u=rwX,go=rX "$program/wizard" "$program/profiles"

install -m 755 "$desktop/as-root" "$program/as-root"
put 755 "$repo/packaging/launcher" "$usr/bin/diskwright"
put 644 "$desktop/diskwright.policy.in" "$usr/share/polkit-1/actions/diskwright.policy"
install -D -m 644 "$desktop/diskwright.desktop" "$usr/share/applications/diskwright.desktop"
install -D -m 644 "$desktop/diskwright.svg" "$usr/share/icons/hicolor/scalable/apps/diskwright.svg"
name=org.diskwright.diskwright.metainfo.xml
install -D -m 644 "$desktop/$name" "$usr/share/metainfo/$name"
mkdir -p "$usr/share/diskwright/schemas"
install -m 644 "$repo"/docs/schemas/*.json "$usr/share/diskwright/schemas/"
"${PYTHON:-python3}" "$repo/packaging/papers/build.py" "$usr"
