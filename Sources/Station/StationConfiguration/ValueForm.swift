// The values that keys take: each form describes its values, parses them and writes them.

import BarcodeDecoder
import BarcodeTypes
import Devices
import Glibc
import HostText
import ScanControl
import ScanScreen

/// The form of a key's values.
struct ValueForm<Value: Sendable>: Sendable {
  /// The values as the reference page, the completion and error messages describe them.
  let kind: ConfigurationKind
  /// Reads the key's value under a name: the written one if it is valid, otherwise it is reported and the default is read.
  /// Nil without either.
  let read: @Sendable (_ reading: inout ConfigurationReading, _ key: ConfigurationKey, _ name: String) -> Value?
  /// The text of a value in a configuration file; empty for a value that cannot be written, such as nil.
  let write: @Sendable (_ value: Value) -> String

  init(
    _ kind: ConfigurationKind,
    read: @escaping @Sendable (_ reading: inout ConfigurationReading, _ key: ConfigurationKey, _ name: String) -> Value?,
    write: @escaping @Sendable (_ value: Value) -> String
  ) {
    self.kind = kind
    self.read = read
    self.write = write
  }

  /// The form of a value that stands alone.
  ///
  /// - Parameter parse: nil for a text that is not such a value.
  init(
    _ kind: ConfigurationKind, _ parse: @escaping @Sendable (_ text: String) -> Value?,
    write: @escaping @Sendable (_ value: Value) -> String
  ) {
    self.init(kind, read: { $0.value($1, $2, parse) }, write: write)
  }

  /// The form of a list.
  ///
  /// - Parameter parse: nil for texts that are not such a list.
  static func list(
    _ kind: ConfigurationKind, _ parse: @escaping @Sendable (_ texts: [String]) -> Value?,
    write: @escaping @Sendable (_ value: Value) -> String
  ) -> Self {
    Self(
      kind,
      read: { reading, key, name in
        let texts = reading.texts(key, name)
        if let value = parse(texts) { return value }
        reading.refuse(key, name, texts.joined(separator: ", "))
        return nil
      }, write: write)
  }

  /// The form of a list whose items are read separately: those that are wrong are reported and left out.
  static func items<Item>(
    _ kind: ConfigurationKind, _ parse: @escaping @Sendable (_ text: String) -> Item?,
    write: @escaping @Sendable (_ item: Item) -> String
  ) -> Self where Value == [Item] {
    Self(
      kind,
      read: { reading, key, name in
        reading.texts(key, name).compactMap { text in
          let item = parse(text)
          if item == nil { reading.refuse(key, name, text) }
          return item
        }
      }, write: { $0.map(write).joined(separator: ", ") })
  }

  /// The form of values that are also valid texts of this form.
  ///
  /// - Parameter refusal: the error for a value that cannot be refined.
  func refined<Refined>(
    _ parse: @escaping @Sendable (_ value: Value) -> Refined?, write: @escaping @Sendable (_ value: Refined) -> Value,
    refusal: @escaping @Sendable (_ name: String, _ value: Value) -> String
  ) -> ValueForm<Refined> {
    ValueForm<Refined>(
      kind,
      read: { reading, key, name in
        guard let value = self.read(&reading, key, name) else { return nil }
        if let refined = parse(value) { return refined }
        reading.report(refusal(name, value), at: reading.place(of: name))
        return nil
      }, write: { self.write(write($0)) })
  }

  /// A value that may be missing.
  static func optional<Wrapped>(_ form: ValueForm<Wrapped>) -> Self where Value == Wrapped? {
    Self(form.kind, read: { form.read(&$0, $1, $2).map { .some($0) } }, write: { $0.map(form.write) ?? "" })
  }

  /// A word for each value.
  static func words(_ words: [(word: String, value: Value)]) -> Self where Value: Equatable {
    Self(.choice(words.map(\.word)), { text in words.first { $0.word == text }?.value }) { value in
      words.first { $0.value == value }?.word ?? ""
    }
  }
}

extension ValueForm where Value: RawRepresentable<String> & CaseIterable {
  /// A word: the value's raw value.
  static var choice: Self { Self(.choice(Value.allCases.map(\.rawValue)), { Value(rawValue: $0) }, write: \.rawValue) }

  /// One of some values, by their words.
  static func choice(from values: [Value]) -> Self {
    Self(.choice(values.map(\.rawValue)), { text in values.first { $0.rawValue == text } }, write: \.rawValue)
  }
}

