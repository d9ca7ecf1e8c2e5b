// A region of a picture that may be a stacked symbol.

import BarcodeTypes

/// A region of rows of bars, and the picture that it lies in.
struct StackedRegion {
  var region: StripeRegion
  let luma: LumaView
  /// How many times smaller the picture is than the full size.
  let scale: Int
}

/// How much of a symbol a region has shown.
enum StackedSighting { case none, sides, symbol }
