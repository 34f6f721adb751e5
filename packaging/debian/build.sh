#!/bin/sh
# Builds the Debian package from what is committed:
#
#   packaging/debian/build.sh OUTPUT
#
# Here, on Debian sid or forky, with what packaging/debian/control names under Build-Depends.
# packaging/debian/check.sh does it in a root made for that. OUTPUT gets the source package and the .deb.
# Nothing is fetched.
set -eu
[ $# = 1 ] || {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}
here=$(dirname -- "$(readlink -f -- "$0")")
mkdir -p "$1"
output=$(readlink -f -- "$1")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

"$here/../source.sh" "$work"
for archive in "$work"/diskwright-*.tar.gz; do
    version=${archive##*/diskwright-}
    version=${version%.tar.gz}
done
mv "$work/diskwright-$version.tar.gz" "$work/diskwright_$version.orig.tar.gz"
tar -C "$work" -xf "$work/diskwright_$version.orig.tar.gz"
source=$work/diskwright-$version
# dpkg wants it at the top, where this project has it not.
cp -R "$source/packaging/debian" "$source/debian"
(cd "$source" && dpkg-buildpackage --unsigned-source --unsigned-changes)
rm -rf -- "$source"
cp -- "$work"/* "$output/"
