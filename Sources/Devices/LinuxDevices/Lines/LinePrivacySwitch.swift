// The privacy switch on a GPIO line. Its level is read on each query, which takes a few microseconds: a missed edge would
// leave the camera open.

#if Lines

  import CLibgpiod
  public import Devices

  /// A switch on a line. Used by one thread.
  ///
  /// An unavailable line is reported once and tried again from time to time; until it can be read, the camera stays closed.
  public final class LinePrivacySwitch: PrivacySwitch {
    /// How often an unavailable line is tried again.
    static let retryNanoseconds: Int64 = 1_000_000_000

    private let settings: LineSettings
    private let bias: LineBias
    private let trouble: @Sendable (String) -> Void
    private var line: GPIOLine?
    private var retryAt: Int64 = 0
    private var wasTroubleTold = false

    /// - Parameters:
    ///   - settings: the line, which is active while the camera must not be used.
    ///   - bias: the line's bias while nothing drives it.
    ///   - trouble: called with the trouble of the line.
    public init(_ settings: LineSettings, bias: LineBias, trouble: @escaping @Sendable (String) -> Void) {
      self.settings = settings
      self.bias = bias
      self.trouble = trouble
    }

    public var isClosed: Bool {
      if line == nil, BootTime().now() < retryAt { return true }
      do throws(LineFailure) {
        if line == nil { line = try GPIOLines.take(settings, for: CLIBGPIOD_INPUT, bias: bias) }
        let isClosed = try line?.read() ?? true
        wasTroubleTold = false
        return isClosed
      } catch {
        line = nil
        retryAt = BootTime().now() + Self.retryNanoseconds
        if !wasTroubleTold { trouble("camera.privacy_line, so the camera stays switched off: \(error)") }
        wasTroubleTold = true
        return true
      }
    }
  }

#endif
