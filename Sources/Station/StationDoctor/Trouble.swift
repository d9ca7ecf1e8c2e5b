// Every trouble that the doctor can report, once: its text, remedy and meaning. The troubleshooting page is generated from
// these rows, so that it matches the program.

import BarcodeMessage
import ScanScreen
import StationConfiguration

/// The subject of a check.
public enum DoctorArea: String, CaseIterable, Sendable {
  case configuration, board, camera, memory, lines, torch, screen, serial, keyboard, outbox, pictures, rules, clock, network,
    console,
    speech,
    service
}

/// A documented trouble. Words in braces are placeholders for a machine's data.
public struct Trouble: Equatable, Sendable {
  /// How bad a trouble is.
  public enum Severity: String, Sendable {
    /// The station runs, but not as well as it could.
    case warning
    /// The station cannot do what is configured.
    case fault
  }

  /// A stable id, for programs that read the JSON, and for the anchor on the page.
  public let id: String
  public let area: DoctorArea
  public let severity: Severity
  /// The finding.
  public let summary: String
  /// A command to paste into a shell.
  public let remedy: String
  /// The cause, and further remedies.
  public let meaning: String

  private init(
    _ id: String, _ area: DoctorArea, _ severity: Severity, _ summary: String, remedy: String, meaning: String
  ) {
    self.id = id
    self.area = area
    self.severity = severity
    self.summary = summary
    self.remedy = remedy
    self.meaning = meaning
  }

  /// The finding of this trouble on a machine.
  ///
  /// - Parameter words: the values of the words in braces.
  func found(_ words: KeyValuePairs<String, String>) -> Finding {
    var summary = summary
    var remedy = remedy
    for (name, value) in words {
      summary = summary.replacing("{\(name)}", with: value)
      remedy = remedy.replacing("{\(name)}", with: shellWord(value))
    }
    return Finding(area: area, state: severity == .fault ? .fault : .warning, summary: summary, remedy: remedy, id: id)
  }
}

/// A word that a shell takes unchanged (POSIX.1-2017, Shell Command Language §2.2.2), without control characters: the names
/// that devices report are untrusted.
func shellWord(_ text: String) -> String {
  // Characters that a terminal would not show literally are removed; a backslash is shown literally.
  let plain = text.unicodeScalars.filter { $0 == "\\" || TerminalText.safe(String($0)) == String($0) }
  let word = String(String.UnicodeScalarView(plain))
  let isSafe = word.utf8.allSatisfy { byte in
    byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5A || byte >= 0x61 && byte <= 0x7A
      || "_-./:,+@=%".utf8.contains(byte)
  }
  return isSafe && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
}

// MARK: The rows

extension Trouble {
  static let configurationMissing = Self(
    "configuration-missing", .configuration, .fault, "{file}: there is no such file",
    remedy: "sudo reticle config init --board {board} --webhook http://localhost:8080/scans --output {file}",
    meaning:
      "A station needs to know where frames come from and where scans go. The command writes a file that is right for "
      + "the board; every key is explained in it. Replace that address with your receiver's; until then `reticle receive "
      + "--port 8080` shows what arrives there. `--serial DEVICE` names a serial line instead. Or set the station up in a "
      + "browser: without the file, the service shows how at port 9470.")
  static let configurationDenied = Self(
    "configuration-denied", .configuration, .fault, "{file}: {user} may not read it",
    remedy: "sudo chgrp reticle {file} && sudo chmod 640 {file}",
    meaning:
      "The service reads its configuration as its own user. A file that an editor has replaced may belong to root alone.")
  static let configurationWrong = Self(
    "configuration-wrong", .configuration, .fault, "{problem}",
    remedy: "sudoedit {file} && sudo reticle config check {file}",
    meaning: "The message names the key, its value and what would be right. docs/configuration.md has every key.")
  static let configurationRefused = Self(
    "configuration-refused", .configuration, .fault, "{file}: {problem}",
    remedy: "sudoedit {file} && sudo reticle config check {file}",
    meaning:
      "The service does not start with this configuration, which a terminal would take: its standard output is the system's "
      + "journal, which holds barcode data only where that is allowed.")
  static let configurationExposed = Self(
    "configuration-exposed", .configuration, .warning, "{file}: it contains secrets, and every user may read it",
    remedy: "sudo chmod o-rwx {file}",
    meaning: "The file contains a header such as X-API-Key. Store secrets in a separate file or as `credential:NAME`.")

