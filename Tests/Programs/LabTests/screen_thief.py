# Repeatedly takes the screen from a running program: it duplicates the other's descriptor, drops its mastership and
# becomes master itself.
# usage: screen_thief.py PROCESS COUNT SECONDS_HELD SECONDS_LEFT
import ctypes, fcntl, os, sys, time
victim, count = int(sys.argv[1]), int(sys.argv[2])
held_for, left_for = float(sys.argv[3]), float(sys.argv[4])
libc = ctypes.CDLL(None, use_errno=True)
SET_MASTER, DROP_MASTER, PIDFD_OPEN, PIDFD_GETFD = 0x641e, 0x641f, 434, 438
mine = os.open('/dev/dri/card0', os.O_RDWR)
for _ in range(count):
    for attempt in range(1000):
        try:
            held = [f for f in os.listdir(f'/proc/{victim}/fd')
                    if os.readlink(f'/proc/{victim}/fd/{f}').startswith('/dev/dri/card')]
            other = libc.syscall(PIDFD_GETFD, libc.syscall(PIDFD_OPEN, victim, 0), int(held[0]), 0)
            fcntl.ioctl(other, DROP_MASTER)
            os.close(other)
            fcntl.ioctl(mine, SET_MASTER)
            break
        except (OSError, IndexError):
            time.sleep(0.01)
    else:
        sys.exit('the screen could not be stolen')
    time.sleep(held_for)
    fcntl.ioctl(mine, DROP_MASTER)
    time.sleep(left_for)
print('stolen=%d' % count)
