// The virtual terminal behind the screen: while a station shows its picture, the kernel must not draw text over it, and must
// ask before it shows another terminal.

#if Screen
  import CLibdrm
  public import Devices
  import Glibc

  /// The kernel's requests and notices.
  public enum TerminalQuestion: Equatable, Sendable {
    /// Another terminal is about to be shown.
    case leaving
    /// This terminal is shown again.
    case entered
  }

  /// A virtual terminal.
  public protocol ConsoleTerminal: AnyObject {
    var name: String { get }
    /// Switches the terminal to graphics; no effect if it is already.
    func take() throws(ScreenTrouble)
    /// Whether this terminal is visible.
    var isSeen: Bool { get }
    /// The request or notice since the last call, if any.
    func takeQuestion() -> TerminalQuestion?
    /// Agrees to a request or acknowledges a notice.
    func answer(_ question: TerminalQuestion)
    /// Switches the terminal back to text.
    func giveBack()
  }

  /// A virtual terminal of the kernel.
  public final class KernelTerminal: ConsoleTerminal {
    public let name: String
    private var descriptor: Int32 = -1

    /// - Parameter path: such as `/dev/tty1`.
    public init(path: String) { name = path }

    deinit { giveBack() }

    public func take() throws(ScreenTrouble) {
      guard descriptor < 0 else { return }
      let result = clibdrm_terminal_take(name, &descriptor)
      guard result != 0 else { return }
      descriptor = -1
      let cause: ScreenTrouble.Cause = result == -EACCES || result == -EPERM ? .denied : .failed
      throw ScreenTrouble(
        cause,
        "\(name): it cannot be taken for graphics (\(KMSCard.words(result))); name a virtual terminal in screen.terminal "
          + "and give it to the unit by /usr/share/reticle/terminal.conf, or leave the key out")
    }

    public var isSeen: Bool { descriptor >= 0 && clibdrm_terminal_is_seen(descriptor) != 0 }

    public func takeQuestion() -> TerminalQuestion? {
      switch clibdrm_terminal_asked() {
      case Int32(CLIBDRM_TERMINAL_LEAVING): .leaving
      case Int32(CLIBDRM_TERMINAL_ENTERED): .entered
      default: nil
      }
    }

    public func answer(_ question: TerminalQuestion) {
      _ = clibdrm_terminal_answer(descriptor, question == .entered ? 1 : 0)
    }

    public func giveBack() {
      guard descriptor >= 0 else { return }
      clibdrm_terminal_give_back(descriptor)
      descriptor = -1
    }

    /// Switches a terminal that a killed station left in graphics back to text.
    public static func restore(path: String) throws(ScreenTrouble) {
      let result = clibdrm_terminal_restore(path)
      guard result == 0 else {
        throw ScreenTrouble(
          .failed, "\(path): it cannot be restored (\(KMSCard.words(result))); name a virtual terminal such as /dev/tty1")
      }
    }
  }
#endif
