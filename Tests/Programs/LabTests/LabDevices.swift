// The devices of the lab, as steps: plugging, pulling, pressing, covering and stealing.

import Testing

extension LabScript {
  // MARK: The camera

  /// Plugs in a camera.
  ///
  /// - Parameter format: `WIDTHxHEIGHT@FRAMES_PER_SECOND`. Pictures are drawn in its size.
  mutating func plugCamera(
    _ format: String = "640x480@30", showing picture: LabPicture = .empty,
    at location: SourceLocation = #_sourceLocation
  ) {
    cameraFormat = format
    show(picture, at: location)
    plugCameraAgain(at: location)
  }

  /// Plugs in the same camera again, which shows the same picture.
  mutating func plugCameraAgain(at location: SourceLocation = #_sourceLocation) {
    step(["plug_camera", cameraFormat], at: location)
  }

  mutating func unplugCamera(at location: SourceLocation = #_sourceLocation) {
    step(["devices", "camera-unplug"], at: location)
  }

  /// Freezes the camera: it delivers no frames and no sign of trouble.
  mutating func freezeCamera(at location: SourceLocation = #_sourceLocation) {
    step(["devices", "camera-freeze"], at: location)
  }

  mutating func thawCamera(at location: SourceLocation = #_sourceLocation) {
    step(["devices", "camera-thaw"], at: location)
  }

  /// Puts another picture in front of the camera.
  mutating func show(_ picture: LabPicture, at location: SourceLocation = #_sourceLocation) {
    let numbers = cameraFormat.split { "x@".contains($0) }.compactMap { Int($0) }
    let size = LabPicture.Size(numbers[0], numbers[1])
    let name = picture.name(size)
    add(picture, as: name, size: size)
    step(["show", name], at: location)
  }

  /// Starts the real udevd, which from now on notifies programs about devices that are plugged in and pulled.
  mutating func startUdev(at location: SourceLocation = #_sourceLocation) { step(["start_udev"], at: location) }

  /// Lets udevd announce new camera devices late: programs that look for devices find them before.
  mutating func delayUdev(by seconds: Double, at location: SourceLocation = #_sourceLocation) {
    step(["delay_udev", "\(seconds)"], at: location)
  }

  // MARK: Lines and lamps

  /// Adds a GPIO chip, `lab0`, with eight lines.
  ///
  /// - Parameters:
  ///   - names: the names of the first lines.
  ///   - buttons: lines that are pulled down while they are not pressed.
  mutating func addLines(
    _ names: [String], buttons: [String] = [], at location: SourceLocation = #_sourceLocation
  ) {
    step(["add_lines", "8"] + names, at: location)
    for button in buttons { release(button, at: location) }
  }

  /// Presses a button and releases it.
  mutating func press(_ button: String, at location: SourceLocation = #_sourceLocation) {
    step(["press", button], at: location)
  }

  /// Presses a button and holds it.
  mutating func hold(_ button: String, at location: SourceLocation = #_sourceLocation) {
    step(["pull", button, "up"], at: location)
  }

  mutating func release(_ button: String, at location: SourceLocation = #_sourceLocation) {
    step(["pull", button, "down"], at: location)
  }

  /// Another program, `holder`, takes a line.
  mutating func takeLine(_ number: Int, at location: SourceLocation = #_sourceLocation) {
    step(["hold_line", "\(number)"], at: location)
  }

  /// Adds an LED of the kernel, with a brightness from 0 to 255.
  mutating func addLED(at location: SourceLocation = #_sourceLocation) { step(["add_led"], at: location) }

  // MARK: The serial port

  /// The port of the adapter, and the other end of its cable.
  static let adapterPort = "/dev/ttyACM0"
  static let gadgetPort = "/dev/ttyGS0"

  mutating func plugSerial(at location: SourceLocation = #_sourceLocation) { step(["plug_serial"], at: location) }

  /// Starts a host that writes each line to the file `received` and acknowledges it, until `endHost`.
  ///
  /// - Parameter ports: a glob of the possible names of its end of the cable.
  mutating func startHost(_ ports: String, at location: SourceLocation = #_sourceLocation) {
    start("host", "host", ports, at: location)
  }

  mutating func endHost(at location: SourceLocation = #_sourceLocation) {
    run("touch", "ended", at: location)
    finish("host", at: location)
  }

  /// Starts a host that listens at a port and writes what it hears to the file `heard`.
  mutating func openSerial(_ port: String, at location: SourceLocation = #_sourceLocation) {
    step(["open_serial", port], at: location)
  }

  /// Sends a line from the host.
  mutating func say(_ line: String, at location: SourceLocation = #_sourceLocation) {
    step(["say", line], at: location)
  }

  /// Pulls the cable of the serial port at random, and plugs it in again.
  mutating func pullSerialCable(times count: Int, at location: SourceLocation = #_sourceLocation) {
    step(["pull_serial_cable", "\(count)"], at: location)
  }

  // MARK: The screen

  /// Makes the kernel look for its screen.
  mutating func addScreen(at location: SourceLocation = #_sourceLocation) {
    run("devices", "screen", at: location)
  }

  /// Saves a picture of the screen, for `LabRun.screenshot`.
  mutating func takeScreenshot(_ name: String, at location: SourceLocation = #_sourceLocation) {
    step(["screenshot", name + ".ppm"], at: location)
  }

  /// Makes another program, `thief`, take the screen from a running one repeatedly.
  mutating func stealScreen(
    from name: String, times count: Int, heldFor: Double, leftFor: Double,
    at location: SourceLocation = #_sourceLocation
  ) {
    add(source: "screen_thief.py")
    step(["steal_screen", name, "\(count)", "\(heldFor)", "\(leftFor)"], at: location)
  }

  /// Expects the display hardware to compose a picture, which means that the screen is on.
  mutating func expectComposedPicture(at location: SourceLocation = #_sourceLocation) {
    run("devices", "crc", at: location)
  }
}

extension LabFact {
  /// The level of a line: 1 or 0.
  static func line(_ name: String, is level: Int) -> LabFact { LabFact(words: ["line_is", name, "\(level)"]) }

  static func lineIsHeld(_ name: String) -> LabFact { LabFact(words: ["line_is_held", name]) }

  /// The brightness of the lamp added by `addLED`.
  static func brightness(is value: Int) -> LabFact { .file("/sys/class/leds/torch/brightness", is: "\(value)") }

  /// The host has heard lines that entirely match a regular expression.
  static func heard(_ pattern: String, times: Int = 1) -> LabFact {
    LabFact(words: ["has_line", "heard", pattern, "\(times)"])
  }
}
