// SPDX-License-Identifier: Apache-2.0
#ifndef APUS_ZXING_H
#define APUS_ZXING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads the QR code in a picture of one byte a pixel, row after row without gaps.
///
/// Gives how many bytes of UTF-8 were written to `text`, at most `room`; 0 when there is no code, or no text in it.
size_t apus_zxing_read(const uint8_t *pixels, int width, int height, char *text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
