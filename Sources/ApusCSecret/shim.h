// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <libsecret/secret.h>
#include <string.h>

// Swift cannot call functions with variable arguments; these have fixed ones. Failures are text, to be freed by the caller.

static inline const SecretSchema *apus_secret_schema(void) {
    static const SecretSchema schema = {
        "org.apus.Account", SECRET_SCHEMA_NONE,
        {{"profile", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
        0, 0, 0, 0, 0, 0, 0, 0,
    };
    return &schema;
}

static inline char *apus_secret_failure(GError *error) {
    if (!error) return NULL;
    char *text = strdup(error->message);
    g_error_free(error);
    return text;
}

/// NULL and no failure: there is none.
static inline char *apus_secret_lookup(
    const char *profile, const char *account, GCancellable *stop, char **failure) {
    GError *error = NULL;
    char *found = secret_password_lookup_nonpageable_sync(
        apus_secret_schema(), stop, &error, "profile", profile, "account", account, NULL);
    *failure = apus_secret_failure(error);
    return found;
}

static inline void apus_secret_free(char *secret) { secret_password_free(secret); }

static inline char *apus_secret_store(
    const char *profile, const char *account, const char *label, const char *secret, GCancellable *stop) {
    GError *error = NULL;
    secret_password_store_sync(
        apus_secret_schema(), SECRET_COLLECTION_DEFAULT, label, secret, stop, &error, "profile", profile, "account",
        account, NULL);
    return apus_secret_failure(error);
}

static inline char *apus_secret_clear(const char *profile, const char *account, GCancellable *stop) {
    GError *error = NULL;
    secret_password_clear_sync(apus_secret_schema(), stop, &error, "profile", profile, "account", account, NULL);
    return apus_secret_failure(error);
}

/// Whether a service answers whose default collection is there and open, so that nobody is asked anything.
static inline int apus_secret_answers(GCancellable *stop) {
    SecretService *service = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, stop, NULL);
    if (!service) return 0;
    SecretCollection *collection = secret_collection_for_alias_sync(
        service, SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_NONE, stop, NULL);
    int answers = collection != NULL && !secret_collection_get_locked(collection);
    if (collection) g_object_unref(collection);
    g_object_unref(service);
    return answers;
}
