// The calls of CLinux.h. They are in a separate file because the feature macro that declares them would change structures
// that Swift's Glibc module knows.

#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/timex.h>
#include <unistd.h>

int clinux_clock_is_synchronized(void) {
  struct timex clock;
  memset(&clock, 0, sizeof clock);
  int state = adjtimex(&clock);
  if (state < 0) return -errno;
  return state != TIME_ERROR;
}

uint32_t clinux_major(uint64_t device) { return major((dev_t)device); }

int clinux_lock_holder(int descriptor) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(descriptor, F_GETLK, &lock) != 0) return -errno;
  return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

int clinux_send_memory(int socket, const uint8_t *bytes, size_t count) {
  int memory = memfd_create("entry", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -errno;
  int result = 0;
  for (size_t written = 0; written < count;) {
    ssize_t step = write(memory, bytes + written, count - written);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) {
      result = step < 0 ? -errno : -EIO;
      break;
    }
    written += (size_t)step;
  }
  if (result == 0 && fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) result = -errno;
  if (result == 0) {
    union {
      char bytes[CMSG_SPACE(sizeof(int))];
      struct cmsghdr alignment;
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &memory, sizeof(int));
    if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) result = -errno;
  }
  close(memory);
  return result;
}

int clinux_make_keyboard(int descriptor, const char *name) {
  if (ioctl(descriptor, UI_SET_EVBIT, EV_KEY) != 0 || ioctl(descriptor, UI_SET_EVBIT, EV_LED) != 0 ||
      ioctl(descriptor, UI_SET_LEDBIT, LED_CAPSL) != 0)
    return -errno;
  // Escape to F10, the keypad, the key beside Shift, F11 and F12, the Brazilian key, and AltGr.
  for (int key = KEY_ESC; key <= KEY_RIGHTALT; key++)
    if (ioctl(descriptor, UI_SET_KEYBIT, key) != 0) return -errno;
  struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL}};
  strncpy(setup.name, name, sizeof setup.name - 1);
  if (ioctl(descriptor, UI_DEV_SETUP, &setup) != 0 || ioctl(descriptor, UI_DEV_CREATE) != 0) return -errno;
  return 0;
}

int clinux_send_key(int descriptor, uint16_t key, int state) {
  struct input_event events[] = {
    {.type = EV_KEY, .code = key, .value = state},
    {.type = EV_SYN, .code = SYN_REPORT},
  };
  ssize_t written = write(descriptor, events, sizeof events);
  return written < 0 ? -errno : written == sizeof events ? 0 : -EIO;
}

int clinux_read_caps_lock(int descriptor, int state) {
  struct input_event event;
  ssize_t count;
  while ((count = read(descriptor, &event, sizeof event)) == sizeof event)
    if (event.type == EV_LED && event.code == LED_CAPSL) state = event.value != 0;
  return count < 0 && errno != EAGAIN ? -errno : state;
}
