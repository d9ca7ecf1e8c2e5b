// Behaviour C8: settings as controls of the camera.

#if Camera

  import BarcodeTypes
  import CLibcamera
  import Devices
  import Testing

  @testable import LinuxDevices

  @Suite struct ControlWishTests {
    @Test func `C8: focus is limited to near range, and controls that are not set are left to the camera`() {
      let wishes = LibcameraFrameSource.controlWishes(CameraSettings())
      #expect(wishes.present == CLIBCAMERA_AF_MODE.rawValue | CLIBCAMERA_AF_RANGE.rawValue)
      #expect(wishes.af_mode == Int32(CLIBCAMERA_AF_CONTINUOUS))
      #expect(wishes.af_range == Int32(CLIBCAMERA_AF_MACRO))
    }

    @Test func `C8: exposure, gain, frame rate, lens and crop can be fixed`() {
      var settings = CameraSettings()
      settings.exposure = .microseconds(500)
      settings.gain = 2
      settings.frameRate = 50
      settings.focus = .fixed(5)
      settings.crop = .init(x: 1, y: 2, width: 3, height: 4)
      let wishes = LibcameraFrameSource.controlWishes(settings)
      #expect(wishes.exposure_us == 500)
      #expect(wishes.gain == 2)
      #expect(wishes.frame_duration_min_us == 20_000)
      #expect(wishes.frame_duration_max_us == 20_000)
      #expect(wishes.af_mode == Int32(CLIBCAMERA_AF_MANUAL))
      #expect(wishes.lens_position == 5)
      #expect([wishes.crop.x, wishes.crop.y] == [1, 2])
      #expect([wishes.crop.width, wishes.crop.height] == [3, 4])
      #expect(wishes.present & CLIBCAMERA_AF_RANGE.rawValue == 0)
      #expect(wishes.present.nonzeroBitCount == 6)
    }

    @Test func `a wish for the frames to come replaces the settings, within the camera's limits`() {
      var settings = CameraSettings()
      settings.frameRate = 30
      var wish = CameraWish()
      var values = LibcameraFrameSource.controls(wish, settings, frame: (1280, 720), crop: nil)
      #expect(values.present & CLIBCAMERA_AUTO_EXPOSURE.rawValue != 0 && values.af_mode == Int32(CLIBCAMERA_AF_CONTINUOUS))
      #expect(values.frame_duration_min_us == 33_333)
      (wish.exposure, wish.gain, wish.lens, wish.frameDuration) = (500, 30, 7, 50_000)
      wish.focusWindow = PixelRegion(x: 320, y: 180, width: 640, height: 360)
      var limits = CameraControls()
      (limits.exposure, limits.gain, limits.lens, limits.frameDuration) = (10...10_000, 1...8, 0...10, 8_000...100_000)
      limits.hasFocusWindow = true
      let crop = PixelRegion(x: 100, y: 50, width: 2560, height: 1440)
      values = LibcameraFrameSource.controls(wish.possible(with: limits), settings, frame: (1280, 720), crop: crop)
      #expect(values.exposure_us == 500 && values.gain == 8 && values.lens_position == 7)
      #expect(values.present & CLIBCAMERA_AUTO_EXPOSURE.rawValue == 0 && values.af_mode == Int32(CLIBCAMERA_AF_MANUAL))
      #expect(values.frame_duration_min_us == 50_000)
      #expect([values.af_window.x, values.af_window.y] == [740, 410])
      #expect([values.af_window.width, values.af_window.height] == [1280, 720])
      let nothing = wish.possible(with: CameraControls())
      #expect(nothing == CameraWish())
    }

    @Test func `C8: the sensor's actual values are read back, and missing ones are not invented`() {
      var controls = clibcamera_controls()
      #expect(SensorReading(controls) == SensorReading())
      controls.present = CLIBCAMERA_EXPOSURE.rawValue | CLIBCAMERA_FRAME_DURATION.rawValue
      controls.exposure_us = 498
      // Absent values, and implausible ones.
      controls.gain = 3
      controls.frame_duration_min_us = 33_333
      var reading = SensorReading()
      reading.exposureMicroseconds = 498
      reading.frameDurationMicroseconds = 33_333
      #expect(SensorReading(controls) == reading)
      controls.present |= CLIBCAMERA_GAIN.rawValue | CLIBCAMERA_LENS_POSITION.rawValue | CLIBCAMERA_CROP.rawValue
      controls.lens_position = 8.5
      controls.crop = clibcamera_rectangle(x: 768, y: 432, width: 3072, height: 1728)
      reading.gain = 3
      reading.lensPosition = 8.5
      reading.crop = PixelRegion(x: 768, y: 432, width: 3072, height: 1728)
      #expect(SensorReading(controls) == reading)
    }
  }

#endif
