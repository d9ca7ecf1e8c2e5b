// Touches and keys from all connected devices, through libinput, which knows every touchscreen's calibration and follows
// devices that come and go. A separate thread waits for them.
#if Screen

  import BarcodeTypes
  import CLibinput
  public import Devices
  import Glibc
  import Synchronization

  /// The input devices at the screen.
  public final class LibinputDevices: ScreenInput {
    /// Acts that wait to be taken; further ones are lost.
    public static let waitingCountMax = 64
    /// How often the thread checks whether it is still needed.
    static let lookMilliseconds: Int32 = 250

    /// The devices to use.
    public enum Choice: Equatable, Sendable, CustomStringConvertible {
      /// All devices of a seat; `seat0` is the one in front of the machine.
      case seat(String)
      /// One device, such as `/dev/input/event0`.
      case device(String)

      public var description: String {
        switch self {
        case .seat(let name), .device(let name): name
        }
      }
    }

    private let choice: Choice
    private let keyboards: [String]
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - keyboards: parts of the names of keyboards whose keys count; empty for all.
    ///   - report: called once with the reason why devices cannot be opened, and the remedy.
    public init(
      _ choice: Choice = .seat("seat0"), keyboards: [String] = [], report: @escaping @Sendable (String) -> Void
    ) {
      self.choice = choice
      self.keyboards = keyboards
      self.report = report
    }

    public func acts() -> AsyncStream<InputAct> {
      let (stream, continuation) = AsyncStream<InputAct>.makeStream(
        bufferingPolicy: .bufferingOldest(Self.waitingCountMax))
      let (opened, reason) = open()
      guard let context = opened else {
        report(
          "\(choice): input devices cannot be opened (\(reason)); add the user to the group input, or allow /dev/input in the "
            + "unit's DeviceAllow")
        continuation.finish()
        return stream
      }
      let reader = Reader(context: context, keyboards: keyboards, continuation: continuation)
      continuation.onTermination = { _ in reader.isWanted.store(false, ordering: .relaxed) }
      reader.start()
      return stream
    }

    /// Opens the devices; if that fails, returns why.
    private func open() -> (context: OpaquePointer?, reason: String) {
      var context: OpaquePointer?
      let result =
        switch choice {
        case .seat(let seat): clibinput_open_seat(seat, &context)
        case .device(let path): clibinput_open_device(path, &context)
        }
      return result == 0 ? (context, "") : (nil, String(cString: strerror(-result)))
    }

    /// Whether the operator accepts keys from the event's device.
    static func isWanted(_ event: clibinput_event, _ keyboards: [String]) -> Bool {
      guard !keyboards.isEmpty, let name = event.name.map({ String(cString: $0) }) else { return keyboards.isEmpty }
      return keyboards.contains { name.contains($0) }
    }

    /// The action of a key: those that number pads, remote controls and presenters have.
    static func act(ofKey key: UInt32) -> InputAct? {
      switch Int32(key) {
      case KEY_ENTER, KEY_KPENTER, KEY_OK, KEY_SELECT: .button(.confirm)
      case KEY_TAB, KEY_DOWN, KEY_PAGEDOWN, KEY_NEXT: .button(.next)
      case KEY_ESC, KEY_BACK, KEY_CANCEL, KEY_BACKSPACE: .button(.cancel)
      case KEY_SPACE, KEY_CAMERA: .button(.trigger)
      case KEY_SEARCH, KEY_F1: .button(.shortcut)
      case KEY_LIGHTS_TOGGLE, KEY_KBDILLUMTOGGLE, KEY_T: .button(.torch)
      case KEY_ROTATE_DISPLAY, KEY_R: .turn(.clockwise)
      default: nil
      }
    }
  }

  /// State of the thread; other threads use only `isWanted`.
  private final class Reader: @unchecked Sendable {
    let isWanted = Atomic(true)
    private let context: OpaquePointer
    private let keyboards: [String]
    private let continuation: AsyncStream<InputAct>.Continuation
    private var keys = PressedKeys()
    /// The capabilities of each connected device.
    private var devices: [UInt: InputEquipment] = [:]
    private var told: InputEquipment?

    init(context: OpaquePointer, keyboards: [String], continuation: AsyncStream<InputAct>.Continuation) {
      self.context = context
      self.keyboards = keyboards
      self.continuation = continuation
    }

    func start() {
      var thread = pthread_t()
      let box = Unmanaged.passRetained(self)
      let result = pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          Unmanaged<Reader>.fromOpaque(argument).takeRetainedValue().read()
          return nil
        }, box.toOpaque())
      guard result == 0 else {
        box.release()
        continuation.finish()
        return
      }
      pthread_detach(thread)
    }

    private func read() {
      var event = clibinput_event()
      while isWanted.load(ordering: .relaxed), clibinput_next(context, patience, &event) == 0 {
        switch event.kind {
        case Int32(CLIBINPUT_TOUCH): continuation.yield(.touch(x: event.x, y: event.y))
        case Int32(CLIBINPUT_KEY):
          guard LibinputDevices.isWanted(event, keyboards) else { break }
          tellKeys(until: event.time)
          keys.press(event.key, of: UInt(event.device), at: event.time)
        case Int32(CLIBINPUT_ADDED):
          devices[UInt(event.device)] = InputEquipment(
            canTouch: event.points, hasKeys: event.has_enter && LibinputDevices.isWanted(event, keyboards))
        case Int32(CLIBINPUT_REMOVED):
          keys.forget(UInt(event.device))
          devices[UInt(event.device)] = nil
        // Devices connected at the start are reported first, one after another.
        case Int32(CLIBINPUT_NOTHING): tellEquipment()
        default: break
        }
        // Queued keys may have been typed long ago: only an empty queue proves that no other key follows.
        if event.kind == Int32(CLIBINPUT_NOTHING) { tellKeys(until: Self.now()) }
      }
      clibinput_close(context)
      continuation.finish()
    }

    private func tellEquipment() {
      let all = devices.values
      let equipment = InputEquipment(canTouch: all.contains(where: \.canTouch), hasKeys: all.contains(where: \.hasKeys))
      guard equipment != told else { return }
      told = equipment
      continuation.yield(.equipment(equipment))
    }

    private func tellKeys(until moment: UInt64) {
      for key in keys.take(until: moment) { if let act = LibinputDevices.act(ofKey: key) { continuation.yield(act) } }
    }

    /// How long to wait for an event, in milliseconds.
    private var patience: Int32 {
      guard let moment = keys.nextMoment else { return LibinputDevices.lookMilliseconds }
      let now = Self.now()
      return moment > now ? min(Int32((moment - now) / 1000) + 1, LibinputDevices.lookMilliseconds) : 0
    }

    /// The time of libinput's events, in microseconds.
    private static func now() -> UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
  }
#endif
