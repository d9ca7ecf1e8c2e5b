// The virtual terminal behind the screen: while a station shows its picture, the kernel must draw no text over it, and must
// ask before it shows another terminal.

#if Screen
  import CLibdrm
  public import Devices
  import Glibc

  /// What the kernel asks or tells.
  public enum TerminalQuestion: Equatable, Sendable {
    /// Another terminal is to be seen.
    case leaving
    /// Ours is seen again.
    case entered
  }

  /// A virtual terminal.
  public protocol ConsoleTerminal: AnyObject {
    var name: String { get }
    /// Takes the terminal for graphics; does nothing if it is taken.
    func take() throws(ScreenTrouble)
    /// Whether it is the one that is seen.
    var isSeen: Bool { get }
    /// What has been asked since last time.
    func takeQuestion() -> TerminalQuestion?
    /// Agrees.
    func answer(_ question: TerminalQuestion)
    /// Makes it a terminal of text again.
    func giveBack()
  }

  /// A terminal of the kernel's.
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

    /// Makes a terminal that a killed station has left in graphics a terminal of text.
    public static func restore(path: String) throws(ScreenTrouble) {
      let result = clibdrm_terminal_restore(path)
      guard result == 0 else {
        throw ScreenTrouble(
          .failed, "\(path): it cannot be restored (\(KMSCard.words(result))); name a virtual terminal such as /dev/tty1")
      }
    }
  }
#endif
