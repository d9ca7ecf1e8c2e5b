// Grades drawn symbols against the strength of each defect: prints the series, checks that no grade rises with strength, and
// draws the plots of docs/print-quality.md.
// usage: quality-lab SEED DEPTH [FOLDER]     (FOLDER gets the plots; at a depth of 1, 2000 symbols)

import BarcodeTypes
import Glibc
import PrintQuality
import WornSymbols

guard CommandLine.arguments.count >= 3, let seed = UInt64(CommandLine.arguments[1]),
  let depth = Double(CommandLine.arguments[2]), depth > 0
else {
  print("usage: quality-lab SEED DEPTH [FOLDER]")
  exit(64)
}
let lab = QualityLab(seed: seed, depth: depth)
let series = lab.run()
if CommandLine.arguments.count > 3 {
  for defect in Defect.allCases {
    let plot = plot(of: series.filter { $0.defect == defect }, title: defect.rawValue)
    guard let file = fopen("\(CommandLine.arguments[3])/print-quality-\(defect.rawValue).svg", "w") else {
      perror("quality-lab")
      exit(74)
    }
    fputs(plot, file)
    fclose(file)
  }
}
exit(series.contains { !$0.isMonotone } || !lab.isRepeatable() ? 1 : 0)
