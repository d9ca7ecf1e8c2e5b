// libcurl, with a function per argument type for the variadic functions that Swift does not import. They return libcurl's
// result.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075800
#error "libcurl 7.88 or newer is needed, as in Debian 12"
#endif

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return (curl_easy_setopt)(easy, option, value);
}

/// libcurl copies the text; NULL resets the option.
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *text) {
  return (curl_easy_setopt)(easy, option, text);
}

/// The caller keeps ownership of the pointer or list, which must outlive the transfer.
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *pointer) {
  return (curl_easy_setopt)(easy, option, pointer);
}

/// For CURLOPT_HEADERFUNCTION and CURLOPT_WRITEFUNCTION.
static inline CURLcode ccurl_set_taker(CURL *easy, CURLoption option, size_t (*take)(char *, size_t, size_t, void *)) {
  return (curl_easy_setopt)(easy, option, take);
}

static inline CURLcode ccurl_set_tls_preparer(CURL *easy, CURLcode (*prepare)(CURL *, void *, void *)) {
  return (curl_easy_setopt)(easy, CURLOPT_SSL_CTX_FUNCTION, prepare);
}

/// Makes the transfer a POST of these bytes, which libcurl copies.
static inline CURLcode ccurl_set_post(CURL *easy, const void *bytes, size_t count) {
  CURLcode code = (curl_easy_setopt)(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return code == CURLE_OK ? (curl_easy_setopt)(easy, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

/// A transfer's value of type long; 0 if unknown.
static inline long ccurl_long(CURL *easy, CURLINFO info) {
  long value = 0;
  return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}

/// A transfer's time in microseconds; 0 if it was not reached.
static inline curl_off_t ccurl_microseconds(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}

/// The socket that a transfer last used, if it is still open; else CURL_SOCKET_BAD.
static inline curl_socket_t ccurl_socket(CURL *easy) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  return (curl_easy_getinfo)(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : CURL_SOCKET_BAD;
}

#endif
