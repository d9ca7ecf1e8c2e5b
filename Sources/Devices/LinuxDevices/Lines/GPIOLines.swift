// The GPIO lines of this machine: found by label and name, acquired one by one.

#if Lines

  import CLibgpiod
  import Devices
  import Glibc
  import Synchronization

  /// Why a line is not available.
  public struct LineFailure: Error, Equatable, CustomStringConvertible, Sendable {
    /// The cause, for programs.
    public enum Cause: Equatable, Sendable { case missing, ambiguous, busy, denied, system }

    public var cause: Cause
    /// The line, the failure, and the remedy.
    public var description: String
  }

  /// A chip with its lines, as `reticle lines` prints it.
  public struct ChipDescription: Equatable, Sendable {
    /// A line of the chip, and its user.
    public struct Line: Equatable, Sendable {
      public var offset: Int
      public var name: String
      public var consumer: String
      public var isUsed: Bool
      public var isOutput: Bool
    }

    /// Such as `/dev/gpiochip0`.
    public var path: String
    public var label: String
    public var lines: [Line]
  }

  /// Finds and acquires lines.
  public enum GPIOLines {
    /// The most chips and lines examined.
    static let chipCountMax = 64
    static let lineCountMax = 1024
    /// The name under which other programs see the holder of the station's lines.
    static let consumer = "reticle"
    /// How long a line is waited for that this process itself still holds, and how often it is asked for.
    static let (releaseLimitMilliseconds, askMilliseconds) = (500, 5)
    /// The lines that this process holds.
    fileprivate static let held = Mutex<Set<LinePlace>>([])

    /// Every chip that may be opened, by path.
    ///
    /// - Throws: a failure if chips exist but none may be opened.
    public static func chips() throws(LineFailure) -> [ChipDescription] {
      var found: [ChipDescription] = []
      var refused: String?
      for number in 0..<chipCountMax {
        let path = "/dev/gpiochip\(number)"
        var chip = clibgpiod_chip()
        let result = clibgpiod_read_chip(path, &chip)
        if result == -EACCES || result == -EPERM { refused = path }
        guard result >= 0 else { continue }
        let lines = (0..<min(Int(chip.line_count), lineCountMax)).compactMap { readLine(path, $0) }
        found.append(ChipDescription(path: path, label: cText(chip.label), lines: lines))
      }
      if let refused, found.isEmpty { throw denied(refused) }
      return found
    }

    private static func readLine(_ path: String, _ offset: Int) -> ChipDescription.Line? {
      var line = clibgpiod_line_description()
      guard clibgpiod_read_line(path, UInt32(offset), &line) >= 0 else { return nil }
      return ChipDescription.Line(
        offset: offset, name: cText(line.name), consumer: cText(line.consumer), isUsed: line.is_used,
        isOutput: line.is_output)
    }

    /// Finds the chip's device and the line's offset.
    static func resolve(_ address: LineAddress) throws(LineFailure) -> LinePlace {
      let chips = try chips().filter { address.chip == nil || $0.label == address.chip }
      guard !chips.isEmpty else {
        throw LineFailure(
          cause: .missing, description: "\(address): there is no such GPIO chip; `reticle lines` lists chips and lines")
      }
      if let offset = address.offset {
        guard let chip = chips.first(where: { Int(offset) < $0.lines.count }) else {
          throw LineFailure(
            cause: .missing, description: "\(address): the chip has only \(chips[0].lines.count) lines, from 0")
        }
        return LinePlace(path: chip.path, offset: offset)
      }
      let matches = chips.flatMap { chip in
        chip.lines.filter { $0.name == address.line }.map { (chip.path, UInt32($0.offset), chip.label) }
      }
      guard let match = matches.first else {
        throw LineFailure(
          cause: .missing, description: "\(address): no line has this name; `reticle lines` lists chips and lines")
      }
      guard matches.count == 1 else {
        let all = matches.map { "\($0.2):\($0.1)" }.joined(separator: ", ")
        throw LineFailure(
          cause: .ambiguous, description: "\(address): several lines have this name; write one of \(all)")
      }
      return LinePlace(path: match.0, offset: match.1)
    }

    static func isOutput(_ address: LineAddress) throws(LineFailure) -> Bool {
      let place = try resolve(address)
      return readLine(place.path, Int(place.offset))?.isOutput ?? false
    }

    /// Acquires a line. Of two stations of this process, the one before a new configuration and the one after it, the second
    /// waits until the first has let go of the line.
    static func take(
      _ settings: LineSettings, for use: clibgpiod_use, bias: LineBias = .unchanged, value: Bool = false
    ) throws(LineFailure) -> GPIOLine {
      let place = try resolve(settings.address)
      var line: OpaquePointer?
      var result: Int32 = 0
      for _ in 0...releaseLimitMilliseconds / askMilliseconds {
        result = clibgpiod_request(
          place.path, place.offset, use, settings.isActiveLow, clibgpiod_bias(bias), value ? 1 : 0, consumer, &line)
        guard result == -EBUSY, held.withLock({ $0.contains(place) }) else { break }
        usleep(UInt32(askMilliseconds * 1000))
      }
      guard result >= 0, let line else { throw failure(settings.address, place, -result) }
      return GPIOLine(pointer: line, address: settings.address, place: place)
    }

    private static func failure(_ address: LineAddress, _ place: LinePlace, _ code: Int32) -> LineFailure {
      switch code {
      case EBUSY:
        let holder = readLine(place.path, Int(place.offset))?.consumer ?? ""
        return LineFailure(
          cause: .busy,
          description:
            "\(address): \(holder.isEmpty ? "another program" : holder) holds the line; stop it, or use another line")
      case EACCES, EPERM: return denied(place.path)
      default:
        return LineFailure(
          cause: .system, description: "\(address): the line cannot be had (\(String(cString: strerror(code))))")
      }
    }

    private static func denied(_ path: String) -> LineFailure {
      LineFailure(
        cause: .denied,
        description: "\(path): it may not be opened; add the user to the group gpio, or allow the device in the unit's "
          + "DeviceAllow")
    }
  }

  /// The chip's device and the line's offset on it.
  struct LinePlace: Hashable, Sendable {
    let path: String
    let offset: UInt32
  }

  /// A line that the station holds for the life of this object. One thread may use it at a time.
  final class GPIOLine: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let place: LinePlace
    let address: LineAddress

    init(pointer: OpaquePointer, address: LineAddress, place: LinePlace) {
      self.pointer = pointer
      self.address = address
      self.place = place
      GPIOLines.held.withLock { _ = $0.insert(place) }
    }

    deinit {
      clibgpiod_release(pointer)
      GPIOLines.held.withLock { _ = $0.remove(place) }
    }

    var descriptor: Int32 { clibgpiod_descriptor(pointer) }

    func read() throws(LineFailure) -> Bool { try check(clibgpiod_get(pointer), "be read") != 0 }

    func write(_ value: Bool) throws(LineFailure) { _ = try check(clibgpiod_set(pointer, value ? 1 : 0), "be driven") }

    /// Reads the oldest edge; the descriptor must be readable.
    func takeEdge() throws(LineFailure) -> Bool {
      var time: UInt64 = 0
      return try check(clibgpiod_read_edge(pointer, &time), "be watched") != 0
    }

    private func check(_ result: Int32, _ what: String) throws(LineFailure) -> Int32 {
      if result >= 0 { return result }
      throw LineFailure(
        cause: .system, description: "\(address): the line cannot \(what) (\(String(cString: strerror(-result))))")
    }
  }

  extension clibgpiod_bias {
    init(_ bias: LineBias) {
      switch bias {
      case .unchanged: self = CLIBGPIOD_BIAS_AS_IS
      case .none: self = CLIBGPIOD_BIAS_NONE
      case .up: self = CLIBGPIOD_BIAS_PULL_UP
      case .down: self = CLIBGPIOD_BIAS_PULL_DOWN
      }
    }
  }

  /// The text of a C array.
  private func cText<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }

#endif