extension ValueForm {
  /// A list of words.
  static func choices<Item>() -> Self where Value == [Item], Item: RawRepresentable<String> & CaseIterable & Sendable {
    items(.choices(Item.allCases.map(\.rawValue)), { Item(rawValue: $0) }, write: \.rawValue)
  }
}

extension ValueForm<Bool> {
  static let flag = Self(.flag, ConfigurationParsing.flag) { "\($0)" }
}

extension ValueForm<Int> {
  static func integer(_ range: ClosedRange<Int>) -> Self {
    Self(.integer(range), { ConfigurationParsing.integer($0, in: range) }) { "\($0)" }
  }

  /// Bytes, written in megabytes of 2²⁰ bytes.
  static func megabytes(_ range: ClosedRange<Int>) -> Self {
    Self(.integer(range), { ConfigurationParsing.integer($0, in: range).map { $0 << 20 } }) { "\($0 >> 20)" }
  }

  /// One of some numbers.
  static func choice(from numbers: [Int]) -> Self { words(numbers.map { ("\($0)", $0) }) }
}

extension ValueForm<UInt8> {
  static func integer(_ range: ClosedRange<Int>) -> Self {
    Self(.integer(range), { ConfigurationParsing.integer($0, in: range).map { UInt8(clamping: $0) } }) { "\($0)" }
  }
}

extension ValueForm<Double> {
  static func decimal(_ range: ClosedRange<Double>) -> Self {
    Self(.decimal(range), { ConfigurationParsing.decimal($0, in: range) }, write: shortest)
  }

  /// Seconds, written with a unit.
  static func duration(_ range: ClosedRange<Duration>) -> Self {
    Self(.duration(range), { ConfigurationParsing.duration($0, in: range).map { $0 / .seconds(1) } }) {
      written(.seconds($0))
    }
  }
}

extension ValueForm<Duration> {
  static func duration(_ range: ClosedRange<Duration>) -> Self {
    Self(.duration(range), { ConfigurationParsing.duration($0, in: range) }, write: written)
  }

  /// A duration, written as a number of microseconds.
  static func microseconds(_ range: ClosedRange<Int>) -> Self {
    Self(.integer(range), { ConfigurationParsing.integer($0, in: range).map { .microseconds($0) } }) {
      "\(Int($0 / .microseconds(1)))"
    }
  }
}

extension ValueForm<Duration?> {
  /// A duration, or a word for no limit.
  static func duration(_ range: ClosedRange<Duration>, or word: String) -> Self {
    Self(
      .durationOr(word, range), { $0 == word ? .some(nil) : ConfigurationParsing.duration($0, in: range).map { .some($0) } }
    ) { $0.map(written) ?? word }
  }
}

extension ValueForm<[Duration]> {
  /// Durations of on, off, on, …
  static let pattern = list(.pattern, ConfigurationParsing.pattern) { $0.map(written).joined(separator: ", ") }
}

extension ValueForm<String> {
  static func text(_ characterCountMax: Int) -> Self {
    Self(.text(characterCountMax), { (1...characterCountMax).contains($0.count) ? $0 : nil }) { $0 }
  }

  /// One of some words.
  static func choice(from words: [String]) -> Self { Self.words(words.map { ($0, $0) }) }

  /// The path of a file. If `isPresent`, this user must be able to read the file, or it is a credential.
  static func path(isPresent: Bool) -> Self {
    Self(
      .path(isPresent: isPresent),
      read: { reading, key, name in
        let environment = reading.environment
        return reading.value(key, name) { text in
          guard !text.isEmpty, text.utf8.count < Int(PATH_MAX) else { return nil }
          return isPresent ? CredentialFile.path(text, environment) : text
        }
      }, write: { $0 })
  }

  /// The text of up to this number of bytes, each a character of ISO/IEC 8859-1, which equals ASCII below 0x80.
  static func bytes(_ countMax: Int) -> Self {
    Self(
      .bytes(countMax),
      { text in
        ConfigurationParsing.bytes(text, countMax: countMax).map { bytes in
          String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
      }
    ) { ConfigurationParsing.written($0.unicodeScalars.map { UInt8(clamping: $0.value) }) }
  }

  /// An address of HTTP or HTTPS.
  static let webAddress = Self(.webAddress, ConfigurationParsing.webAddress) { $0 }
}

extension ValueForm<[String]> {
  /// Items of 1 to this number of characters.
  static func texts(_ characterCountMax: Int) -> Self {
    Self(
      .texts(characterCountMax),
      read: { reading, key, name in
        let texts = reading.texts(key, name)
        for text in texts where text.isEmpty || text.count > characterCountMax { reading.refuse(key, name, text) }
        return texts
      }, write: { $0.joined(separator: ", ") })
  }

