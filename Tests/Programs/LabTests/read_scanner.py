# A till's side of the station's USB scanner: finds the scanner's fields in the report descriptor that the host has, and writes each
# scan to the file `scans` as `AIM NUMBER HEX`, one that was abandoned as `abandoned HEX`. It opens the scanner again when it was
# pulled out, until the file `ended` exists. The file `reading` exists while it reads, and `descriptor` says what the kernel's parser
# made of the descriptor.
import fcntl, glob, os, select, struct, sys, time

PAGE_GENERIC, PAGE_SCANNER, PAGE_VENDOR = 0x01, 0x8C, 0xFF00
# With an argument, the scanner is open for one scan at a time, and closed for that many seconds.
closed = float(sys.argv[1]) if len(sys.argv) > 1 else None


def find():
    for path in sorted(glob.glob('/dev/hidraw*')):
        device = os.open(path, os.O_RDONLY)
        size = struct.unpack('i', fcntl.ioctl(device, 0x80044801, bytes(4)))[0]
        answer = bytearray(struct.pack('i', size) + bytes(4096))
        fcntl.ioctl(device, 0x90044802, answer)
        descriptor = bytes(answer[4:4 + size])
        if descriptor.startswith(bytes([0x05, PAGE_SCANNER, 0x09, 0x02, 0xA1, 0x01])):
            return device, path, descriptor
        os.close(device)
    return None


def fields(descriptor):
    """(page, usage) -> (report, first bit, bits); HID 1.11, section 6.2.2."""
    found, page, usages, report, size, count, bit = {}, 0, [], 0, 0, 0, {}
    at = 0
    while at < len(descriptor):
        item, length = descriptor[at] & 0xFC, (0, 1, 2, 4)[descriptor[at] & 3]
        value = int.from_bytes(descriptor[at + 1:at + 1 + length], 'little')
        at += 1 + length
        if item == 0x04: page = value
        elif item == 0x08: usages.append((page, value))
        elif item == 0x84: report = value
        elif item == 0x74: size = value
        elif item == 0x94: count = value
        elif item == 0x80:
            first = bit.get(report, 8)
            for index, usage in enumerate(usages):
                last = index == len(usages) - 1
                found[usage] = (report, first + index * size, size * (count - index if last else 1))
            bit[report] = first + size * count
            usages = []
        elif item in (0xA0, 0xC0): usages = []
    return found, bit


def field(layout, report, page, usage):
    number, first, bits = layout[(page, usage)]
    assert report[0] == number, report.hex()
    if bits < 8: return report[first // 8] >> first % 8 & (1 << bits) - 1
    return report[first // 8:(first + bits) // 8]


def read(device, layout, scans):
    begun = b''
    while not os.path.exists('ended'):
        if not select.select([device], [], [], 0.1)[0]: continue
        report = os.read(device, 4096)
        assert len(report) == 64, len(report)
        aim = b''.join(field(layout, report, PAGE_SCANNER, usage) for usage in (0xFB, 0xFC, 0xFD))
        count = field(layout, report, PAGE_GENERIC, 0x3B)[0]
        number = int.from_bytes(field(layout, report, PAGE_VENDOR, 0x01), 'little')
        data = field(layout, report, PAGE_SCANNER, 0xFE)
        assert not any(data[count:]), report.hex()
        if not any(aim) and count == 0:
            scans.write('abandoned %s\n' % begun.hex())
            begun = b''
        else:
            begun += data[:count]
            if not field(layout, report, PAGE_SCANNER, 0xFF):
                scans.write('%s %d %s\n' % (aim.decode(), number, begun.hex()))
                begun = b''
                if closed is not None:
                    scans.flush()
                    return
        scans.flush()


with open('received', 'w') as scans:
    while not os.path.exists('ended'):
        found = find()
        if found:
            device, path, descriptor = found
            layout, bits = fields(descriptor)
            if not os.path.exists('descriptor'):
                with open('descriptor', 'w') as file:
                    file.write('%s %s\n' % (descriptor.hex(), bits))
                debug = '/sys/kernel/debug/hid/%s/rdesc' % os.path.basename(
                    os.readlink('/sys/class/hidraw/%s/device' % os.path.basename(path)))
                if os.path.exists(debug):
                    with open('parsed', 'w') as file: file.write(open(debug).read())
            try:
                open('reading', 'w').close()
                read(device, layout, scans)
            except OSError:
                pass
            finally:
                os.close(device)
        time.sleep(closed or 0.02)
