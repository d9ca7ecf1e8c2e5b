// Plots as SVG: grades against the strength of a defect, a line per symbology.

import BarcodeTypes

/// Colours that differ also for most who confuse colours, and in print by their order.
private let colours = ["#1b6ca8", "#d1495b", "#2e933c", "#8d5a97", "#e08e00", "#4a4a4a", "#00838f", "#a0522d"]

/// A plot of series of one defect.
func plot(of series: [Series], title: String) -> String {
  let (left, top, width, height) = (44.0, 34.0, 420.0, 240.0)
  func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
  func x(_ share: Double) -> String { number(left + share * width) }
  func y(_ grade: Double) -> String { number(top + (1 - grade / 4) * height) }
  var svg = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 320" font-family="sans-serif" font-size="12">
    <rect width="620" height="320" fill="#fff"/>
    <text x="\(left)" y="20" font-size="15">\(title)</text>

    """
  for (grade, letter) in zip(0...4, ["F", "D", "C", "B", "A"]) {
    svg += "<path d=\"M\(x(0)) \(y(Double(grade)))H\(x(1))\" stroke=\"#ccc\"/>\n"
    svg += "<text x=\"14\" y=\"\(number(top + (1 - Double(grade) / 4) * height + 4))\">\(letter) \(grade)</text>\n"
  }
  for step in stride(from: 0.0, through: 1.0, by: 0.25) {
    svg += "<text x=\"\(x(step))\" y=\"294\" text-anchor=\"middle\">\(step)</text>\n"
  }
  svg += "<text x=\"\(x(0.5))\" y=\"312\" text-anchor=\"middle\">strength of the defect</text>\n"
  for (index, one) in series.enumerated() {
    let means = one.means
    let points = means.enumerated().map { "\(x(Double($0.offset) / Double(means.count - 1))),\(y($0.element))" }
    let colour = colours[index % colours.count]
    svg += "<polyline points=\"\(points.joined(separator: " "))\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"/>\n"
    let line = number(top + 14 + Double(index) * 20)
    svg += "<rect x=\"484\" y=\"\(number(top + 6 + Double(index) * 20))\" width=\"16\" height=\"3\" fill=\"\(colour)\"/>\n"
    svg += "<text x=\"508\" y=\"\(line)\">\(one.symbology.name)</text>\n"
  }
  return svg + "</svg>\n"
}
