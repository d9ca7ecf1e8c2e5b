// 2D in retail: the codes of a package; a till wants the first, the best or all of them (GS1's scanning modes 1 to 3).

import BarcodeTypes

/// The article that a code names, with the code's other data about it.
public struct ScannedProduct: Equatable, Sendable {
  /// A GS1 element other than the GTIN.
  public struct Attribute: Equatable, Sendable {
    public var identifier: String
    public var value: String

    public init(identifier: String, value: String) { (self.identifier, self.value) = (identifier, value) }
  }

  /// 14 digits.
  public var gtin: String
  /// At most `GS1Reading.elementCountMax`.
  public var attributes: [Attribute]

  public init(gtin: String, attributes: [Attribute] = []) { (self.gtin, self.attributes) = (gtin, attributes) }

  /// Whether both codes can be on one package: they name the same article and do not contradict each other on other data,
  /// such as serial number or weight.
  func isCompatible(with other: ScannedProduct) -> Bool {
    gtin == other.gtin
      && attributes.allSatisfy { own in
        other.attributes.allSatisfy { $0.identifier != own.identifier || $0.value == own.value }
      }
  }
}

/// How the codes of a package are sent.
public struct RetailSettings: Equatable, Sendable {
  public enum Mode: Int, CaseIterable, Equatable, Sendable {
    /// The first code is sent at once, and no other code of the package.
    case first = 1
    /// A 2D symbol is sent at once; a linear symbol waits for one.
    case preferred2D = 2
    /// All codes seen in time are sent together, later ones after them, with the package's set id.
    case all = 3
  }

  public var mode: Mode
  /// How long a code waits for others of its package, from the moment the first of them was read.
  ///
  /// 150 ms are four frames at 30 frames per second and two at 15. Of 1000 drawn packages with an EAN and a 2D symbol
  /// (`sequence-lab retail 1000 7`), the 2D symbol is sent for 960 at 30 frames per second and for 947 at 15; without a
  /// wait, for 928 and 925. With 150 ms, p99 from presentation to output is 461 ms for an EAN alone at 15 frames per second;
  /// with 300 ms it exceeds 500 ms.
  public var wait = Duration.milliseconds(150)

  public init(mode: Mode) { self.mode = mode }
}

/// The id shared by the codes of a package: eight digits. It is the boot-time millisecond at which the package's first
/// code was captured, or the last id plus one if that is greater, modulo 100 000 000; ids within one boot are therefore
/// unique for 27 hours.
public struct PackageSetID: Equatable, Sendable, CustomStringConvertible {
  static let digitCount = 8
  private static let modulus: Int64 = 100_000_000

  private let number: Int64

  init(_ number: Int64) { self.number = number % PackageSetID.modulus }

  public var description: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, PackageSetID.digitCount - digits.utf8.count)) + digits
  }
}

/// Results that wait for others of their package.
struct PackageMemory: Equatable, Sendable {
  /// The most results that wait: all codes of a frame. Further results are forwarded at once.
  static let heldCountMax = RepeatMemory.codeCountMax

  private struct Held: Equatable {
    var result: ScanResult
    /// Nil for a link, which waits for any article.
    var package: Int64?
    var deadline: Instant
  }

  private var held: [Held] = []
  /// The number of the last package.
  private var lastNumber: Int64 = 0

  /// - Parameter earlier: the memory whose numbering continues; its results are not kept.
  init(after earlier: PackageMemory?) { lastNumber = earlier?.lastNumber ?? 0 }

  var isEmpty: Bool { held.isEmpty }

  /// When the first result has waited long enough.
  var nextDeadline: Instant? { held.map(\.deadline).min() }

  /// The number of a new package.
  mutating func nextNumber(at moment: Instant) -> Int64 {
    lastNumber = max(lastNumber + 1, moment.nanoseconds / 1_000_000)
    return lastNumber
  }

  func isHolding(_ package: Int64) -> Bool { held.contains { $0.package == package } }

  /// Keeps a result; all results of a package wait only as long as its first. False if there is no room.
  mutating func hold(_ result: ScanResult, of package: Int64?, until deadline: Instant) -> Bool {
    guard held.count < PackageMemory.heldCountMax else { return false }
    let first = package.flatMap { package in held.first { $0.package == package } }
    held.append(Held(result: result, package: package, deadline: first?.deadline ?? deadline))
    return true
  }

