// How a camera was held, as it noted in the picture's file: Exif (CIPA DC-008), one number out of the first directory. libexif would
// take apart all of it, makers' notes too.

/// The turn from stored pixels to what a viewer shows: 1 to 8 as Exif and TIFF count them.
struct PictureOrientation: Equatable {
  /// 1: as stored; 2: mirrored; 3: half a turn; 4: upside down mirrored; 5: mirrored and turned left; 6: turned right; 7: mirrored and
  /// turned right; 8: turned left.
  let number: Int

  /// Any other number counts as 1.
  init(number: Int) { self.number = (1...8).contains(number) ? number : 1 }

  /// The note in a JPEG, PNG or WebP; 1 without one.
  init(exifOf file: UnsafeRawBufferPointer, _ format: PictureFormat) {
    let exif: Range<Int>? =
      switch format {
      case .jpeg: Self.inJPEG(file)
      case .png: Self.inPNG(file)
      case .webp: Self.inWebP(file)
      default: nil
      }
    self.init(number: exif.flatMap { Self.orientation(UnsafeRawBufferPointer(rebasing: file[$0])) } ?? 1)
  }

  /// Whether rows become columns.
  var isSideways: Bool { number >= 5 }

  /// Writes the picture as it is shown, `height` pixels wide if it is sideways.
  func turn(
    _ stored: UnsafePointer<UInt8>, width: Int, height: Int, into shown: UnsafeMutablePointer<UInt8>
  ) {
    let isFlippedX = [2, 3, 7, 8].contains(number)
    let isFlippedY = [3, 4, 6, 7].contains(number)
    // Of a column only as much at a time as stays in the processor's cache.
    let tile = isSideways ? 64 : width
    for left in stride(from: 0, to: width, by: tile) {
      for y in 0..<height {
        let row = stored + y * width
        let shownY = isFlippedY ? height - 1 - y : y
        for x in left..<min(left + tile, width) {
          let shownX = isFlippedX ? width - 1 - x : x
          shown[isSideways ? shownX * height + shownY : shownY * width + shownX] = row[x]
        }
      }
    }
  }

  /// Segments up to the first scan; APP1 with Exif has the note.
  private static func inJPEG(_ file: UnsafeRawBufferPointer) -> Range<Int>? {
    var place = 2
    while place + 4 <= file.count, file[place] == 0xFF {
      let marker = file[place + 1]
      if marker == 0xFF {
        place += 1
        continue
      }
      let end = place + 2 + number(file, at: place + 2, byteCount: 2, isLittle: false)
      guard marker != 0xDA, marker != 0xD9, end >= place + 4, end <= file.count else { return nil }
      if marker == 0xE1, hasPrefix(file[place + 4..<end]) { return place + 10..<end }
      place = end
    }
    return nil
  }

  private static func inPNG(_ file: UnsafeRawBufferPointer) -> Range<Int>? {
    var place = 8
    while place + 12 <= file.count {
      let end = place + 8 + number(file, at: place, byteCount: 4, isLittle: false)
      guard end + 4 <= file.count else { return nil }
      if file[place + 4..<place + 8].elementsEqual("eXIf".utf8) { return place + 8..<end }
      place = end + 4
    }
    return nil
  }

  private static func inWebP(_ file: UnsafeRawBufferPointer) -> Range<Int>? {
    var place = 12
    while place + 8 <= file.count {
      let end = place + 8 + number(file, at: place + 4, byteCount: 4, isLittle: true)
      guard end <= file.count else { return nil }
      if file[place..<place + 4].elementsEqual("EXIF".utf8) {
        return hasPrefix(file[place + 8..<end]) ? place + 14..<end : place + 8..<end
      }
      place = end + end % 2
    }
    return nil
  }

  private static func hasPrefix(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    bytes.prefix(6).elementsEqual([0x45, 0x78, 0x69, 0x66, 0, 0])
  }

  /// The orientation in the first directory.
  private static func orientation(_ exif: UnsafeRawBufferPointer) -> Int? {
    guard exif.count >= 8 else { return nil }
    let isLittle = exif[0] == 0x49
    func number(_ offset: Int, _ byteCount: Int) -> Int? {
      guard offset + byteCount <= exif.count else { return nil }
      return Self.number(exif, at: offset, byteCount: byteCount, isLittle: isLittle)
    }
    guard let directory = number(4, 4), let count = number(directory, 2) else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + 12 * index
      guard let tag = number(entry, 2) else { return nil }
      if tag == 0x0112 { return number(entry + 8, 2) }
    }
    return nil
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int, byteCount: Int, isLittle: Bool) -> Int {
    var number = 0
    for index in 0..<byteCount {
      number = number << 8 | Int(bytes[offset + (isLittle ? byteCount - 1 - index : index)])
    }
    return number
  }
}
