// libmosquitto's C interface, which Swift calls directly, and the eventfd that wakes the thread waiting for its socket.
#ifndef CMOSQUITTO_H
#define CMOSQUITTO_H

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <sys/eventfd.h>

#if LIBMOSQUITTO_VERSION_NUMBER < 2000011
#error "libmosquitto 2.0.11 or newer is needed, as in Debian 12"
#endif

#endif
