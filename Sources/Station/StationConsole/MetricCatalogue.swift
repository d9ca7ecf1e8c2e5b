// Every metric of the station with its description: the help text of the exposition, and the reference for docs/metrics.md.

/// The description of a metric, in one sentence.
enum MetricCatalogue {
  static let help: [String: String] = [
    "process_cpu_seconds_total": "Processor time that the station has used.",
    "process_max_fds": "Open files that the station may have.",
    "process_open_fds": "Open files of the station.",
    "process_resident_memory_bytes": "Memory of the station that is in use.",
    "process_start_time_seconds": "When the station's process started, in seconds since 1970.",
    "process_virtual_memory_bytes": "Address space of the station, in use or not.",
    "reticle_build_info": "1; the label contains the program's version.",
    "reticle_camera_failures_total":
      "Times that the camera failed: it could not be loaded or started, was lost, or went silent.",
    "reticle_camera_permission":
      "1 for the permission that the camera has: notDetermined, restricted, denied or authorized.",
    "reticle_camera_state": "1 for the state that the camera is in.",
    "reticle_capture_to_decode_seconds": "Time from a frame's exposure to the end of its decoding.",
    "reticle_certificate_end_seconds":
      "When a certificate ends that the station shows, in seconds since 1970: that of the console, or a sink's; missing while the "
      + "file cannot be read.",
    "reticle_clock_seconds": "The station's clock, in seconds since 1970.",
    "reticle_comparisons_total": "Scans that were compared, by outcome: match or mismatch.",
    "reticle_console_limits_total": "Requests to the console that hit a limit and were turned away.",
    "reticle_decode_limits_total": "Frames with untried candidates, by limit: work, patience, candidates or symbols.",
    "reticle_decode_seconds": "Time to decode a frame.",
    "reticle_decode_work_limit": "Work limit of the last frame, in the decoder's units.",
    "reticle_delivery_attempt_seconds": "Duration of a delivery attempt, regardless of its outcome.",
    "reticle_delivery_attempts_total": "Delivery attempts, by outcome: delivered, retry, rejected or parked.",
    "reticle_delivery_parked": "1 while the sink is parked until an operator intervenes.",
    "reticle_delivery_pictures_total":
      "Pictures of scans that a webhook with picture: multipart has delivered: sent, or why they were not: late, gone, large or "
      + "failing.",
    "reticle_delivery_seconds": "Time from a scan's exposure to the receiver's acceptance, all waits included.",
    "reticle_follow_checked_seconds": "When the fleet's repository was last asked, in seconds since 1970.",
    "reticle_follow_drift":
      "1 while the station's configuration is not the one last taken from the fleet's repository.",
    "reticle_follow_state":
      "1 for what became of the configuration that the fleet's repository has for this station, with the commit.",
    "reticle_frames_captured_total": "Frames that the camera delivered.",
    "reticle_frames_decoded_total": "Frames that were decoded.",
    "reticle_frames_dropped_total": "Frames that came too fast and were not decoded.",
    "reticle_frames_rested_total": "Frames that were not decoded: nothing was in view, and nothing had changed.",
    "reticle_frames_skipped_total": "Frames that could not be used, such as damaged pictures.",
    "reticle_hosts_connected": "Hosts that are connected to a sink that listens.",
    "reticle_hosts_refused_total": "Hosts whose connections were refused, by reason: address or full.",
    "reticle_metrics_refused_total": "Series beyond the limit, which are not kept.",
    "reticle_no_reads_total": "Triggers that ended without a scan, and sets of codes that were given up.",
    "reticle_outbox_damaged_files_total": "Outbox files that were damaged, kept aside and replaced.",
    "reticle_outbox_dead": "Scans that a receiver permanently refused and that wait for an operator.",
    "reticle_outbox_discarded_total": "Undelivered scans that were discarded: too old, too many, or purged.",
    "reticle_outbox_durable": "1 while each scan is on the storage before it is acknowledged.",
    "reticle_outbox_in_memory": "Scans that are in memory only.",
    "reticle_outbox_lost_total": "Undelivered scans that are missing from the outbox's file.",
    "reticle_outbox_oldest_age_seconds": "Age of the oldest undelivered scan.",
    "reticle_outbox_refused_total": "Scans that the outbox refused because it was full or in trouble.",
    "reticle_outbox_undelivered": "Scans that some sink does not have yet.",
    "reticle_outbox_unknown_losses_total": "Times that an unknown number of scans may have been lost.",
    "reticle_pictures_bytes": "Bytes of all kept pictures.",
    "reticle_pictures_lost_total":
      "Pictures that were wanted and are missing, by reason: no frame, busy, encoding or disk. No scan was lost with them.",
    "reticle_pictures_removed_total": "Pictures that were deleted, by reason: age, size, or space for others on the disk.",
    "reticle_pictures_written_total": "Pictures that were written, by kind: scan, no-read or unread.",
    "reticle_power_watts":
      "Power that sensors of the board or of its supply measure; missing where none does.",
    "reticle_print_alarm":
      "1 while the mean print grade of a symbology's scans for a sink is below grading.alarm_below.",
    "reticle_print_grade":
      "Mean print grade of the last 20 graded scans, 0.0 to 4.0, of a symbology for a sink: for process control, not for verification.",
    "reticle_print_graded_total": "Scans whose print was graded.",
    "reticle_print_not_graded_total":
      "Scans whose print was not graded while grading was on, by reason: busy, no frame, small, unsupported, cut or unread.",
    "reticle_scans_lost_total": "Scans that were made and could not be stored.",
    "reticle_scans_suppressed_total": "Codes that were seen but not scanned, by reason.",
    "reticle_scans_total": "Scans that were stored.",
    "reticle_screen_state": "1 for the state that the screen is in.",
    "reticle_screen_trouble": "1 for the reason why the screen is unavailable.",
    "reticle_sensor_exposure_seconds": "Exposure that the sensor reports.",
    "reticle_sensor_frame_seconds": "Time from frame to frame that the sensor reports.",
    "reticle_sensor_gain": "Gain that the sensor reports.",
    "reticle_sensor_lens_dioptres": "Focus that the lens reports; 0 is infinity.",
    "reticle_setup_codes_total":
      "Set-up codes, by result: changed, or the reason why nothing changed (malformed, signature, station, clock, expired, "
      + "future, used, key, value, storage, start or busy).",
    "reticle_temperature_celsius": "Temperature of the processor; missing where the machine does not measure it.",
    "reticle_throttled": "1 while a Raspberry Pi's firmware slows the processor down: too little voltage, or too hot.",
    "reticle_torch_on": "1 while the torch is seen to be on.",
    "reticle_unread_symbols_total": "Symbols in view that could not be read, by the advice given to the user.",
    "reticle_user_actions_total": "Users' actions; docs/metrics.md explains them.",
  ]
}
