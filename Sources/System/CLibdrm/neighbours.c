// The kernel's messages about devices, and the panel's virtual terminal.

#include "CLibdrm.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kd.h>
#include <linux/netlink.h>
#include <linux/vt.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

int clibdrm_hotplug_open(int *descriptor) {
  int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
  if (fd < 0) return -errno;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1};
  if (bind(fd, (struct sockaddr *)&address, sizeof address)) {
    int error = errno;
    close(fd);
    return -error;
  }
  *descriptor = fd;
  return 0;
}

int clibdrm_hotplug_seen(int descriptor) {
  char message[8192];
  int seen = 0;
  ssize_t length;
  while ((length = recv(descriptor, message, sizeof message - 1, 0)) > 0) {
    message[length] = 0;
    for (char *line = message; line < message + length; line += strlen(line) + 1) {
      if (!strcmp(line, "SUBSYSTEM=drm")) seen = 1;
    }
  }
  // Messages were lost: one of them may have been about a graphics card.
  return seen || (length < 0 && errno == ENOBUFS);
}

static volatile sig_atomic_t asked;

static void leave(int signal) {
  (void)signal;
  asked = CLIBDRM_TERMINAL_LEAVING;
}

static void enter(int signal) {
  (void)signal;
  asked = CLIBDRM_TERMINAL_ENTERED;
}

/// Sets whether keys typed at the terminal are echoed and may end the process. Typed keys are discarded: they were not meant
/// for the terminal's next reader. No effect if the descriptor is not a terminal.
static void listen_to_keys(int terminal, int is_listening) {
  struct termios line;
  if (tcgetattr(terminal, &line)) return;
  const tcflag_t flags = ECHO | ICANON | ISIG;
  line.c_lflag = is_listening ? line.c_lflag | flags : line.c_lflag & ~flags;
  tcsetattr(terminal, TCSAFLUSH, &line);
}

int clibdrm_terminal_take(const char *path, int *terminal) {
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return -errno;
  struct sigaction leaving = {.sa_handler = leave, .sa_flags = SA_RESTART};
  struct sigaction entering = {.sa_handler = enter, .sa_flags = SA_RESTART};
  struct vt_mode mode = {.mode = VT_PROCESS, .relsig = SIGRTMIN, .acqsig = SIGRTMIN + 1};
  asked = 0;
  if (sigaction(SIGRTMIN, &leaving, 0) || sigaction(SIGRTMIN + 1, &entering, 0) || ioctl(fd, VT_SETMODE, &mode)
      || ioctl(fd, KDSETMODE, KD_GRAPHICS)) {
    int error = errno;
    clibdrm_terminal_give_back(fd);
    return -error;
  }
  listen_to_keys(fd, 0);
  *terminal = fd;
  return 0;
}

int clibdrm_terminal_asked(void) {
  int last = asked;
  asked = 0;
  return last;
}

int clibdrm_terminal_answer(int terminal, int is_entered) {
  return ioctl(terminal, VT_RELDISP, is_entered ? VT_ACKACQ : 1) ? -errno : 0;
}

int clibdrm_terminal_is_seen(int terminal) {
  struct vt_stat state;
  struct stat file;
  if (fstat(terminal, &file) || ioctl(terminal, VT_GETSTATE, &state)) return -errno;
  return minor(file.st_rdev) == state.v_active;
}

static int restore(int terminal) {
  struct vt_mode mode = {.mode = VT_AUTO};
  listen_to_keys(terminal, 1);
  int first = ioctl(terminal, KDSETMODE, KD_TEXT) ? -errno : 0;
  int second = ioctl(terminal, VT_SETMODE, &mode) ? -errno : 0;
  return first ? first : second;
}

void clibdrm_terminal_give_back(int terminal) {
  restore(terminal);
  close(terminal);
}

int clibdrm_terminal_restore(const char *path) {
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return -errno;
  int result = restore(fd);
  close(fd);
  return result;
}
