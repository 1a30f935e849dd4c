// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unictype.h>
#include <uninorm.h>
#include <unicase.h>

// The normalisation forms are globals of an incomplete type, which Swift cannot import.
static inline uint32_t *apus_u32_nfc(const uint32_t *text, size_t count, size_t *resultCount) {
    return u32_normalize(UNINORM_NFC, text, count, NULL, resultCount);
}

static inline uint32_t *apus_u32_nfkc(const uint32_t *text, size_t count, size_t *resultCount) {
    return u32_normalize(UNINORM_NFKC, text, count, NULL, resultCount);
}

// The form parameter has the same incomplete type; no language, no normalisation.
static inline uint32_t *apus_u32_tolower(const uint32_t *text, size_t count, size_t *resultCount) {
    return u32_tolower(text, count, NULL, NULL, NULL, resultCount);
}
