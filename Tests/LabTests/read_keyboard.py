# The desktop's side of a keyboard: writes each key that goes down or up as `KEY 1` or `KEY 0` to the file `typed`, and shows Caps
# Lock, which is on at first, on the keyboard. The file `lost` counts the times that the kernel dropped keys.
import os, struct, time
def find():
    for name in os.listdir('/sys/class/input'):
        path = '/sys/class/input/' + name + '/device/name'
        if name.startswith('event') and os.path.exists(path) and open(path).read().strip() == 'Reticle':
            return '/dev/input/' + name
while not find():
    time.sleep(0.05)
device = os.open(find(), os.O_RDWR)
KEYS, LIGHTS, SYNCHRONIZATION, DROPPED, CAPS_LOCK, CAPS_LOCK_LIGHT = 1, 17, 0, 3, 58, 1
caps_lock, lost = 1, 0
def show():
    os.write(device, struct.pack('<qqHHi', 0, 0, LIGHTS, CAPS_LOCK_LIGHT, caps_lock) + struct.pack('<qqHHi', 0, 0, 0, 0, 0))
show()
with open('typed', 'w') as typed:
    while True:
        try:
            events = os.read(device, 24 * 64)
        except OSError:
            break
        for _, _, kind, code, value in struct.iter_unpack('<qqHHi', events):
            if kind == KEYS and value < 2:
                typed.write('%d %d\n' % (code, value))
                if (code, value) == (CAPS_LOCK, 1):
                    caps_lock = 1 - caps_lock
                    show()
            lost += (kind, code) == (SYNCHRONIZATION, DROPPED)
        typed.flush()
open('lost', 'w').write('%d\n' % lost)