  /// Forgets the results of a package; returns how many there were.
  mutating func drop(_ package: Int64) -> Int {
    let before = held.count
    held.removeAll { $0.package == package }
    return before - held.count
  }

  /// Takes out the results that have waited long enough, in order.
  mutating func takeDue(at now: Instant) -> [ScanResult] {
    guard !held.isEmpty else { return [] }
    let due = held.filter { $0.deadline <= now }.map(\.result)
    held.removeAll { $0.deadline <= now }
    return due
  }

  mutating func takeAll() -> [ScanResult] {
    defer { held.removeAll(keepingCapacity: true) }
    return held.map(\.result)
  }

  /// Forgets the links, which belong to the package of an article. Returns how many there were.
  mutating func dropLinks() -> Int {
    let before = held.count
    held.removeAll { $0.package == nil }
    return before - held.count
  }
}

extension ScanController {
  /// Whether results wait for others of their package.
  public var isHoldingResults: Bool { !packages.isEmpty }

  /// Appends, holds or leaves out a new result, depending on the codes of its package.
  ///
  /// - Returns: the number of the package, to be remembered with the code; nil if the code names no article.
  mutating func admit(
    _ result: ScanResult, by retail: RetailSettings, at now: Instant, into results: inout [ScanResult],
    leftOutCount: inout Int
  ) -> Int64? {
    var result = result
    let deadline = now.advanced(by: retail.wait)
    guard let product = result.code.product else {
      // A web address on the package is not an article, and is not sent before one.
      if result.code.mark != .link || !packages.hold(result, of: nil, until: deadline) { results.append(result) }
      return nil
    }
    let known = repeats.package(of: product)
    let package = known ?? packages.nextNumber(at: result.capturedAt)
    var waits = false
    switch retail.mode {
    case .first:
      guard known == nil else {
        leftOutCount += 1
        return package
      }
    case .preferred2D:
      let takesOver = result.code.symbology.family == .matrix && packages.isHolding(package)
      guard known == nil || takesOver else {
        leftOutCount += 1
        return package
      }
      leftOutCount += packages.drop(package)
      waits = result.code.symbology.family != .matrix
    case .all:
      result.set = PackageSetID(package)
      waits = known == nil || packages.isHolding(package)
    }
    if !waits || !packages.hold(result, of: package, until: deadline) { results.append(result) }
    return package
  }

  /// Takes out the results that have waited long enough. Links that wait for an article of the same package are left out.
  mutating func dueResults(at now: Instant, leftOutCount: inout Int) -> [ScanResult] {
    guard let retail = settings.retail, !packages.isEmpty else { return [] }
    if repeats.hasProduct(within: retail.wait) { leftOutCount += packages.dropLinks() }
    return settings.isEachFrameNew ? packages.takeAll() : packages.takeDue(at: now)
  }

  /// Forwards results that have waited long enough although no frame has come since.
  mutating func heldTimePassed(_ now: Instant, _ actions: inout [Action]) {
    guard session.isScanning else { return }
    var leftOutCount = 0
    let results = dueResults(at: now, leftOutCount: &leftOutCount)
    if leftOutCount > 0 { actions.append(.countSuppressed(.package, leftOutCount)) }
    if !results.isEmpty { scanned(results, now, &actions) }
  }

  /// Scans the waiting results when the triggered session ends.
  mutating func scanHeld(_ now: Instant, _ actions: inout [Action]) {
    guard session.isScanning, !packages.isEmpty else { return }
    scanned(packages.takeAll(), now, &actions)
  }

  /// Handles waiting results when scanning ends: they are counted as cancelled if the user cancelled, else forwarded.
  /// Results that would have needed confirmation are given up, and scanned again when scanning resumes.
  mutating func endHolding(isCancelled: Bool, _ actions: inout [Action]) {
    guard !session.isScanning, !packages.isEmpty else { return }
    let held = packages.takeAll()
    guard !isCancelled else { return actions.append(.discard(held, .cancelled)) }
    let unconfirmed = held.filter { needsConfirmation($0) }
    let forwarded = held.filter { !needsConfirmation($0) }
    if !forwarded.isEmpty { actions += [.forward(forwarded), .showScan(forwarded, flashes: true)] }
    if !unconfirmed.isEmpty { actions.append(.discard(unconfirmed, .stopped)) }
    for result in unconfirmed { repeats.forget(result.code) }
  }
}
