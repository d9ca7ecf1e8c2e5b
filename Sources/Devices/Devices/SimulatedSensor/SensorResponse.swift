// From light to levels of grey: electrons, noise, saturation, gain and the transfer curve.

import Glibc

/// The settings with which a frame is taken.
struct FrameSettings: Equatable {
  /// In microseconds.
  var exposure: Int
  var gain: Double
  /// In microseconds.
  var duration: Int
  /// In dioptres.
  var lens: Double
}

/// A sensor's reading of light.
struct SensorResponse {
  /// Steps of the converter.
  private static let stepCount = 1 << 13
  /// The exponent of the transfer curve.
  private static let gamma = 1 / 2.2

  /// Grey levels for steps of the converter.
  private static let curve: [UInt8] = (0..<stepCount).map { step in
    UInt8((255 * pow((Double(step) + 0.5) / Double(stepCount), gamma)).rounded())
  }

  /// The light of each grey level: 1 is the brightest.
  static let light: [Float] = (0..<256).map { Float(pow(Double($0) / 255, 1 / gamma)) }

  private let fullWell: Float
  private let readVariance: Float
  private let electronsPerLuxSecond: Double

  init(_ traits: SensorTraits) {
    fullWell = Float(traits.fullWellElectrons)
    readVariance = Float(traits.readNoiseElectrons * traits.readNoiseElectrons)
    electronsPerLuxSecond = traits.fullWellElectrons / traits.fullScaleLuxSeconds
  }

  /// Converts a row.
  ///
  /// - Parameters:
  ///   - lux: the light of each pixel.
  ///   - scratch: memory for a row.
  func read(
    _ lux: UnsafePointer<Float>, _ scratch: UnsafeMutablePointer<Int32>, _ settings: FrameSettings, count: Int,
    chance: inout SceneChance, to levels: UnsafeMutablePointer<UInt8>
  ) {
    let sensitivity = Float(electronsPerLuxSecond * Double(settings.exposure) / 1e6)
    let stepsPerElectron = Float(settings.gain) / fullWell * Float(Self.stepCount)
    let last = Float(Self.stepCount - 1)
    let (fullWell, readVariance) = (fullWell, readVariance)
    SensorNoise.withRow(&chance) { noise in
      for x in 0..<count {
        let electrons = min(lux[x] * sensitivity, fullWell)
        let reading = electrons + (electrons + readVariance).squareRoot() * noise[x]
        scratch[x] = max(0, min(last, reading * stepsPerElectron)).nearestWhole
      }
    }
    Self.curve.withUnsafeBufferPointer { curve in
      guard let curve = curve.baseAddress else { return }
      for x in 0..<count { levels[x] = curve[Int(scratch[x])] }
    }
  }
}

extension Float {
  /// The value, 0 to 8 million, rounded to a whole number: adding 2²³ leaves it in the lowest bits, without the checks of
  /// `Int32.init` that keep a loop from being vectorised.
  @inline(__always) fileprivate var nearestWhole: Int32 { Int32(bitPattern: (self + 8_388_608).bitPattern & 0x7F_FFFF) }
}
