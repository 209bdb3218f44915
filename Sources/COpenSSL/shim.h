#pragma once
#include <stdint.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* Macros with a cast in them, which Swift cannot import. */
static inline int rex_ssl_require_tls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

static inline void rex_ssl_configure(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                     SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
}

static inline int rex_ssl_name_server(SSL *session, const char *name) {
    return SSL_set_tlsext_host_name(session, name);
}

static inline size_t rex_bio_pending(BIO *bio) { return BIO_ctrl_pending(bio); }

/* An empty memory BIO is no end: more may come. */
static inline void rex_bio_wait(BIO *bio) { BIO_set_mem_eof_return(bio, -1); }

/* Counts the changes of keys that the other side asks for (RFC 8446, 4.6.3). */
static inline void rex_ssl_saw(int sent, int version, int type, const void *bytes, size_t count,
                               SSL *session, void *counter) {
    (void)version, (void)session;
    if (!sent && type == SSL3_RT_HANDSHAKE && count > 0 &&
        *(const unsigned char *)bytes == SSL3_MT_KEY_UPDATE)
        ++*(uint32_t *)counter;
}

static inline void rex_ssl_count_key_updates(SSL *session, uint32_t *counter) {
    SSL_set_msg_callback(session, rex_ssl_saw);
    SSL_set_msg_callback_arg(session, counter);
}
