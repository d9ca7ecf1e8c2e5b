/* A virtual terminal for a kernel without one, preloaded into a program: the program's terminal requests are answered here and
 * recorded in files; the test writes one of them. All other requests go to the kernel.
 *
 *   terminal.mode      graphics or text, as KDSETMODE left it
 *   terminal.process   the process asked before the terminal is switched away (VT_SETMODE); missing if none
 *   terminal.answers   its answers (VT_RELDISP), one per line: leave, enter
 *   terminal.active    the number of the visible terminal, written by the test; 1 if missing
 */
#define _GNU_SOURCE
#include <linux/kd.h>
#include <linux/vt.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static void put(const char *name, const char *mode, const char *format, long value) {
  FILE *file = fopen(name, mode);
  if (!file) return;
  fprintf(file, format, value);
  fclose(file);
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  switch (request) {
    case KDSETMODE: put("terminal.mode", "w", (long)argument == KD_GRAPHICS ? "graphics\n" : "text\n", 0); return 0;
    case VT_SETMODE: {
      const struct vt_mode *mode = argument;
      if (mode->mode == VT_PROCESS)
        put("terminal.process", "w", "%ld\n", getpid());
      else
        unlink("terminal.process");
      return 0;
    }
    case VT_RELDISP: put("terminal.answers", "a", (long)argument == VT_ACKACQ ? "enter\n" : "leave\n", 0); return 0;
    case VT_GETSTATE: {
      struct vt_stat *state = argument;
      int active = 1;
      FILE *file = fopen("terminal.active", "r");
      if (file) {
        if (fscanf(file, "%d", &active) != 1) active = 1;
        fclose(file);
      }
      state->v_active = (unsigned short)active;
      return 0;
    }
  }
  return (int)syscall(SYS_ioctl, descriptor, request, argument);
}
