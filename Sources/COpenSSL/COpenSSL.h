// OpenSSL, as it is: C that Swift calls without help. Signatures, and the certificates that libcurl works with, come from it.
#ifndef COPENSSL_H
#define COPENSSL_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#endif
