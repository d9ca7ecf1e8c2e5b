// The settings of the C interface: every value is checked before the decoder sees it.

import BarcodeDecoder
import BarcodeTypes
public import CReticle

extension reticle_settings {
  /// The decoder's own defaults.
  static var standard: reticle_settings {
    let decoder = DecoderSettings()
    var settings = reticle_settings()
    settings.size = MemoryLayout<reticle_settings>.size
    settings.symbologies = libraryBits(decoder.symbologies)
    settings.voted_symbologies = libraryBits(decoder.votedSymbologies)
    settings.effort = Int32(RETICLE_STILL)
    settings.add_ons = Int32(RETICLE_ADD_ONS_IGNORE)
    settings.composite = Int32(RETICLE_COMPOSITE_WAIT)
    settings.voted_reading_count = Int32(decoder.votedReadingCount)
    settings.assumed_eci = -1
    settings.code39_full_ascii = Int32(RETICLE_FULL_ASCII_DETECT)
    settings.msi_check = Int32(RETICLE_MSI_MOD10)
    settings.msi_keeps_check_digits = decoder.msiKeepsCheckDigits ? 1 : 0
    settings.code11_check = Int32(RETICLE_CODE11_EITHER)
    settings.code11_keeps_check_digits = decoder.code11KeepsCheckDigits ? 1 : 0
    settings.codabar_keeps_start_and_stop = decoder.codabarKeepsStartAndStop ? 1 : 0
    withUnsafeMutableBytes(of: &settings.length_min) { least in
      withUnsafeMutableBytes(of: &settings.length_max) { most in
        forEachSymbology { symbology, number in
          least[number] = UInt8(decoder.lengths[symbology].min)
          most[number] = UInt8(decoder.lengths[symbology].max)
        }
      }
    }
    return settings
  }
}

/// Settings for the decoder, or the status that says what is wrong with them.
enum CheckedSettings {
  case right(DecoderSettings, workLimit: Int?)
  case wrong(Int)

  /// - Parameter place: as a caller gives them; nil for the defaults. The first field is their size.
  init(_ place: UnsafePointer<reticle_settings>?) {
    guard let place else {
      self = .right(DecoderSettings(), workLimit: nil)
      return
    }
    let size = place.pointee.size
    let known = MemoryLayout<reticle_settings>.size
    // A caller that forgot the size may have any number there: no struct of settings will ever be this large.
    guard size >= known, size <= CheckedSettings.sizeMax else {
      self = .wrong(RETICLE_BAD_STRUCT_SIZE)
      return
    }
    // A newer caller may know more settings; all but those that are off ask for what this library cannot do.
    let bytes = UnsafeRawBufferPointer(start: place, count: size)
    for offset in known..<size where bytes[offset] != 0 {
      self = .wrong(RETICLE_UNKNOWN_SETTING)
      return
    }
    self.init(checking: place.pointee)
  }

  /// The largest struct of settings that a future header may have, in bytes.
  static let sizeMax = 4096

  private init(checking given: reticle_settings) {
    var settings = DecoderSettings()
    if let problem = CheckedSettings.applyChoices(given, &settings) ?? CheckedSettings.applyLists(given, &settings) {
      self = .wrong(problem)
    } else {
      self = .right(settings, workLimit: given.work_limit == 0 ? nil : Int(clamping: given.work_limit))
    }
  }

  /// Applies the settings that are one number; returns the status of the first that is wrong.
  private static func applyChoices(_ given: reticle_settings, _ settings: inout DecoderSettings) -> Int? {
    switch Int(given.effort) {
    case RETICLE_STILL: settings.effort = .still
    case RETICLE_FRAME: settings.effort = .frame
    default: return RETICLE_BAD_EFFORT
    }
    switch Int(given.add_ons) {
    case RETICLE_ADD_ONS_IGNORE: settings.addOns = .ignore
    case RETICLE_ADD_ONS_READ: settings.addOns = .read
    case RETICLE_ADD_ONS_REQUIRE: settings.addOns = .require
    default: return RETICLE_BAD_ADD_ONS
    }
    switch Int(given.composite) {
    case RETICLE_COMPOSITE_WAIT: settings.composite = .wait
    case RETICLE_COMPOSITE_IGNORE: settings.composite = .ignore
    default: return RETICLE_BAD_COMPOSITE
    }
    switch Int(given.code39_full_ascii) {
    case RETICLE_FULL_ASCII_DETECT: settings.code39FullASCII = .detect
    case RETICLE_FULL_ASCII_NEVER: settings.code39FullASCII = .never
    case RETICLE_FULL_ASCII_ALWAYS: settings.code39FullASCII = .always
    default: return RETICLE_BAD_FULL_ASCII
    }
    return applyCheckDigits(given, &settings) ?? applyNumbers(given, &settings)
  }