  static let boardOther = Self(
    "board-other", .board, .warning, "the lines of the configuration are those of {other}, but this is {model}",
    remedy: "reticle boards this --configuration",
    meaning:
      "GPIO chips have other labels on other boards, so torch, buttons and lamps will not be found. The command prints "
      + "the keys for this board.")

  static let cameraOff = Self(
    "camera-off", .camera, .warning, "\(ScreenText.permissionRestricted.logged): camera.enabled is false",
    remedy: "sudoedit {file}  # camera.enabled: true", meaning: "The camera is switched off by the configuration.")
  static let cameraAbsent = Self(
    "camera-absent", .camera, .fault, "\(ScreenText.cameraMissing.logged): no /dev/video* and no /dev/media*",
    remedy: "sudo dmesg | grep -iE 'imx|ov[0-9]|unicam|csi|uvc'",
    meaning: "The kernel has found no camera. Look at the ribbon cable: its contacts face the board's contacts, and both "
      + "latches are shut. On a Raspberry Pi, /boot/firmware/config.txt must contain `camera_auto_detect=1`. A USB camera "
      + "shows in `lsusb`.")
  static let cameraDenied = Self(
    "camera-denied", .camera, .fault, "\(ScreenText.permissionDenied.logged): {user} may not open {device}",
    remedy: "sudo usermod --append --groups {group} {user} && sudo systemctl restart reticle",
    meaning: "Device files of cameras belong to a group, mostly `video`. Somebody who is logged in has to log in again.")
  static let cameraLibraryFailed = Self(
    "camera-library-failed", .camera, .fault, "\(ScreenText.cameraUnopened.logged): libcamera does not start ({cause})",
    remedy: "LIBCAMERA_LOG_LEVELS='*:DEBUG' reticle cameras", meaning: "libcamera says more when it is asked to.")
  static let cameraLibraryOld = Self(
    "camera-library-old", .camera, .fault, "libcamera {version} does not drive the cameras of {model}",
    remedy: "sudo apt update && sudo apt full-upgrade",
    meaning: "The Raspberry Pi 5 needs libcamera 0.5.0 or newer: Raspberry Pi OS has it, and Debian's backports.")
  static let cameraUnlisted = Self(
    "camera-unlisted", .camera, .fault,
    "\(ScreenText.cameraMissing.logged): its device files are there, but libcamera does not know it",
    remedy: "sudo udevadm trigger --subsystem-match=media && sudo systemctl restart reticle",
    meaning: "libcamera sees only devices that udev has announced; in a container the host's /run/udev must be visible. A "
      + "camera without a driver of libcamera's is not listed either.")
  static let cameraUnmatched = Self(
    "camera-unmatched", .camera, .fault,
    "\(ScreenText.cameraMissing.logged): none has the {key} {value}; there is {cameras}",
    remedy: "reticle cameras  # then write one of them into {file}",
    meaning: "The id changes with the port that a camera is plugged into; the model stays.")
  static let cameraHeld = Self(
    "camera-held", .camera, .fault, "\(ScreenText.cameraTaken.logged): {program} has {device} open",
    remedy: "sudo fuser --verbose --kill {device}",
    meaning:
      "Only one program at a time can use a camera. The station reclaims it automatically once it is free; the command ends "
      + "the other program.")
  static let picturesMissing = Self(
    "pictures-missing", .camera, .fault, "{cause}", remedy: "sudoedit {file}  # camera.pictures",
    meaning: "The station plays pictures as a camera, but finds no pictures.")

  static let heapAbsent = Self(
    "heap-absent", .memory, .warning, "there is no DMA heap: frames are read from memory that is not cached",
    remedy: "ls -l /dev/dma_heap; grep DMABUF_HEAPS /boot/config-$(uname -r)",
    meaning: "On a Raspberry Pi, reading a frame is up to 30 times slower so. The kernel needs CONFIG_DMABUF_HEAPS with its "
      + "system and CMA heaps; that of Raspberry Pi OS has them.")
  static let heapDenied = Self(
    "heap-denied", .memory, .warning, "{device}: {user} may not open it, so frames are read from memory that is not cached",
    remedy: "sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=dma_heap",
    meaning: "Distributions other than Raspberry Pi OS leave DMA heaps to root. The package's udev rule gives them to the "
      + "group video, and the service's user is in it.")

