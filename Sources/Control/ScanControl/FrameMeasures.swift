// A frame's figures for the camera's strategy: how bright, how sharp and how still it is, as a whole and at each symbol that was
// located but not read.

public import BarcodeTypes

/// The settings that a sensor took a frame with; nil where the camera does not tell.
public struct SensorSettings: Equatable, Sendable {
  /// In microseconds.
  public var exposure: Int?
  /// A factor, in thousandths.
  public var gain: Int?
  /// In thousandths of a dioptre.
  public var lens: Int?

  public init(exposure: Int? = nil, gain: Int? = nil, lens: Int? = nil) {
    (self.exposure, self.gain, self.lens) = (exposure, gain, lens)
  }

  /// The light that the sensor gathers: exposure times gain, in microseconds at gain 1.
  public var gathered: Int? {
    guard let exposure, let gain else { return nil }
    return max(1, exposure * gain / 1000)
  }
}

/// The brightness of a part of a frame, from samples of its luma, 0…255.
public struct Brightness: Equatable, Sendable {
  /// The level below which a twentieth, a half and all but a twentieth of the samples are.
  public var dark: UInt8
  public var middle: UInt8
  public var bright: UInt8
  /// Samples at the ends of the range, where details are lost, in thousandths of all.
  public var blackShare: Int
  public var whiteShare: Int

  public init(dark: UInt8 = 0, middle: UInt8 = 0, bright: UInt8 = 0, blackShare: Int = 0, whiteShare: Int = 0) {
    (self.dark, self.middle, self.bright) = (dark, middle, bright)
    (self.blackShare, self.whiteShare) = (blackShare, whiteShare)
  }

  /// Grey levels between dark and bright parts.
  public var contrast: Int { Int(bright) - Int(dark) }
}

/// The figures of a part of a frame: of a symbol that was located but not read, or of what has come into view.
public struct PartMeasures: Equatable, Sendable {
  /// The rectangle around it, in frame pixels.
  public var place: PixelRegion
  public var brightness: Brightness
  /// The width of a symbol's modules; nil if unknown.
  public var module: Fixed16?
  /// How much detail it shows along rows and along columns: the mean square of the steps over two pixels, in hundred
  /// thousandths of the square of its bright level. Defocus lowers both, motion the one along it. Noise raises both, alike at the same exposure.
  public var detailAcross: Int
  public var detailDown: Int

  public init(
    place: PixelRegion, brightness: Brightness, module: Fixed16? = nil, detailAcross: Int = 0, detailDown: Int = 0
  ) {
    (self.place, self.brightness, self.module) = (place, brightness, module)
    (self.detailAcross, self.detailDown) = (detailAcross, detailDown)
  }

  var detail: Int { detailAcross + detailDown }
}

/// The figures of a frame.
public struct FrameMeasures: Equatable, Sendable {
  /// When it was exposed.
  public var capturedAt: Instant
  public var settings: SensorSettings
  /// The part in which codes are recognised.
  public var viewport: Brightness
  /// The mean change of a sample since the frame before, in sixteenths of a grey level; nil if that frame was exposed otherwise.
  public var change: Int?
  /// The change from which something moves or flickers.
  public static let changeMin = 12
  /// The part of a change, in 256ths, from which whole rows changed.
  public static let flickerShare = 200
  /// How much of the change is common to whole rows, 0…256: flickering light brightens rows, motion does not.
  public var rowShare: Int
  /// Whether the light flickers.
  public var isFlickering = false
  /// The largest symbol that was located but not read.
  public var unread: PartMeasures?
  /// The thing that has come into view since it was empty.
  public var thing: PartMeasures?
  /// Symbols that were read.
  public var readCount: Int
  /// The speed of what is read or located, in pixels per second; nil if unknown.
  public var speed: Int?
  /// Whether the torch was lit; nil if unknown or without one.
  public var isLit: Bool?

  public init(
    capturedAt: Instant, settings: SensorSettings = SensorSettings(), viewport: Brightness = Brightness(),
    change: Int? = nil, rowShare: Int = 0, unread: PartMeasures? = nil, thing: PartMeasures? = nil, readCount: Int = 0,
    speed: Int? = nil,
    isLit: Bool? = nil
  ) {
    (self.capturedAt, self.settings, self.viewport, self.thing) = (capturedAt, settings, viewport, thing)
    (self.change, self.rowShare, self.unread, self.readCount) = (change, rowShare, unread, readCount)
    (self.speed, self.isLit) = (speed, isLit)
  }
}