  private static func applyCheckDigits(_ given: reticle_settings, _ settings: inout DecoderSettings) -> Int? {
    switch Int(given.msi_check) {
    case RETICLE_MSI_NONE: settings.msiCheck = .none
    case RETICLE_MSI_MOD10: settings.msiCheck = .mod10
    case RETICLE_MSI_MOD10_MOD10: settings.msiCheck = .mod10Mod10
    case RETICLE_MSI_MOD11: settings.msiCheck = .mod11
    case RETICLE_MSI_MOD11_MOD10: settings.msiCheck = .mod11Mod10
    default: return RETICLE_BAD_CHECK
    }
    switch Int(given.code11_check) {
    case RETICLE_CODE11_EITHER: settings.code11Check = .either
    case RETICLE_CODE11_NONE: settings.code11Check = .none
    case RETICLE_CODE11_ONE: settings.code11Check = .one
    case RETICLE_CODE11_TWO: settings.code11Check = .two
    default: return RETICLE_BAD_CHECK
    }
    guard isFlag(given.msi_keeps_check_digits), isFlag(given.code11_keeps_check_digits),
      isFlag(given.codabar_keeps_start_and_stop)
    else { return RETICLE_BAD_FLAG }
    settings.msiKeepsCheckDigits = given.msi_keeps_check_digits == 1
    settings.code11KeepsCheckDigits = given.code11_keeps_check_digits == 1
    settings.codabarKeepsStartAndStop = given.codabar_keeps_start_and_stop == 1
    return nil
  }

  private static func isFlag(_ value: Int32) -> Bool { value == 0 || value == 1 }

  /// The greatest ECI assignment number.
  private static let eciMax: Int32 = 999_999

  private static func applyNumbers(_ given: reticle_settings, _ settings: inout DecoderSettings) -> Int? {
    guard given.assumed_eci >= -1, given.assumed_eci <= eciMax else { return RETICLE_BAD_ECI }
    settings.assumedECI = given.assumed_eci < 0 ? nil : UInt32(given.assumed_eci)
    guard given.voted_reading_count >= 1, given.voted_reading_count <= 255 else { return RETICLE_BAD_READING_COUNT }
    settings.votedReadingCount = Int(given.voted_reading_count)
    guard given.work_limit >= 0 else { return RETICLE_BAD_WORK_LIMIT }
    guard given.reserved == 0 else { return RETICLE_UNKNOWN_SETTING }
    return nil
  }

  /// Applies the settings by symbology; returns the status of the first that is wrong. One pass, as each frame pays for it.
  private static func applyLists(_ given: reticle_settings, _ settings: inout DecoderSettings) -> Int? {
    let standard = settings.lengths
    var (wanted, voted) = (SymbologySet(), SymbologySet())
    var (all, problem) = (UInt64(0), Int?.none)
    withUnsafeBytes(of: given.checks) { checks in
      withUnsafeBytes(of: given.length_min) { least in
        withUnsafeBytes(of: given.length_max) { most in
          forEachSymbology { symbology, number in
            let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: number)
            all |= bit
            if given.symbologies & bit != 0 { wanted.insert(symbology) }
            if given.voted_symbologies & bit != 0 { voted.insert(symbology) }
            switch Int(checks[number]) {
            case RETICLE_CHECK_NONE: break
            case RETICLE_CHECK_VERIFY: settings.checks[symbology] = .verify
            case RETICLE_CHECK_DROP: settings.checks[symbology] = .verifyAndDrop
            default: problem = RETICLE_BAD_CHECK
            }
            let range = LengthRange(min: Int(least[number]), max: Int(most[number]))
            if range == standard[symbology] { return }
            if !isPermitted(range, symbology) { problem = problem ?? RETICLE_BAD_LENGTHS }
            settings.lengths[symbology] = range
          }
        }
      }
    }
    guard given.symbologies != 0, given.symbologies & ~all == 0, given.voted_symbologies & ~all == 0 else {
      return RETICLE_BAD_SYMBOLOGIES
    }
    (settings.symbologies, settings.votedSymbologies) = (wanted, voted)
    return problem
  }

  private static func isPermitted(_ range: LengthRange, _ symbology: Symbology) -> Bool {
    guard let limits = symbology.lengths?.limits else { return false }
    return range.min <= range.max && limits.contains(range.min) && limits.contains(range.max)
  }
}

@_cdecl("reticle_settings_init")
public func initializeSettings(settings: UnsafeMutableRawPointer?, settingsSize: UInt) -> reticle_status {
  guard let settings else { return status(RETICLE_NULL_ARGUMENT) }
  guard settingsSize >= UInt(MemoryLayout<reticle_settings>.size), settingsSize <= UInt(CheckedSettings.sizeMax) else {
    return status(RETICLE_BAD_STRUCT_SIZE)
  }
  var standard = reticle_settings.standard
  standard.size = Int(settingsSize)
  return writeStruct(standard, to: settings, size: settingsSize)
}
