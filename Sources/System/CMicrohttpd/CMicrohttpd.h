// GNU libmicrohttpd: its own header, and wrappers for its variadic functions, which Swift cannot call.

#ifndef CMICROHTTPD_H
#define CMICROHTTPD_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>

/// The settings of a daemon.
typedef struct {
  /// A bound, listening socket. The daemon closes it when it stops.
  int listening_socket;
  /// Beyond this number, no connection is accepted.
  unsigned connection_limit;
  /// Seconds without progress after which a connection is closed.
  unsigned stall_seconds;
  /// Bytes of memory per connection for heads and buffers.
  size_t connection_memory;
  /// PEM, or NULL for plain HTTP.
  const char *certificate, *key;
  /// PEM: the authorities that may sign clients' certificates; NULL if clients need no certificate.
  const char *client_authorities;
  /// Passed to each callback.
  void *context;
  MHD_AcceptPolicyCallback accept;
  MHD_NotifyConnectionCallback notify_connection;
  void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
  MHD_AccessHandlerCallback handle;
  MHD_RequestCompletedCallback complete;
} cmicrohttpd_settings;

/// Starts a daemon that works only inside MHD_run; NULL on failure, for example because certificate and key do not match.
static inline struct MHD_Daemon *cmicrohttpd_start(const cmicrohttpd_settings *settings) {
  unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
  struct MHD_OptionItem options[16];
  size_t count = 0;
#define OPTION(name, number, pointer) \
  options[count++] = (struct MHD_OptionItem){name, (intptr_t)(number), (void *)(pointer)}
  OPTION(MHD_OPTION_LISTEN_SOCKET, settings->listening_socket, NULL);
  OPTION(MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit, NULL);
  OPTION(MHD_OPTION_CONNECTION_TIMEOUT, settings->stall_seconds, NULL);
  OPTION(MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory, NULL);
  OPTION(MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL);
  OPTION(MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL);
  OPTION(MHD_OPTION_NOTIFY_CONNECTION, settings->notify_connection, settings->context);
  OPTION(MHD_OPTION_NOTIFY_COMPLETED, settings->complete, settings->context);
  OPTION(MHD_OPTION_URI_LOG_CALLBACK, settings->begin, settings->context);
  if (settings->certificate) {
    flags |= MHD_USE_TLS;
    OPTION(MHD_OPTION_HTTPS_MEM_CERT, 0, settings->certificate);
    OPTION(MHD_OPTION_HTTPS_MEM_KEY, 0, settings->key);
    if (settings->client_authorities) OPTION(MHD_OPTION_HTTPS_MEM_TRUST, 0, settings->client_authorities);
  }
  OPTION(MHD_OPTION_END, 0, NULL);
#undef OPTION
  return MHD_start_daemon(flags, 0, settings->accept, settings->context, settings->handle, settings->context,
                          MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

/// The descriptor that is readable when MHD_run has work.
static inline int cmicrohttpd_epoll_descriptor(struct MHD_Daemon *daemon) {
  return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

static inline int cmicrohttpd_socket(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static inline const struct sockaddr *cmicrohttpd_client_address(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
}

/// The bytes of the request's head.
static inline size_t cmicrohttpd_head_size(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)->header_size;
}

/// Makes the handshake of a new connection fail unless the client presents a certificate signed by the authorities. Without
/// this, libmicrohttpd requests a certificate but accepts none or any.
static inline void cmicrohttpd_demand_certificate(struct MHD_Connection *connection) {
  gnutls_session_t session = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)->tls_session;
  gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
  gnutls_session_set_verify_cert(session, NULL, 0);
}

#endif
