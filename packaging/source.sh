#!/bin/sh
# What every distribution's package is built from, in a folder:
#
#   packaging/source.sh OUTPUT
#
# diskwright-VERSION.tar.gz is what is committed; pylibblkid-VERSION.tar.gz is libblkid's binding, by the hash
# of requirements.lock. Where PYLIBBLKID names that file, nothing is fetched; else pip does, from where it is
# set up to. Where SOURCES names a folder in which both were made before, they are taken from there.
set -eu
[ $# = 1 ] || {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}
repo=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
mkdir -p "$1"
output=$(readlink -f -- "$1")
if [ -n "${SOURCES:-}" ]; then
    cp -- "$SOURCES"/*.tar.gz "$output/"
    exit
fi
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$repo/wizard/__init__.py")
git -C "$repo" -c "safe.directory=$repo" archive --format=tar.gz --prefix="diskwright-$version/" \
    -o "$output/diskwright-$version.tar.gz" HEAD

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
blocks_of() { # PATTERN
    awk -v names="^($1)" '$0 ~ names { keep = 1; print; next } /^[a-z]/ { keep = 0 } keep' \
        "$repo/requirements.lock"
}
blocks_of pylibblkid >"$work/lock"
wanted=$(sed -n 's/.*--hash=sha256:\([0-9a-f]*\).*/\1/p' "$work/lock")
if [ -n "${PYLIBBLKID:-}" ]; then
    cp -- "$PYLIBBLKID" "$work/"
else
    # pip runs its setup.py even where it only downloads; that asks pkg-config for headers which only the
    # build needs.
    python3 -m venv --system-site-packages "$work/venv"
    version_of_python=$("$work/venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    printf '#!/bin/sh\nprintf "%%s there\\n" blkid python-%s\n' "$version_of_python" >"$work/pkg-config"
    chmod +x "$work/pkg-config"
    blocks_of 'setuptools|pkgconfig' >"$work/build.lock"
    pip="$work/venv/bin/python -m pip --quiet --no-input --disable-pip-version-check"
    $pip install --require-hashes --no-deps --ignore-installed -r "$work/build.lock"
    PKG_CONFIG=$work/pkg-config $pip download --require-hashes --no-deps --no-binary :all: \
        --no-build-isolation -d "$work" -r "$work/lock"
fi
file=$(echo "$work"/pylibblkid-*.tar.gz)
[ "$(sha256sum <"$file" | cut -d ' ' -f 1)" = "$wanted" ] || {
    echo "packaging/source.sh: $file has not the digest that requirements.lock has." >&2
    exit 1
}
cp -- "$file" "$output/"
