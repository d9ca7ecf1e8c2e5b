// Letters for scenes with print.

enum DotLetters {
  /// Capital letters and digits of three by five dots: a row is an octal digit.
  static let rows: [Character: [Int]] = {
    let table = [
      "A25755B65656C34443D65556E74647F74644G34553H55755I72227J11152K55655L44447M57755N65555O25552P65644Q25531R65655S34216",
      "T72222U55557V55552W55775X55255Y55222Z71247075557126227261247361216455711574616634757771222875757975716",
    ].joined()
    let signs = Array(table)
    return Dictionary(
      uniqueKeysWithValues: stride(from: 0, to: signs.count, by: 6).map { at in
        (signs[at], signs[(at + 1)...(at + 5)].map { $0.wholeNumberValue ?? 0 })
      })
  }()
}