  static let linesDenied = Self(
    "lines-denied", .lines, .fault, "{device}: {user} may not open it",
    remedy: "sudo usermod --append --groups {group} {user} && sudo systemctl restart reticle",
    meaning: "GPIO chips belong to the group gpio on Raspberry Pi OS, and to root elsewhere, where the package's udev rule "
      + "gives them to the group reticle.")
  static let lineChipAbsent = Self(
    "line-chip-absent", .lines, .fault, "{use}: there is no GPIO chip {chip}; there is {chips}",
    remedy: "reticle lines  # then write the line into {file}",
    meaning: "Chips are named by their label, which other boards and kernels write otherwise.")
  static let lineAbsent = Self(
    "line-absent", .lines, .fault, "{use}: no line is called {line}", remedy: "reticle lines --all",
    meaning: "The line's name, or its offset, is not one of the chip's.")
  static let lineAmbiguous = Self(
    "line-ambiguous", .lines, .fault, "{use}: several chips have a line {line}: {chips}",
    remedy: "reticle lines  # then write CHIP:LINE into {file}", meaning: "The chip's label before the line makes it clear.")
  static let lineHeld = Self(
    "line-held", .lines, .fault, "{use}: {holder} holds the line {line}",
    remedy: "sudo fuser --verbose {device}; reticle lines | grep held",
    meaning: "Another program or a kernel driver uses the line. End the program, take the overlay out of "
      + "/boot/firmware/config.txt, or use another line.")

  static let torchAbsent = Self(
    "torch-absent", .torch, .fault, "{file}: there is no such torch",
    remedy: "ls /sys/class/leds /sys/class/pwm/*/device -d",
    meaning: "LED and PWM torches are made by a driver; on a Raspberry Pi by a dtoverlay line in /boot/firmware/config.txt.")
  static let torchDenied = Self(
    "torch-denied", .torch, .fault, "{file}: {user} may not write it",
    remedy: "sudo chgrp {user} {file} && sudo chmod g+w {file}",
    meaning: "Files of the LED and PWM class belong to root unless a udev rule changes that. The command lasts until the "
      + "next boot; a udev rule lasts.")
  static let torchFlashAbsent = Self(
    "torch-flash-absent", .torch, .fault, "{file}: this LED has no flash, so it cannot strobe",
    remedy: "ls /sys/class/leds/*/flash_strobe  # another torch, or torch.strobe: false",
    meaning: "torch.strobe lights the torch for exposures: a GPIO line, a PWM channel or the LED of a flash driver. Drivers "
      + "of other LEDs do not switch them at a precise moment.")

  static let screenAbsent = Self(
    "screen-absent", .screen, .fault, "there is no graphics card {card}", remedy: "ls -l /dev/dri/by-path",
    meaning: "The kernel has found no display hardware, or screen.card names another card. On a Raspberry Pi, "
      + "/boot/firmware/config.txt must contain `dtoverlay=vc4-kms-v3d`.")
  static let screenDenied = Self(
    "screen-denied", .screen, .fault, "{device}: {user} may not open it",
    remedy: "sudo usermod --append --groups {group} {user} && sudo systemctl restart reticle",
    meaning: "Graphics cards belong to the group video.")
  static let screenConnectorAbsent = Self(
    "screen-connector-absent", .screen, .fault, "no connector is called {connector}; there is {connectors}",
    remedy: "sudoedit {file}  # screen.connector", meaning: "The names of connectors are those of /sys/class/drm.")
  static let screenUnplugged = Self(
    "screen-unplugged", .screen, .warning, "nothing is plugged into {connectors}",
    remedy: "grep . /sys/class/drm/card*-*/status",
    meaning: "Scanning goes on without a screen, and the screen is used as soon as one is plugged in.")
  static let screenHeld = Self(
    "screen-held", .screen, .warning, "\(ScreenText.screenTaken.logged): {program} has {device} open",
    remedy: "sudo systemctl isolate multi-user.target && sudo systemctl set-default multi-user.target",
    meaning:
      "A desktop session is using the card. Scanning continues; the station takes the screen once it is free. The command ends "
      + "the desktop permanently.")
  static let inputDenied = Self(
    "input-denied", .screen, .warning, "{device}: {user} may not open it, so touches and keys are not seen",
    remedy: "sudo usermod --append --groups {group} {user} && sudo systemctl restart reticle",
    meaning: "Touch screens and keyboards belong to the group input.")
  static let fontsAbsent = Self(
    "fonts-absent", .screen, .warning, "there are no fonts: the screen would show boxes instead of letters",
    remedy: "sudo apt install fonts-dejavu-core", meaning: "A minimal system has no fonts.")

