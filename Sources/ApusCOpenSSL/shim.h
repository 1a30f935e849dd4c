// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// The option macros expand to casts and shifts, which Swift does not import.
static inline uint64_t apus_tls_client_options(void) {
    return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET | SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 |
           SSL_OP_NO_TLSv1_1;
}

static inline uint64_t apus_tls_no_ticket(void) { return SSL_OP_NO_TICKET; }

static inline uint64_t apus_tls_forbidden_options(void) {
    return SSL_OP_LEGACY_SERVER_CONNECT | SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF;
}

// A macro.
static inline void apus_free(void *memory) { OPENSSL_free(memory); }

// Setting a callback goes through a cast of function types, which Swift cannot write.
static inline void apus_set_extension_callback(
    SSL *ssl, void (*callback)(SSL *, int, int, const unsigned char *, int, void *)) {
    SSL_set_tlsext_debug_callback(ssl, callback);
}

// A macro over SSL_ctrl.
static inline int apus_verify_again_later(SSL *ssl) { return (int)SSL_set_retry_verify(ssl); }

// The stack functions are macros over casts.
static inline int apus_certificates_count(const STACK_OF(X509) *chain) { return chain == NULL ? 0 : sk_X509_num(chain); }

static inline X509 *apus_certificates_at(const STACK_OF(X509) *chain, int index) { return sk_X509_value(chain, index); }

static inline int apus_general_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

static inline const GENERAL_NAME *apus_general_names_at(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

static inline void apus_general_names_free(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }

// The payload of an otherName sits in nested unions; this reads it as a string of the wanted type, or gives NULL.
static inline const ASN1_STRING *apus_other_name_string(const GENERAL_NAME *name, int type, const ASN1_OBJECT **oid) {
    if (name->type != GEN_OTHERNAME || name->d.otherName == NULL) return NULL;
    const OTHERNAME *other = name->d.otherName;
    *oid = other->type_id;
    if (other->value == NULL || other->value->type != type) return NULL;
    return other->value->value.asn1_string;
}

// A pointer to one of the IA5String or OCTET STRING forms of a GeneralName, or NULL.
static inline const ASN1_STRING *apus_general_name_string(const GENERAL_NAME *name) {
    switch (name->type) {
    case GEN_DNS: return name->d.dNSName;
    case GEN_IPADD: return name->d.iPAddress;
    default: return NULL;
    }
}
