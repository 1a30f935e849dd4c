// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo take a variable number of arguments, which Swift cannot pass; each kind of
// option has a function of its own here.
static inline CURLcode apus_curl_set_long(CURL *curl, CURLoption option, long value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode apus_curl_set_offset(CURL *curl, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode apus_curl_set_string(CURL *curl, CURLoption option, const char *value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode apus_curl_set_list(CURL *curl, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode apus_curl_set_pointer(CURL *curl, CURLoption option, void *value) {
    return curl_easy_setopt(curl, option, value);
}
// The bytes are copied.
static inline CURLcode apus_curl_set_blob(CURL *curl, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(curl, option, &blob);
}
static inline CURLcode apus_curl_set_write(
    CURL *curl, size_t (*function)(char *, size_t, size_t, void *), void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_WRITEDATA, context);
}
static inline CURLcode apus_curl_set_read(
    CURL *curl, size_t (*function)(char *, size_t, size_t, void *), void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_READFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_READDATA, context);
}
static inline CURLcode apus_curl_set_seek(CURL *curl, int (*function)(void *, curl_off_t, int), void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_SEEKDATA, context);
}
static inline CURLcode apus_curl_set_header(
    CURL *curl, size_t (*function)(char *, size_t, size_t, void *), void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_HEADERDATA, context);
}
static inline CURLcode apus_curl_set_pre_request(
    CURL *curl, int (*function)(void *, char *, char *, int, int), void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_PREREQDATA, context);
}
static inline CURLcode apus_curl_set_progress(
    CURL *curl, int (*function)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t), void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_XFERINFODATA, context);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
}
static inline CURLcode apus_curl_set_open_socket(
    CURL *curl, curl_socket_t (*function)(void *, curlsocktype, struct curl_sockaddr *), void *context) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, context);
}
// The flags are macros.
static inline CURLcode apus_curl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}
// The names of socket types belong to whichever C module was built first.
static inline curl_socket_t apus_curl_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
static inline long apus_curl_response_code(CURL *curl) {
    long value = 0;
    return curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &value) == CURLE_OK ? value : 0;
}
// Belongs to the handle; NULL without one.
static inline const char *apus_curl_content_type(CURL *curl) {
    char *value = NULL;
    return curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &value) == CURLE_OK ? value : NULL;
}
// Where a redirect leads that was not followed; belongs to the handle, NULL without one.
static inline const char *apus_curl_redirect_url(CURL *curl) {
    char *value = NULL;
    return curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &value) == CURLE_OK ? value : NULL;
}
// The next finished transfer and its result, NULL when there is none; the union of CURLMsg is unreadable in Swift.
static inline CURL *apus_curl_next_done(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}