  static let serialAbsent = Self(
    "serial-absent", .serial, .fault, "{sink}: there is no serial device {device}",
    remedy: "ls -l /dev/serial/by-path /dev/serial/by-id /dev/ttyAMA* /dev/ttyUSB* /dev/ttyACM*",
    meaning:
      "The adapter is not plugged in, or is called otherwise. The UART of a Raspberry Pi's header needs `enable_uart=1`, "
      + "on a Pi 5 `dtparam=uart0=on`, in /boot/firmware/config.txt.")
  static let serialAmbiguous = Self(
    "serial-ambiguous", .serial, .fault, "{sink}: several adapters are {device}",
    remedy: "ls -l /dev/serial/by-path  # then write the path into {file}",
    meaning: "Add the adapter's serial number to the name, or use the path of the socket that it is plugged into.")
  static let serialNoDevice = Self(
    "serial-no-device", .serial, .fault, "{sink}: {device} is not a serial device", remedy: "ls -l {device}",
    meaning: "A file of that name is there, but it is no device.")
  static let serialDenied = Self(
    "serial-denied", .serial, .fault, "{sink}: {device}: {user} may not open it",
    remedy: "sudo usermod --append --groups {group} {user} && sudo systemctl restart reticle",
    meaning: "Serial devices belong to the group dialout.")
  static let serialConsole = Self(
    "serial-console", .serial, .fault, "{sink}: the kernel writes its messages to {device}",
    remedy: "sudo raspi-config nonint do_serial_cons 1 && sudo reboot",
    meaning: "The host would get them as scans. Take `console=` with this device out of the kernel's command line "
      + "(/boot/firmware/cmdline.txt); the command does that on a Raspberry Pi.")
  static let serialHeld = Self(
    "serial-held", .serial, .fault, "{sink}: {program} has {device} open",
    remedy: "sudo systemctl disable --now serial-getty@$(basename {device}); sudo fuser --verbose {device}",
    meaning:
      "Two programs on one line take each other's bytes. A login prompt is the usual one, and the command switches it "
      + "off; it shows any other.")
  static let serialModemManager = Self(
    "serial-modem-manager", .serial, .warning,
    "{sink}: ModemManager runs, and tries {device} for a modem when it is plugged in",
    remedy: "sudo systemctl disable --now ModemManager",
    meaning: "The host would get `AT` commands between scans.")

  static let keyboardAbsent = Self(
    "keyboard-absent", .keyboard, .fault, "{sink}: {device} does not exist",
    remedy: "sudo modprobe uinput && echo uinput | sudo tee /etc/modules-load.d/uinput.conf",
    meaning:
      "The kernel's module uinput makes the keyboard that types scans on this machine's desktop. The command loads it, now "
      + "and at each start.")
  static let gadgetAbsent = Self(
    "gadget-absent", .keyboard, .fault, "{sink}: {device} does not exist",
    remedy: "sudo systemctl enable --now reticle-gadget",
    meaning:
      "The board is not set up as a USB device for the host on its cable. The command sets it up, now and at each start. It needs "
      + "a USB port that can be a device, see the page on setting up a station.")
  static let keyboardDenied = Self(
    "keyboard-denied", .keyboard, .fault, "{sink}: {user} may not open {device}",
    remedy: "sudo udevadm control --reload && sudo udevadm trigger {device}",
    meaning:
      "The package's udev rule gives the device to the group reticle. The command applies it; without the package, copy "
      + "the rule first.")

