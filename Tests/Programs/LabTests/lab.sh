# lab.sh: the words of the device lab's tests. LabScript.swift writes one call of `step` per step of a test, in the order in
# which they happen, and runs them in one boot of the lab. Steps end the script when they fail; facts only succeed or fail.
#
# The test's folder contains station.yaml, `scans` (the station's standard output), `log` (its standard error), and
# picture.pgm, the picture in front of the camera.
#
# Starting a process is expensive in the lab and facts are checked many times per second, so bash checks them itself if it can.

set -eu
mkfifo /tmp/pause
exec 19<>/tmp/pause
declare -A processes line_folders

# step NUMBER WORD...: the number shows the test at which step the script has ended.
step() {
  echo "step=$1" >&2
  "${@:2}"
}

fail() {
  echo "$*" >&2
  return 1
}

pause() { read -rt "$1" -u 19 || true; }

# print NAME WORD...: the output of a command as the value of a name.
print() {
  local value
  value=$("${@:2}")
  echo "$1=$value"
}

# stamp NAME: the time as the value of a name.
stamp() { echo "$1=$EPOCHREALTIME"; }

# Facts

# await SECONDS INTERVAL FACT...: checks a fact, once per interval, until it holds.
await() {
  local seconds=$1 interval=$2 end=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000))
  shift 2
  until "$@"; do
    [ "${EPOCHREALTIME/[.,]/}" -le "$end" ] || fail "Waited $seconds s for: $*$(seen "$@")" || return 1
    pause "$interval"
  done
}

expect() { "$@" || fail "Not so: $*$(seen "$@")"; }

# seen FACT...: the actual value, for facts about a single value.
seen() {
  case $1 in
    line_is) echo "; the line is $(<"${line_folders[$2]}/value")" ;;
    metric_is) echo "; the metric is $(metric "$2")" ;;
    file_is) echo "; the file holds $(head -n 1 "$2" 2>&1)" ;;
  esac
}

not() { ! "$@"; }

# pressing LINE FACT...: presses a button each time that the fact does not hold.
pressing() {
  "${@:2}" || { press "$1"; false; }
}

exists() { [ -e "$1" ]; }

has_content() { [ -s "$1" ]; }

# says FILE TEXT [COUNT]: at least one line contains the text, or exactly COUNT lines.
says() {
  local lines=() line count=0
  [ ! -e "$1" ] || mapfile -t lines <"$1"
  for line in "${lines[@]}"; do
    [[ $line != *"$2"* ]] || count=$((count + 1))
  done
  [ "$count" -ge 1 ] && [ -z "${3:-}" ] || [ "$count" = "${3:-}" ]
}

