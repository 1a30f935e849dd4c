// SPDX-License-Identifier: Apache-2.0
#include "apus_zxing.h"

#define ZX_USE_UTF8 1
#include <ZXing/ReadBarcode.h>
#include <cstring>

// The library is C++, which Swift calls through this one function; nothing is thrown out of it.
extern "C" size_t apus_zxing_read(const uint8_t *pixels, int width, int height, char *text, size_t room) {
    try {
        ZXing::DecodeHints hints;
        hints.setFormats(ZXing::BarcodeFormat::QRCode);
        hints.setTryHarder(true);
        hints.setMaxNumberOfSymbols(1);
        auto result = ZXing::ReadBarcode({pixels, width, height, ZXing::ImageFormat::Lum}, hints);
        if (!result.isValid()) return 0;
        std::string found = result.text();
        if (found.size() > room) return 0;
        std::memcpy(text, found.data(), found.size());
        return found.size();
    } catch (...) {
        return 0;
    }
}
