// Every metric of the station, with what it says: the help of the exposition, and what docs/metrics.md is held to.

/// What a metric says, in one sentence.
enum MetricCatalogue {
  static let help: [String: String] = [
    "reticle_build_info": "1; the label tells the program's version.",
    "reticle_camera_failures_total":
      "Times that the camera failed: it could not be loaded or started, was lost, or went silent.",
    "reticle_camera_permission":
      "1 for the permission that the camera has: notDetermined, restricted, denied or authorized.",
    "reticle_camera_state": "1 for the state that the camera is in.",
    "reticle_capture_to_decode_seconds": "Time from a frame's exposure to the end of its decoding.",
    "reticle_console_limits_total": "Requests to the console that hit a limit and were turned away.",
    "reticle_decode_limits_total": "Frames that a limit of the decoder ended early: work, candidates or symbols.",
    "reticle_decode_seconds": "Time that decoding one frame took.",
    "reticle_delivery_attempt_seconds": "Time that one attempt to deliver took, whatever came of it.",
    "reticle_delivery_attempts_total": "Attempts to deliver, by what came of them: delivered, retry, rejected or parked.",
    "reticle_delivery_parked": "1 while the sink waits for someone to change something.",
    "reticle_delivery_seconds": "Time from a scan's exposure to the receiver's acceptance, all waits included.",
    "reticle_frames_captured_total": "Frames that the camera delivered.",
    "reticle_frames_decoded_total": "Frames that were decoded.",
    "reticle_frames_dropped_total": "Frames that came too fast and were not decoded.",
    "reticle_frames_skipped_total": "Frames that could not be used, such as damaged pictures.",
    "reticle_metrics_refused_total": "Series beyond the limit, which are not kept.",
    "reticle_no_reads_total": "Triggers that ended without a scan.",
    "reticle_outbox_damaged_files_total": "Outbox files that were damaged, kept aside and replaced.",
    "reticle_outbox_dead": "Scans that a receiver refused for good and that wait for an operator.",
    "reticle_outbox_discarded_total": "Undelivered scans that gave way: too old, too many, or purged.",
    "reticle_outbox_durable": "1 while each scan is on the storage before it is acknowledged.",
    "reticle_outbox_in_memory": "Scans that are in memory only.",
    "reticle_outbox_lost_total": "Undelivered scans that the outbox's file does not have any more.",
    "reticle_outbox_oldest_age_seconds": "Age of the oldest undelivered scan.",
    "reticle_outbox_refused_total": "Scans that the outbox refused because it was full or in trouble.",
    "reticle_outbox_undelivered": "Scans that some sink does not have yet.",
    "reticle_outbox_unknown_losses_total": "Times that scans may have been lost in an unknown number.",
    "reticle_scans_lost_total": "Scans that were made and could not be stored.",
    "reticle_scans_suppressed_total": "Codes that were seen and are no new scan, by the reason.",
    "reticle_scans_total": "Scans that were stored.",
    "reticle_screen_state": "1 for the state that the screen is in.",
    "reticle_screen_trouble": "1 for what keeps the screen from the station.",
    "reticle_sensor_exposure_seconds": "Exposure that the sensor reports.",
    "reticle_sensor_frame_seconds": "Time from frame to frame that the sensor reports.",
    "reticle_sensor_gain": "Gain that the sensor reports.",
    "reticle_sensor_lens_dioptres": "Focus that the lens reports; 0 is infinity.",
    "reticle_torch_on": "1 while the torch is seen to be on.",
    "reticle_unread_symbols_total": "Symbols that were in view and could not be read, by what would help.",
    "reticle_user_actions_total": "What users did; docs/metrics.md says it in plain words.",
  ]
}
