# A desktop's side of the station's keyboard: writes each key that goes down or up as `KEY 1` or `KEY 0` to the file `typed`, and
# shows Caps Lock, which is on at first, on the keyboard. The file `reading` exists once it reads. It reads the keyboard again when it was pulled out, until the file `ended`
# exists. Then the file `lost` says how often the kernel dropped keys.
import os, select, struct, time
KEYS, LIGHTS, SYNCHRONIZATION, DROPPED, CAPS_LOCK, CAPS_LOCK_LIGHT = 1, 17, 0, 3, 58, 1
caps_lock, lost = 1, 0


def find():
    for name in os.listdir('/sys/class/input'):
        path = '/sys/class/input/' + name + '/device/name'
        if name.startswith('event') and os.path.exists(path) and open(path).read().startswith('Reticle'):
            return '/dev/input/' + name
    return None


def show(device):
    light = struct.pack('<qqHHi', 0, 0, LIGHTS, CAPS_LOCK_LIGHT, caps_lock)
    os.write(device, light + struct.pack('<qqHHi', 0, 0, SYNCHRONIZATION, 0, 0))


def read(device, typed):
    global caps_lock, lost
    show(device)
    open('reading', 'w').close()
    while not os.path.exists('ended'):
        if not select.select([device], [], [], 0.1)[0]:
            continue
        for _, _, kind, code, value in struct.iter_unpack('<qqHHi', os.read(device, 24 * 64)):
            if kind == KEYS and value < 2:
                typed.write('%d %d\n' % (code, value))
                if (code, value) == (CAPS_LOCK, 1):
                    caps_lock = 1 - caps_lock
                    show(device)
            lost += (kind, code) == (SYNCHRONIZATION, DROPPED)
        typed.flush()


with open('typed', 'w') as typed:
    while not os.path.exists('ended'):
        path = find()
        if path:
            try:
                device = os.open(path, os.O_RDWR)
                try:
                    read(device, typed)
                finally:
                    os.close(device)
            except OSError:
                pass
        time.sleep(0.02)
open('lost', 'w').write('%d\n' % lost)
