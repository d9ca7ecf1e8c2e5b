// What tests of the screen have in common: a picture of it, and another program that wants it.

import Foundation
import Testing

/// A picture that the lab took of the screen.
struct Screenshot {
  let width: Int
  let height: Int
  private let bytes: Data

  /// - Parameter text: a PPM file in Base64.
  init(_ text: String?) throws {
    let file = try #require(text.flatMap { Data(base64Encoded: $0) }, "the lab took no picture")
    var fields: [Int] = []
    var place = file.startIndex + 2
    while fields.count < 3 {
      let number = file[place...].drop { $0 <= 0x20 }.prefix { $0 > 0x20 }
      fields.append(try #require(Int(String(decoding: number, as: UTF8.self))))
      place = number.endIndex
    }
    (width, height) = (fields[0], fields[1])
    bytes = Data(file[(place + 1)...])
    try #require(bytes.count == width * height * 3)
  }

  func pixel(_ x: Int, _ y: Int) -> (red: Int, green: Int, blue: Int) {
    let at = (y * width + x) * 3
    return (Int(bytes[at]), Int(bytes[at + 1]), Int(bytes[at + 2]))
  }

  func grey(_ x: Int, _ y: Int) -> Int {
    let pixel = pixel(x, y)
    return (pixel.red + pixel.green + pixel.blue) / 3
  }

  /// Whether the pixel has the accent's colour.
  func isAccent(_ x: Int, _ y: Int) -> Bool {
    let pixel = pixel(x, y)
    return abs(pixel.red - 0x3D) < 12 && abs(pixel.green - 0xDC) < 12 && abs(pixel.blue - 0x84) < 12
  }
}

/// A program that takes the screen from a running one again and again: `thief.py PROCESS COUNT SECONDS_HELD SECONDS_LEFT`. It
/// duplicates the other's descriptor, drops its mastership and becomes master itself.
let screenThief = """
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
  """
