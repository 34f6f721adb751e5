# The guest's second script, on the real root. The lab writes its settings before it: UDEV CHECKOUT
# SHELL_WANTED and run_job.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
export TERM=linux DISKWRIGHT_LAB_GUEST=1
hostname guest
mkdir -p /dev/pts /dev/shm
mount -t devpts -o ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
ln -sfn /proc/self/fd /dev/fd
ln -sfn /proc/self/fd/0 /dev/stdin
ln -sfn /proc/self/fd/1 /dev/stdout
ln -sfn /proc/self/fd/2 /dev/stderr
# All of this is in the guest's memory: nothing here reaches the machine's own files.
: > /etc/fstab
rm -rf /var/lib/diskwright/runs /etc/diskwright
if [ "$UDEV" = 1 ]; then
    mkdir -p /run/udev
    /usr/lib/systemd/systemd-udevd --daemon --resolve-names=never
    udevadm trigger --action=add --subsystem-match=block --subsystem-match=scsi --subsystem-match=pci \
        --subsystem-match=virtio
    udevadm settle --timeout=60
fi
# An emulated drive is as slow as the disk of this machine, with all that others do there meanwhile: what
# takes longer than the kernel's 30 s is no fault of a drive.
for limit in /sys/block/sd*/device/timeout; do
    [ ! -e "$limit" ] || echo 180 > "$limit"
done
cd "$CHECKOUT" || echo "lab: $CHECKOUT is not there"
if [ "$SHELL_WANTED" = 1 ]; then
    echo "The guest's drives are free to write; exit ends it."
    setsid -w /bin/sh -c 'exec /bin/bash -i <>/dev/ttyS0 >&0 2>&1'
    status=0
else
    run_job > /lab/output 2> /lab/errors < /dev/null
    status=$?
fi
echo "$status" > /lab/status
sync
# The power goes while this script still runs, and its root with it: from here on nothing is read and nothing
# started.
mkfifo /run/never
{
    echo o > /proc/sysrq-trigger
    read -r _ < /run/never
}