  /// Paths of files that this user can read, or credentials.
  static let paths = Self(
    .paths,
    read: { reading, key, name in
      reading.texts(key, name).compactMap { text in
        let path = CredentialFile.path(text, reading.environment)
        if path == nil { reading.refuse(key, name, text) }
        return path
      }
    }, write: { $0.joined(separator: ", ") })
}

extension ValueForm<[UInt8]> {
  /// Up to this number of ASCII characters.
  static func bytes(_ countMax: Int) -> Self {
    Self(.bytes(countMax), { ConfigurationParsing.bytes($0, countMax: countMax) }, write: ConfigurationParsing.written)
  }
}

extension ValueForm<UInt8?> {
  /// An ASCII character, or nothing.
  static let byte = Self(.bytes(1), { ConfigurationParsing.bytes($0, countMax: 1).map(\.first) }) {
    $0.map { ConfigurationParsing.written([$0]) } ?? ""
  }
}

extension ValueForm<LengthRange> {
  static func lengths(_ range: ClosedRange<Int>) -> Self {
    Self(
      .lengths(range),
      { ConfigurationParsing.lengths($0, in: range).map { LengthRange(min: $0.lowerBound, max: $0.upperBound) } }
    ) { "\($0.min)-\($0.max)" }
  }
}

extension ValueForm<SymbologySet> {
  /// A list of some symbologies, in any order.
  static func symbologies(_ permitted: SymbologySet) -> Self {
    let names = ConfigurationKey.names(of: permitted)
    return Self(
      .symbologies(names),
      read: { reading, key, name in
        var set = SymbologySet()
        for text in reading.texts(key, name) {
          if names.contains(text), let symbology = ConfigurationParsing.symbology(text) {
            set.insert(symbology)
          } else {
            reading.refuse(key, name, text)
          }
        }
        return set
      }, write: { ConfigurationKey.names(of: $0).joined(separator: ", ") })
  }
}

extension ValueForm<Viewport> {
  static let region = list(.region, ConfigurationParsing.region) { viewport in
    [viewport.x, viewport.y, viewport.width, viewport.height].map(shortest).joined(separator: ", ")
  }
}

extension ValueForm<CameraSettings.Crop?> {
  /// Nothing is read unless the key is written.
  static let crop = Self(
    .crop,
    read: { reading, key, name in
      guard reading.isWritten(name) else { return nil }
      let texts = reading.texts(key, name)
      if let crop = ConfigurationParsing.crop(texts) { return crop }
      reading.refuse(key, name, texts.joined(separator: ", "))
      return nil
    }, write: { _ in "" })
}

extension ValueForm<Reopening> {
  static let reopening = Self(.reopening, ConfigurationParsing.reopening) { reopening in
    switch reopening {
    case .after(let pause): "after \(written(pause))"
    case .onConfirmation: "on confirmation"
    case .onTrigger: "on trigger"
    }
  }
}

extension ValueForm<ScreenSize> {
  static let size = Self(.size, ConfigurationParsing.size) { "\($0.width)x\($0.height)" }
}

extension ValueForm<PictureTemplate> {
  static let pictureName = Self(.pictureName, { PictureTemplate($0) }, write: \.text)
}

extension ValueForm<DayPart> {
  /// Has no default.
  static let hours = Self(.hours, { DayPart($0) }) { _ in "" }
}

/// A file that is named by its path, or as `credential:NAME` (systemd.exec(5), `LoadCredential`).
enum CredentialFile {
  /// The prefix of the names of credentials from the folder that `deploy/debian/reticle.service` passes.
  private static let folderPrefix = "credentials_"

  /// The path of the file; nil if this user cannot read it.
  static func path(_ text: String, _ environment: [String: String]) -> String? {
    let prefix = "credential:"
    guard text.hasPrefix(prefix) else { return access(text, R_OK) == 0 ? text : nil }
    let name = text.dropFirst(prefix.count)
    guard let folder = environment["CREDENTIALS_DIRECTORY"], !name.isEmpty, !name.contains("/"), name != "..", name != "."
    else { return nil }
    return ["", folderPrefix].map { "\(folder)/\($0)\(name)" }.first { access($0, R_OK) == 0 }
  }
}
