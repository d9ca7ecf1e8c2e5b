// The declaration of a key: its name, its values, its default and its purpose, once. Parsing, the reference page, completion,
// `config init` and `config explain` follow from it.

/// A key that is read alone, because the code around it decides when it is read, or what follows from it.
struct Key<Value: Sendable>: Sendable {
  let row: ConfigurationKey
  private let form: ValueForm<Value>
  private let fallback: Value

  /// - Parameters:
  ///   - name: the full name.
  ///   - fallback: the value unless another is written.
  ///   - summary: the purpose, in a sentence.
  init(_ name: String, _ form: ValueForm<Value>, _ fallback: Value, _ summary: String) {
    row = ConfigurationKey(name, form.kind, form.write(fallback), summary)
    self.form = form
    self.fallback = fallback
  }

  /// - Parameter name: the name with its positions.
  func read(_ reading: inout ConfigurationReading, at name: String) -> Value {
    form.read(&reading, row, name) ?? fallback
  }
}

/// A key whose value is kept in a field of `Root`. Its default is the field's.
struct Field<Root: Sendable>: Sendable {
  /// The row in the table of keys, for a section and the defaults.
  fileprivate let row: @Sendable (_ section: String, _ standard: Root) -> ConfigurationKey
  fileprivate let read: @Sendable (inout ConfigurationReading, ConfigurationKey, _ name: String, inout Root) -> Void

  /// - Parameters:
  ///   - word: the name in its section.
  ///   - summary: the purpose, in a sentence.
  ///   - isRequired: whether it is an error not to write it; then it has no default.
  init<Value>(
    _ word: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: ValueForm<Value>, _ summary: String,
    isRequired: Bool = false, isSecret: Bool = false, isCommon: Bool = false
  ) {
    row = { section, standard in
      ConfigurationKey(
        section.isEmpty ? word : "\(section).\(word)", form.kind, isRequired ? "" : form.write(standard[keyPath: path]),
        summary, isSecret: isSecret, isCommon: isCommon)
    }
    read = { reading, key, name, root in
      if isRequired, !reading.isWritten(name) { return reading.noteMissing(name, key.kind.expectation) }
      if let value = form.read(&reading, key, name) { root[keyPath: path] = value }
    }
  }

  /// A key whose reading depends on other fields or keys.
  init(
    _ word: String, _ kind: ConfigurationKind, fallback: String = "", _ summary: String, isSecret: Bool = false,
    read: @escaping @Sendable (inout ConfigurationReading, ConfigurationKey, _ name: String, inout Root) -> Void
  ) {
    row = { section, _ in ConfigurationKey("\(section).\(word)", kind, fallback, summary, isSecret: isSecret) }
    self.read = read
  }
}

/// The keys of a section, which are read into one value.
struct KeySection<Root: Sendable>: Sendable {
  /// The rows in the table of keys, in the order in which they are read.
  let rows: [ConfigurationKey]
  let name: String
  private let fields: [Field<Root>]

  /// - Parameters:
  ///   - name: the section, with `[]` for positions; empty if the fields have full names.
  ///   - standard: a value whose fields are the defaults.
  init(_ name: String, _ standard: Root, _ fields: [Field<Root>]) {
    self.name = name
    self.fields = fields
    rows = fields.map { $0.row(name, standard) }
  }

  /// Reads the keys into the fields of a value. A field keeps its value if its key is wrong, which is reported, or has neither
  /// a text nor a default.
  ///
  /// - Parameters:
  ///   - place: the section with its positions, such as `sinks.0.mqtt`.
  ///   - onlyWritten: whether keys that are not written are left out, because other values apply then.
  func read(
    _ place: String, onlyWritten: Bool = false, _ reading: inout ConfigurationReading, into root: inout Root
  ) {
    for (field, row) in zip(fields, rows) {
      let name = place + row.name.dropFirst(name.count)
      if !onlyWritten || reading.isWritten(name) { field.read(&reading, row, name, &root) }
    }
  }

  /// Reads the keys of a section that is there once.
  func read(_ reading: inout ConfigurationReading, into root: inout Root) { read(name, &reading, into: &root) }
}
