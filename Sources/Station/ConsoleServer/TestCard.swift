// A card to print, for aiming and focusing: symbols of known module sizes, a star for the focus, steps of grey, and a ruler that
// tells whether the printer kept the scale.

#if Console

  import BarcodeTypes
  import SymbolPrinter

  enum TestCard {
    /// Widths of modules in millimetres: from those of small labels to those of cartons. 0.33 is the EAN-13's at 100 %.
    private static let modules = [0.17, 0.25, 0.33, 0.5]
    /// Of an A4 sheet, in millimetres.
    private static let (width, height) = (210.0, 297.0)

    /// The card as SVG, with millimetres as units.
    static let svg: String = {
      var body = text(15, 20, 7, "Reticle") + text(15, 27, 4, "Test card: print it at 100 %, on white matt paper.")
      var top = 40.0
      for module in modules {
        body += text(15, top - 2, 3.5, "\(number(module)) mm")
        body += symbol("4006381333931", .ean13, x: 15, y: top, module: module, height: 15)
        body += symbol("RETICLE \(number(module)) mm", .datamatrix, x: 90, y: top, module: module)
        body += symbol("https://reticle.example/card?module=\(number(module))", .qr, x: 130, y: top, module: module)
        top += max(24, module * 38 + 9)
      }
      body += star(x: 45, y: 210, radius: 28) + greys(x: 90, y: 185) + ruler(x: 90, y: 225)
      return """
        <?xml version="1.0" encoding="UTF-8"?>
        <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))mm" height="\(number(height))mm" \
        viewBox="0 0 \(number(width)) \(number(height))" role="img"><title>Reticle test card</title>
        <rect width="\(number(width))" height="\(number(height))" fill="#fff"/>
        \(body)</svg>

        """
    }()

    /// - Parameter height: millimetres; nil: as high as the modules are wide.
    private static func symbol(
      _ content: String, _ symbology: Symbology, x: Double, y: Double, module: Double, height: Double? = nil
    ) -> String {
      guard let picture = try? SymbolPrinter.print(SymbolRequest(content, symbology: symbology)) else { return "" }
      let path = picture.path(left: x, top: y, module: module, rowScale: height.map { $0 / picture.height })
      return "<path d=\"\(path)\"/>\n"
    }

    /// 36 wedges: the blurred disc in the middle is the smaller, the sharper the picture.
    private static func star(x: Double, y: Double, radius: Double) -> String {
      // The cosine and sine of 5 degrees turn a point from one edge of a wedge to the next.
      let (cosine, sine) = (0.996_194_698_092, 0.087_155_742_748)
      var (dx, dy) = (radius, 0.0)
      var path = ""
      for wedge in 0..<72 {
        let next = (dx * cosine - dy * sine, dx * sine + dy * cosine)
        if wedge % 2 == 0 {
          path +=
            "M\(number(x)) \(number(y))L\(number(x + dx)) \(number(y + dy))L\(number(x + next.0)) \(number(y + next.1))z"
        }
        (dx, dy) = next
      }
      return "<path d=\"\(path)\"/>\n"
    }

    private static func greys(x: Double, y: Double) -> String {
      (0...10).map { step in
        let level = step * 255 / 10
        return
          "<rect x=\"\(number(x + Double(step) * 9))\" y=\"\(number(y))\" width=\"9\" height=\"18\" fill=\"rgb(\(level),\(level),\(level))\"/>\n"
      }.joined()
    }

    private static func ruler(x: Double, y: Double) -> String {
      let ticks = (0...100).map { "M\(number(x + Double($0))) \(number(y))v\($0 % 10 == 0 ? 6 : 3)" }.joined()
      return "<path d=\"\(ticks)\" stroke=\"#000\" stroke-width=\"0.2\"/>\n" + text(x, y + 11, 3.5, "100 mm")
    }

    private static func text(_ x: Double, _ y: Double, _ size: Double, _ text: String) -> String {
      "<text x=\"\(number(x))\" y=\"\(number(y))\" font-family=\"sans-serif\" font-size=\"\(number(size))\">\(text)</text>\n"
    }

    /// A number with at most two decimals.
    private static func number(_ value: Double) -> String {
      let hundredths = Int((value * 100).rounded())
      let digits = abs(hundredths)
      let part = digits % 100
      let tail = part == 0 ? "" : part % 10 == 0 ? ".\(part / 10)" : ".\(part < 10 ? "0" : "")\(part)"
      return "\(hundredths < 0 ? "-" : "")\(digits / 100)\(tail)"
    }
  }

#endif