  static let outboxFolderAbsent = Self(
    "outbox-folder-absent", .outbox, .fault, "{folder}: there is no such folder",
    remedy: "sudo install --directory --owner {user} --mode 750 {folder}",
    meaning: "The outbox's file is made at the first start, its folder is not. The package makes /var/lib/reticle.")
  static let outboxDenied = Self(
    "outbox-denied", .outbox, .fault, "{path}: {user} may not write it", remedy: "sudo chown --recursive {user} {path}",
    meaning: "Scans would be held in memory alone, and be lost when the station stops.")
  static let outboxForeign = Self(
    "outbox-foreign", .outbox, .fault, "{problem}", remedy: "sudoedit {file}  # outbox.path: a file that does not exist yet",
    meaning: "The station does not start on a file of somebody else, a folder or a device. Nothing in it was changed.")
  static let outboxReadOnly = Self(
    "outbox-read-only", .outbox, .fault, "{folder}: its file system is read-only",
    remedy: "sudo mount --options remount,rw $(stat --format %m {folder}); sudo dmesg | tail",
    meaning: "Linux makes a file system read-only when its disk fails, as old SD cards do: replace it. Where the root is "
      + "read-only by intent, set outbox.path to a partition that is not.")
  static let outboxForgetful = Self(
    "outbox-forgetful", .outbox, .warning, "{folder}: it is kept in memory ({type}), so scans do not survive a power cut",
    remedy: "sudoedit {file}  # outbox.path: a file on a writable partition",
    meaning: "tmpfs, and the overlay of a read-only root, forget everything when the power goes.")
  static let outboxDiskFull = Self(
    "outbox-disk-full", .outbox, .fault, "{folder}: the disk has only {free} left",
    remedy: "sudo journalctl --vacuum-size=50M; df -h",
    meaning: "Scans can no longer be written. The command frees what old logs take.")
  static let outboxDiskSmall = Self(
    "outbox-disk-small", .outbox, .warning, "{folder}: the disk has {free} left, and the outbox may take {limit}",
    remedy: "df -h; sudoedit {file}  # outbox.megabytes",
    meaning: "During a long outage the disk would be full before the outbox is.")

  static let outboxFull = Self(
    "outbox-full", .outbox, .fault, "{problem}", remedy: "reticle outbox list; journalctl --unit reticle --since -1h",
    meaning:
      "Scans wait for a sink that does not get them, and new ones are refused. The journal says what is wrong with the "
      + "sink. outbox.undelivered and outbox.megabytes say how many may wait.")

  static let picturesFolderAbsent = Self(
    "pictures-folder-absent", .pictures, .fault, "{folder}: the folder above it does not exist",
    remedy: "sudo install --directory --owner {user} --mode 750 {folder}",
    meaning: "The station creates the folder of pictures, but not the folders above it. Scans are not affected.")
  static let picturesDenied = Self(
    "pictures-denied", .pictures, .fault, "{folder}: {user} may not write it",
    remedy: "sudo chown --recursive {user} {folder}",
    meaning: "No pictures are kept. Scans are not affected. The service may write only below /var/lib/reticle, unless its "
      + "unit has ReadWritePaths= for another folder.")
  static let picturesDiskSmall = Self(
    "pictures-disk-small", .pictures, .warning, "{folder}: the disk has {free} left, and pictures may take {limit}",
    remedy: "df -h; sudoedit {file}  # pictures.megabytes",
    meaning: "Pictures leave 64 MB of the disk to others: before it is full, the oldest are deleted, and then none are "
      + "written. Fewer are kept than pictures.megabytes allows.")

  static let setupUnusable = Self(
    "setup-unusable", .configuration, .fault, "the changes of set-up codes are not in effect: {problem}",
    remedy: "sudo reticle config clear-setup --config {file} && sudo systemctl reload reticle",
    meaning: "The station runs with its configuration file alone. Either the file of these changes is damaged, or the "
      + "configuration file was changed and no longer allows it. If the remedy would remove too much, correct the configuration file."
  )
  static let setupClock = Self(
    "setup-clock", .clock, .warning, "the clock is not synchronised, so set-up codes are refused",
    remedy: "sudo timedatectl set-ntp true",
    meaning:
      "A station accepts a set-up code only while it is valid, and knows this only by the right time. Install "
      + "systemd-timesyncd or chrony if neither is installed.")

  static let clockUnset = Self(
    "clock-unset", .clock, .fault, "the clock has never been set: it says {date}", remedy: "sudo timedatectl set-ntp true",
    meaning:
      "Certificates are not yet valid then, and signed webhooks wait. Boards before the Raspberry Pi 5 have no clock of "
      + "their own: they need the network's time, or a clock module.")
  static let clockUnsynchronized = Self(
    "clock-unsynchronized", .clock, .warning, "the clock is not synchronised", remedy: "sudo timedatectl set-ntp true",
    meaning:
      "Receivers of signed webhooks refuse time stamps that are off by minutes. Install systemd-timesyncd or chrony if "
      + "neither is installed.")

  static let sinkUnreachable = Self(
    "sink-unreachable", .network, .fault, "{sink}: {problem}", remedy: "curl --head --verbose {url}",
    meaning: "Scans wait in the outbox until the receiver can be reached. The message says which step failed: the name, the "
      + "connection, the certificate or the proxy.")

