#!/bin/sh
# diskwright in one file: this script, then a small archive of what unpacks, then all the rest (a squashfs).
# Root mounts the rest, which takes no memory. Others unpack it once, into a folder of their own.
set -eu
# Of what somebody else brings along to root, nothing is to decide which program runs: the system's own come
# first.
case ${SUDO_UID:-}${PKEXEC_UID:-}${DOAS_USER:-} in
    ?*) PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH ;;
esac
me=$(readlink -f "$0") digest=@DIGEST@
tools_at=@TOOLS_AT@ tools_size=@TOOLS_SIZE@ rest_at=@REST_AT@ rest_size=@REST_SIZE@
umask 022

start() { # TREE WORD...
    tree=$1 DISKWRIGHT_CALLED=$me
    export DISKWRIGHT_CALLED
    shift
    exec "$tree/bin/diskwright" "$@"
}

mounted() { # TREE
    mkdir -p "$1" 2>/dev/null || return 1
    mount -t squashfs -o "ro,nosuid,nodev,loop,offset=$rest_at,sizelimit=$rest_size" "$me" "$1" 2>/dev/null &&
        return 0
    # busybox's mount knows no offset.
    loop=$(losetup -f 2>/dev/null) && losetup -r -o "$rest_at" "$loop" "$me" 2>/dev/null || return 1
    status=0
    mount -t squashfs -o ro,nosuid,nodev "$loop" "$1" 2>/dev/null || status=1
    # One in use is let go of when it is unmounted.
    losetup -d "$loop" 2>/dev/null || :
    return $status
}

# Nobody else may have made the folder, or be able to write to it.
is_own() { [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ] && [ -z "$(find "$1" -prune -perm /022)" ]; }

# False, too, where nothing may be started from: -x knows.
unpacked() { # FOLDER
    [ ! -x "$1/bin/diskwright" ] || return 0
    # What a start left that was killed.
    find "$1".* -prune -mmin +60 -exec rm -rf {} + 2>/dev/null || :
    new=$1.$$
    mkdir "$new" || return 1
    trap 'rm -rf "$new"' EXIT
    trap 'exit 130' INT TERM HUP
    if tail -c "+$((tools_at + 1))" "$me" | head -c "$tools_size" | tar -xzf - -C "$new" &&
        [ -x "$new/unsquashfs" ] &&
        "$new/ld-linux-x86-64.so.2" --inhibit-cache --library-path "$new" "$new/unsquashfs" \
            -q -n -o "$rest_at" -d "$new/tree" "$me" >"$new/said" 2>&1; then
        # Another start may have been quicker.
        mv -T "$new/tree" "$1" 2>/dev/null || :
    fi
    rm -rf "$new"
    trap - EXIT INT TERM HUP
    [ -x "$1/bin/diskwright" ]
}

# Root runs what lies here: whoever may change it, or exchange a folder above it, decides what that is.
tell_if_not_roots() {
    place=$me
    until [ -n "$(find "$place" -prune \( ! -user 0 -o -perm /022 ! -perm -1000 \) 2>/dev/null)" ]; do
        [ "$place" != / ] || return 0
        place=${place%/*} place=${place:-/}
    done
    echo "diskwright: Not only root can change $place, and what lies there runs as root now." \
        "A copy that is root's alone: sudo install -m 755 '$me' /usr/local/bin/diskwright" >&2
}

if [ "$(id -u)" = 0 ]; then
    tell_if_not_roots
    tree=/run/diskwright/$digest
    if [ -x "$tree/bin/diskwright" ] || mounted "$tree"; then start "$tree" "$@"; fi
    # Not below the home of whoever called sudo, who could exchange it.
    first=/run second=/root/.cache
else
    first=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache} second=${XDG_RUNTIME_DIR:-/run/user/$(id -u)}
    [ -z "${HOME:-}" ] || mkdir -p "$HOME/.cache" 2>/dev/null || :
fi
for room in "$first" "$second" /var/tmp /tmp; do
    if [ ! -d "$room" ] || [ ! -w "$room" ]; then continue; fi
    own=$room/diskwright-$(id -u)
    mkdir -m 700 "$own" 2>/dev/null || :
    if is_own "$own" && unpacked "$own/$digest"; then start "$own/$digest" "$@"; fi
done
echo "diskwright: there is no room to unpack it: it takes 80 MB in ~/.cache, /run/user, /var/tmp or /tmp." >&2
exit 1