# has_line FILE PATTERN COUNT: exactly COUNT lines entirely match a regular expression, ignoring CR and DLE.
has_line() {
  local lines=() line count=0
  [ ! -e "$1" ] || mapfile -t lines <"$1"
  for line in "${lines[@]}"; do
    line=${line//[$'\r\020']/}
    [[ ! $line =~ ^($2)$ ]] || count=$((count + 1))
  done
  [ "$count" = "$3" ]
}

# file_is FILE VALUE: the first line.
file_is() {
  local value=
  { read -r value <"$1"; } 2>/dev/null || true
  [ "$value" = "$2" ]
}

# finds TEXT WORD...: a command's output contains the text.
finds() { [[ $("${@:2}" 2>&1) == *"$1"* ]]; }

runs() { kill -0 "${processes[$1]}" 2>/dev/null; }

# Programs

# run STATUS FILE WORD...: runs a program to its end, with its output in a file. The status may be `any`.
run() {
  local status=0
  "${@:3}" >"$2" 2>&1 || status=$?
  [ "$1" = any ] || [ "$status" = "$1" ] || fail "${*:3}: status $status instead of $1: $(<"$2")"
}

# start NAME OUTPUT ERRORS WORD...: runs a program in the background. It keeps its standard input.
start() {
  "${@:4}" <&0 >"$2" 2>"$3" &
  processes[$1]=$!
}

# stop NAME SIGNAL STATUS: ends a program and waits for it. The status may be `any`.
stop() {
  kill "-$2" "${processes[$1]}"
  finish "$1" "$3"
}

# signal_station SIGNAL
signal_station() { kill "-$1" "${processes[station]}"; }

# finish NAME STATUS: waits for the end of a program.
finish() {
  local status=0
  wait "${processes[$1]}" || status=$?
  [ "$2" = any ] || [ "$status" = "$2" ] || fail "$1 ended with status $status instead of $2"
}

# compile NAME: a library to preload, NAME.so.
compile() { gcc -shared -fPIC -O1 -o "$1.so" "$1.c"; }

# measure NAME: the open files of the station, and its memory in kilobytes, current and peak.
measure() {
  local folder=/proc/${processes[station]} files key value
  files=("$folder"/fd/*)
  echo "$1-files=${#files[@]}"
  while read -r key value _; do
    case $key in
      VmRSS:) echo "$1-memory=$value" ;;
      VmHWM:) echo "$1-peak=$value" ;;
    esac
  done <"$folder/status"
}

# The console

# http METHOD PATH: the answer of the station's console, including its header.
http() {
  exec 3<>/dev/tcp/127.0.0.1/9470 || return 1
  printf '%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' "$1" "$2" >&3
  timeout 5 cat <&3
  exec 3>&-
}

# post PATH: sends a command to the console, which must accept it.
post() {
  local answer
  answer=$(http POST "$1")
  [[ $answer == 'HTTP/1.1 2'* ]] || fail "POST $1: $answer"
}

# metric NAME: the value of a metric; NAME includes the labels.
metric() {
  local answer line value=
  answer=$(http GET /metrics 2>/dev/null) || return 1
  while IFS= read -r line; do
    [[ $line != "$1 "* ]] || value=${line##* }
  done <<<"$answer"
  echo "${value%$'\r'}"
}

metric_is() { [ "$(metric "$1")" = "$2" ]; }

# The camera

# show PICTURE: puts a picture in front of the camera; the next frame shows it.
show() { ln -sf "$PWD/$1" picture.pgm; }

plug_camera() { devices camera "$1" picture.pgm >/dev/null; }

# start_udev: starts the real udevd, which is notified only of devices that tests plug in. `devices udev` would notify it of
# all devices, which takes a minute in simulated time.
start_udev() {
  rm -rf /run/udev
  mkdir -p /run/udev
  /lib/systemd/systemd-udevd --daemon 2>/dev/null
  udevadm trigger --action=add --subsystem-match=video4linux --subsystem-match=media --subsystem-match=usb \
    --subsystem-match=tty --subsystem-match=input
  udevadm settle
  touch /run/lab/udevd
}

# delay_udev SECONDS: udevd knows a new camera device for so long before it announces the device.
delay_udev() {
  mkdir -p /run/udev/rules.d
  echo "SUBSYSTEM==\"video4linux\", RUN+=\"/bin/sleep $1\"" > /run/udev/rules.d/99-delay.rules
  udevadm control --reload
}

# Lines and lamps

# add_lines COUNT NAME...: adds a chip with COUNT lines; the first lines have names.
add_lines() {
  local dir='' number=0 name pairs=()
  for name in "${@:2}"; do
    pairs+=("$number=$name")
    number=$((number + 1))
  done
  eval "$(devices gpio "$1" "${pairs[@]}")"
  for ((number = 0; number < $# - 1; number++)); do
    name=${pairs[number]#*=}
    line_folders[$name]=$dir/sim_gpio$number
  done
}

line_is() {
  local value
  read -r value <"${line_folders[$1]}/value"
  [ "$value" = "$2" ]
}

line_is_held() { [[ $(gpioinfo | grep -F "\"$1\"") == *used* ]]; }

# pull LINE up|down: sets the external level of a line.
pull() { echo "pull-$2" >"${line_folders[$1]}/pull"; }

press() {
  pull "$1" up
  pause 0.06
  pull "$1" down
  pause 0.06
}

# hold_line NUMBER: another program takes a line; its options differ with libgpiod's version.
hold_line() {
  local how=--chip
  case $(gpioset --version) in *v1.*) how=--mode=signal ;; esac
  start holder holder holder.errors gpioset $how "$(basename /dev/gpiochip*)" "$1=0"
}

# sample_line LINE COUNT NAME: samples a line once per millisecond: how often it went on, and how often it was on.
sample_line() {
  local file=${line_folders[$1]}/value lit=0 pulses=0 last=0 value count
  for ((count = 0; count < $2; count++)); do
    read -r value <"$file"
    [ "$value" = $last ] || { pulses=$((pulses + value)); last=$value; }
    lit=$((lit + value))
    pause 0.001
  done
  echo "$3-pulses=$pulses"
  echo "$3-lit=$lit"
}

# watch_line LINE: writes the time and the line's level repeatedly until it is stopped.
watch_line() {
  local file=${line_folders[$1]}/value value
  while :; do
    read -r value <"$file"
    echo "$EPOCHREALTIME $value"
    pause 0.0005
  done
}

# add_led: adds an LED of the kernel, /sys/class/leds/torch, with a brightness up to 255.
add_led() {
  exec 9<>/dev/uleds
  printf 'torch%*s\377\0\0\0' 59 '' | tr ' ' '\0' >&9
}

# The serial port

plug_serial() { devices serial >/dev/null; }

# host PORTS: reads lines from a serial port like a host, into `received`, without STX and CR, and acknowledges each that begins
# with STX: of any other line, the host has only the end. After the cable was pulled, it opens the port again; an adapter may
# then have another number, so PORTS is a glob.
host() {
  local port line
  while [ ! -e ended ]; do
    port=$(compgen -G "$1" | head -n 1)
    if [ -c "$port" ] && exec 3<>"$port"; then
      stty raw -echo <&3 || true
      while IFS= read -r -t 1 line <&3; do
        [[ "$line" == *$'\002'* ]] || continue
        line=${line##*$'\002'}
        printf '%s\n' "${line%$'\r'}" >>received
        printf '\006' >&3 || break
      done
      exec 3>&- || true
    fi
    pause 0.05
  done
}

# open_serial PORT: writes the bytes that a host hears to `heard`; `say` sends.
open_serial() {
  exec 4<>"$1"
  start reader heard reader.errors cat <&4
}

say() { printf '\026%s\r' "$1" >&4; }

# time_lines PORT: prints each received line, preceded by its time.
time_lines() {
  local line
  while read -r line; do echo "$EPOCHREALTIME $line"; done <"$1"
}

# pull_serial_cable COUNT: pulls the cable at random, and plugs it in again.
pull_serial_cable() {
  local gadget=/sys/kernel/config/usb_gadget/serial0 udc pull
  udc=$(<$gadget/UDC)
  for ((pull = 0; pull < $1; pull++)); do
    pause 0.$((RANDOM % 6 + 2))
    echo "" >$gadget/UDC
    pause 0.$((RANDOM % 3 + 1))
    echo "$udc" >$gadget/UDC
  done
}

# The screen

screenshot() { devices screenshot "$1" >/dev/null; }

# screen_checksum: the checksum of the picture composed by the display hardware. A busy machine may miss the requested frame.
screen_checksum() {
  local answer='' attempt
  for attempt in 1 2 3 4 5; do
    answer=$(devices crc) && [ -n "$answer" ] && break
  done
  answer=${answer#* }
  echo "${answer%% *}"
}

# still_screen_checksum: the checksum, as soon as two checks shortly after each other agree.
still_screen_checksum() {
  local last='' checksum attempt
  for ((attempt = 0; attempt < 50; attempt++)); do
    checksum=$(screen_checksum)
    [ -z "$checksum" ] || [ "$checksum" != "$last" ] || break
    last=$checksum
    pause 0.2
  done
  echo "$checksum"
}

# screen_figures: the number of framebuffers in another device's memory, and of such buffers in the station.
screen_figures() {
  echo "imported=$(grep -c imported=yes /sys/kernel/debug/dri/0/state || true)"
  echo "buffers=$(awk '/^ino/ { node = $2 } /^exp_name/ { print node }' "/proc/${processes[station]}"/fdinfo/* | sort -u | wc -l)"
}

# steal_screen NAME COUNT SECONDS_HELD SECONDS_LEFT: another program repeatedly takes the screen from a running one.
steal_screen() { start thief thief thief.errors python3 screen_thief.py "${processes[$1]}" "${@:2}"; }

# add_panel: adds a second card with a single connector, which `panel STATUS` plugs (1) and unplugs (2).
add_panel() {
  local panel=/sys/kernel/config/vkms/lab
  mkdir "$panel"
  mkdir $panel/planes/p $panel/crtcs/c $panel/encoders/e $panel/connectors/o
  echo 1 >$panel/planes/p/type
  ln -s $panel/crtcs/c $panel/planes/p/possible_crtcs/c
  ln -s $panel/crtcs/c $panel/encoders/e/possible_crtcs/c
  ln -s $panel/encoders/e $panel/connectors/o/possible_encoders/e
  echo 1 >$panel/enabled
  await 5 0.05 exists /dev/dri/card1
}
panel() { echo "$1" >/sys/kernel/config/vkms/lab/connectors/o/status; }

# terminal_keys: whether the panel's terminal shows typed characters and turns them into signals.
terminal_keys() { stty -F /dev/tty1 -a | grep -oE -- '-?(isig|echo|icanon)\b' | sort | tr -d '\n'; }

# signal_terminal SIGNAL: sends the kernel's request to the process that owns the simulated terminal.
signal_terminal() { kill "-$1" "$(<terminal.process)"; }

# The doctor

# doctor STATUS NAME [WORD...]: writes the doctor's findings as JSON to NAME.json; WORDs may run it as another user.
doctor() {
  local status=0
  "${@:3}" reticle doctor --config station.yaml --format json >"$2.json" 2>"$2.err" || status=$?
  [ "$1" = any ] || [ "$status" = "$1" ] || fail "the doctor's status is $status instead of $1: $(<"$2.json") $(<"$2.err")"
}

# doctor_finds NAME TROUBLE: stores the findings under a name; holds if they include the trouble.
doctor_finds() {
  doctor any "$1"
  says "$1.json" "\"$2\""
}