  static let hostUnreachable = Self(
    "host-unreachable", .network, .fault, "{sink}: {problem}",
    remedy: "timeout 5 bash -c 'exec 3<>\"/dev/tcp/$0/$1\"' {host} {port} && echo the host answers",
    meaning:
      "Scans wait in the outbox until the host takes a connection. A host that takes only one refuses the doctor's, too, "
      + "while another program, or the station itself, is connected to it.")
  static let listeningPortTaken = Self(
    "listening-port-taken", .network, .fault, "{sink}: port {port} is taken by {program}",
    remedy: "sudo ss --listening --tcp --processes --numeric 'sport = :{port}'",
    meaning:
      "Hosts cannot connect to the station, and scans wait in the outbox. Choose another port in the sink's key listen, "
      + "or end the other program.")

  static let consolePortTaken = Self(
    "console-port-taken", .console, .warning, "console.port {port} is taken by {program}",
    remedy: "sudo ss --listening --tcp --processes --numeric 'sport = :{port}'",
    meaning: "The station scans without its status server. Choose another console.port, or end the other program.")

  static let consoleCertificateEnds = Self(
    "console-certificate-ends", .console, .warning, "the console's certificate {file} {when}",
    remedy: "openssl x509 -in {file} -noout -subject -dates",
    meaning:
      "Browsers warn of it, and may refuse the console. Put a new certificate and its key in their files and restart the "
      + "station; if the dates are right, set the clock.")

  static let speechAbsent = Self(
    "speech-absent", .speech, .warning, "espeak-ng is not installed, so nothing is said",
    remedy: "sudo apt install espeak-ng",
    meaning: "speech.enabled is true, and announcements are made by espeak-ng.")

  static let deviceClosed = Self(
    "device-closed", .service, .fault, "{device}: the unit does not let the service open it",
    remedy: "sudo mkdir -p /etc/systemd/system/reticle.service.d && printf '[Service]\\nDeviceAllow=%s rw\\n' {device} | "
      + "sudo tee /etc/systemd/system/reticle.service.d/device.conf && sudo systemctl daemon-reload && sudo systemctl restart "
      + "reticle",
    meaning: "The unit names every class of device that the service may open. This one is of another class, "
      + "which the command adds.")

  static let ruleUnused = Self(
    "rule-unused", .rules, .warning, "the rule \"{rule}\" has not matched any scan for a week",
    remedy: "sudoedit {file}  # rules; try them with reticle rules test --data TEXT --symbology NAME",
    meaning:
      "Its labels are no longer scanned, an earlier rule handles them, or its conditions are wrong. "
      + "`reticle rules test` shows what each rule makes of a label.")

  static let stationNotReady = Self(
    "station-not-ready", .service, .fault, "the station that runs: {problem}",
    remedy: "journalctl --unit reticle --since -1h",
    meaning:
      "This is what the station says of itself behind /readyz: that it does not scan, that scans are at risk in memory "
      + "and how many, or that a sink gets nowhere. The journal has the remedy.")

  /// Every trouble, in the order of the page.
  public static let all: [Trouble] = [
    configurationMissing, configurationDenied, configurationWrong, configurationRefused, configurationExposed, boardOther,
    cameraOff, cameraAbsent,
    cameraDenied, cameraLibraryFailed, cameraLibraryOld, cameraUnlisted, cameraUnmatched, cameraHeld, picturesMissing,
    heapAbsent, heapDenied, linesDenied, lineChipAbsent, lineAbsent, lineAmbiguous, lineHeld, torchAbsent, torchDenied,
    torchFlashAbsent,
    screenAbsent, screenDenied, screenConnectorAbsent, screenUnplugged, screenHeld, inputDenied, fontsAbsent, serialAbsent,
    serialAmbiguous, serialNoDevice, serialDenied, serialConsole, serialHeld, serialModemManager, keyboardAbsent,
    gadgetAbsent, keyboardDenied, outboxFolderAbsent,
    outboxDenied, outboxForeign, outboxReadOnly, outboxForgetful, outboxDiskFull, outboxDiskSmall, outboxFull,
    picturesFolderAbsent, picturesDenied, picturesDiskSmall, ruleUnused,
    clockUnset,
    clockUnsynchronized, setupUnusable, setupClock, sinkUnreachable, hostUnreachable, listeningPortTaken, consolePortTaken,
    consoleCertificateEnds,
    speechAbsent, deviceClosed,
    stationNotReady,
  ]
}
