/* A virtual terminal for a kernel that has none, preloaded into one program: what it asks of the terminal is answered here, and
 * told in files, of which the test writes one. Everything else goes to the kernel.
 *
 *   terminal.mode      graphics or text, as KDSETMODE left it
 *   terminal.process   who is asked before the terminal is switched away (VT_SETMODE); not there: nobody
 *   terminal.answers   what it has answered (VT_RELDISP), a line each: leave, enter
 *   terminal.active    the number of the terminal that is seen, written by the test; not there: 1
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
