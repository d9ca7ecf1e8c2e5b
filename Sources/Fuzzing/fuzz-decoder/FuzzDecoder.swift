// Hostile pictures for the decoder, made from a fuzzer's bytes. Raw pixels alone would hardly ever reach the symbology
// readers, so bytes are also expanded to bars and to the modules of a QR symbol with its function patterns in place.

import BarcodeDecoder
import BarcodeTypes

/// The most pixels of a generated picture.
private let pixelCountMax = 200 * 200

nonisolated(unsafe) private var workspace = Workspace(pixelCountMax: pixelCountMax)
nonisolated(unsafe) private let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: pixelCountMax)

/// The fuzzer's entry: the first two bytes choose the picture's kind and the settings, the others fill it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecoder(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 2 else { return 0 }
  let kind = data[0]
  let choice = Int(data[1])
  let bytes = UnsafeBufferPointer(start: data + 2, count: count - 2)
  let (width, height) =
    switch kind % 3 {
    case 0: drawPixels(bytes, choice: choice)
    case 1: drawBars(bytes, choice: choice)
    default: drawQRModules(bytes, choice: choice)
    }
  var settings = DecoderSettings()
  settings.effort = kind & 0x80 == 0 ? .still : .frame
  settings.addOns = kind & 0x40 == 0 ? .read : .require
  let view = LumaView(base: pixels, width: width, height: height, bytesPerRow: width)
  let outcome = Decoder.decode(view, settings: settings, workspace: &workspace)
  precondition(outcome.symbolCount == workspace.symbolCount)
  for index in 0..<workspace.symbolCount {
    precondition(workspace.payload(index).count <= DecoderLimits.payloadByteCountMax)
  }
  return 0
}

/// Draws the bytes as pixels, in rows of `choice` + 1.
private func drawPixels(_ bytes: UnsafeBufferPointer<UInt8>, choice: Int) -> (width: Int, height: Int) {
  let width = min(choice + 1, 200)
  let height = max(1, min(bytes.count / width, 200))
  for index in 0..<width * height { pixels[index] = index < bytes.count ? bytes[index] : 128 }
  return (width, height)
}

/// Draws each byte as a bar and a space, each 1 to 16 pixels wide, in 40 equal rows.
private func drawBars(_ bytes: UnsafeBufferPointer<UInt8>, choice: Int) -> (width: Int, height: Int) {
  let quietZone = choice % 24
  var x = 0
  func fill(_ count: Int, _ value: UInt8) {
    for _ in 0..<count where x < 1000 {
      pixels[x] = value
      x += 1
    }
  }
  fill(quietZone + 1, 230)
  for byte in bytes {
    fill(Int(byte >> 4) + 1, 30)
    fill(Int(byte & 15) + 1, 230)
  }
  fill(quietZone, 230)
  for row in 1..<40 { (pixels + row * x).update(from: pixels, count: x) }
  return (x, 40)
}

/// Draws the bits of the bytes as the data modules of a QR symbol of version `choice` % 8 + 1, three pixels per module.
private func drawQRModules(_ bytes: UnsafeBufferPointer<UInt8>, choice: Int) -> (width: Int, height: Int) {
  let side = 17 + 4 * (choice % 8 + 1)
  let width = (side + 8) * 3
  /// Whether a module of a finder pattern is dark, by its distance from the centre, 0…4; nil outside the patterns.
  func finder(_ column: Int, _ row: Int) -> Bool? {
    for (centerColumn, centerRow) in [(3, 3), (side - 4, 3), (3, side - 4)] {
      let distance = max(abs(column - centerColumn), abs(row - centerRow))
      if distance <= 4 { return distance != 2 && distance != 4 }
    }
    return column == 6 || row == 6 ? (column + row) % 2 == 0 : nil
  }
  var bit = 0
  for y in 0..<width {
    for x in 0..<width {
      let column = x / 3 - 4
      let row = y / 3 - 4
      var isDark = false
      if column >= 0 && row >= 0 && column < side && row < side {
        bit = row * side + column
        let byte = bytes.isEmpty ? 0 : bytes[(bit / 8) % bytes.count]
        isDark = finder(column, row) ?? (byte >> UInt8(bit % 8) & 1 == 1)
      }
      pixels[y * width + x] = isDark ? 30 : 230
    }
  }
  return (width, width)
}
