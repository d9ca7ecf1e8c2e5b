// The orientation of a camera's picture on a screen: quarter turns and a mirror image, nothing in between.

/// A turn by a multiple of 90°.
public enum QuarterTurn: UInt8, Sendable, BitwiseCopyable {
  case none, clockwise, half, anticlockwise

  /// Whether width and height are exchanged.
  public var isSideways: Bool { rawValue & 1 != 0 }

  /// The turn that undoes this one.
  public var inverse: QuarterTurn { QuarterTurn(quarters: 4 - rawValue) }

  public static func + (a: QuarterTurn, b: QuarterTurn) -> QuarterTurn { QuarterTurn(quarters: a.rawValue + b.rawValue) }

  /// - Parameter quarters: number of clockwise quarter turns, taken modulo 4.
  public init(quarters: UInt8) {
    switch quarters & 3 {
    case 1: self = .clockwise
    case 2: self = .half
    case 3: self = .anticlockwise
    default: self = .none
    }
  }
}

/// The orientation of a picture on a screen: mirrored left to right if `isMirrored`, then turned.
public struct FrameOrientation: Equatable, Sendable, BitwiseCopyable {
  public var isMirrored: Bool
  public var turn: QuarterTurn

  public init(turn: QuarterTurn = .none, isMirrored: Bool = false) {
    self.turn = turn
    self.isMirrored = isMirrored
  }
}
