# A touchscreen of 800 by 480, a keyboard and a typing scanner, and a user who operates them once input.ready exists.
# usage: simulated_user.py [FILE SECONDS]: plugs them in immediately, or SECONDS after FILE appears.
import fcntl, os, struct, sys, time
while len(sys.argv) > 1 and not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
time.sleep(float(sys.argv[2]) if len(sys.argv) > 2 else 0)
def make(name, bits, axes):
    device = os.open('/dev/uinput', os.O_WRONLY)
    for request, value in bits:
        fcntl.ioctl(device, request, value)
    for axis, most in axes:
        fcntl.ioctl(device, 0x401c5504, struct.pack('<HHiiiiii', axis, 0, 0, 0, most, 0, 0, 10 if axis in (53, 54) else 0))
    fcntl.ioctl(device, 0x405c5503, struct.pack('<HHHH80sI', 3, 1, 1, 1, name, 0))
    fcntl.ioctl(device, 0x5501)
    return device
EVENT, KEY, AXIS, PROPERTY = 0x40045564, 0x40045565, 0x40045567, 0x4004556e
touch = make(b'touchscreen', [(EVENT, 1), (EVENT, 3), (KEY, 330), (AXIS, 0), (AXIS, 1), (AXIS, 47), (AXIS, 53),
                              (AXIS, 54), (AXIS, 57), (PROPERTY, 1)],
             [(0, 799), (1, 479), (47, 9), (53, 799), (54, 479), (57, 65535)])
keys = make(b'keyboard', [(EVENT, 1)] + [(KEY, key) for key in range(1, 120)] + [(KEY, 153), (KEY, 352)], [])
scanner = make(b'scanner', [(EVENT, 1)] + [(KEY, key) for key in range(1, 120)], [])
def send(device, *events):
    for kind, code, value in events + ((0, 0, 0),):
        os.write(device, struct.pack('<qqHHi', 0, 0, kind, code, value))
    time.sleep(0.1)
def type_label(device, keys):
    for key in keys:
        for value in (1, 0):
            os.write(device, struct.pack('<qqHHi', 0, 0, 1, key, value) + struct.pack('<qqHHi', 0, 0, 0, 0, 0))
            time.sleep(0.005)
while not os.path.exists('input.ready'):
    time.sleep(0.02)
time.sleep(1)
send(touch, (3, 47, 0), (3, 57, 1), (3, 53, 200), (3, 54, 120), (1, 330, 1), (3, 0, 200), (3, 1, 120))
send(touch, (3, 57, -1), (1, 330, 0))
# 2 0 T R SPACE ENTER: none of these counts as a press.
type_label(scanner, (3, 11, 20, 19, 57, 28))
for key in (28, 1, 153, 57):
    send(keys, (1, key, 1))
    send(keys, (1, key, 0))
time.sleep(5)
