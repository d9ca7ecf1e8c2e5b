// Defects of printing, each of any strength.

public import BarcodeTypes

/// A defect of print that can be drawn at any strength from 0, none, to 1, where hardly a symbol is read.
public enum Defect: String, CaseIterable, Sendable {
  /// Ink as light as paper.
  case fading
  /// Soft edges.
  case blur
  /// Bars and dark modules that grow.
  case growth
  /// Bars and dark modules that shrink.
  case loss
  /// Light voids in bars and dark spots between them.
  case spots
  /// Symbols stretched along one side.
  case stretch
  /// Columns and rows that sway.
  case sway
  /// Modules of codewords in the wrong shade.
  case wrongModules
  /// Modules of fixed patterns in the wrong shade.
  case brokenPatterns
  /// Something dark that comes closer.
  case narrowQuietZone

  public func applies(to symbology: Symbology) -> Bool {
    switch self {
    case .fading, .blur, .growth, .loss, .spots: true
    case .narrowQuietZone: symbology.family == .linear || symbology == .datamatrix
    case .stretch, .sway, .wrongModules, .brokenPatterns: symbology.family == .matrix
    }
  }
}
