// SPDX-License-Identifier: Apache-2.0

/// Short texts from the corners of Unicode where preparation has something to decide.
enum SampleTexts {
    /// Ranges to draw from; a text mostly stays in one or two of them.
    private static let pools: [[ClosedRange<UInt32>]] = [
        [0x20...0x7E], [0x61...0x7A], [0xA0...0x17F], [0x370...0x3FF], [0x1F00...0x1FFF], [0x400...0x52F],
        [0x590...0x5F4], [0x600...0x6FF], [0x700...0x7FF], [0x900...0x97F], [0xE00...0xE7F], [0x1100...0x11FF],
        [0x2000...0x206F], [0x2100...0x218F], [0x2460...0x24FF], [0x3000...0x30FF], [0x3130...0x318F],
        [0x4E00...0x4E40], [0xA960...0xA97F], [0xAC00...0xAC40], [0xD7B0...0xD7FF], [0xF900...0xF940],
        [0xFB00...0xFDFF], [0xFE00...0xFEFF], [0xFF00...0xFFEF], [0x10400...0x1044F], [0x10A00...0x10A60],
        [0x1D400...0x1D4FF], [0x1E900...0x1E95F], [0x1F600...0x1F64F], [0x20000...0x20010], [0xE0000...0xE01EF],
        // Characters with rules of their own, marks, digits of three kinds.
        [0xB7...0xB7, 0x6C...0x6C, 0x375...0x375, 0x3B1...0x3B3], [0x5F3...0x5F4, 0x5D0...0x5D4, 0x31...0x33],
        [0x30FB...0x30FB, 0x30A2...0x30A4, 0x61...0x63], [0x660...0x663, 0x6F0...0x6F3, 0x628...0x62C],
        [0x200C...0x200D, 0x94D...0x94D, 0x915...0x918], [0x200C...0x200D, 0x628...0x62C, 0x64B...0x64D],
        [0x300...0x345, 0x61...0x66], [0x130...0x131, 0x3A3...0x3A3, 0x3C2...0x3C3, 0x41...0x45, 0x2E...0x2E],
        [0x41...0x5A, 0x1C4...0x1CC, 0x212A...0x212B], [0x0...0x1F, 0x7F...0x9F, 0x61...0x63], [0x0...0x10FFFF],
    ]

    static func make(count: Int, seed: UInt64) -> [[UInt32]] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in
            let first = pools[Int(random.next() % UInt64(pools.count))]
            let second = pools[Int(random.next() % UInt64(pools.count))]
            let length = 1 + Int(random.next() % 7)
            return (0..<length).map { _ in
                let pool = random.next() % 4 == 0 ? second : first
                let range = pool[Int(random.next() % UInt64(pool.count))]
                let value = range.lowerBound + UInt32(random.next() % UInt64(range.count))
                return (0xD800...0xDFFF).contains(value) ? 0x61 : value
            }
        }
    }

    /// One text for each code point of the first planes' busy parts and a sample of the rest, alone and after a letter.
    static func singles(seed: UInt64) -> [[UInt32]] {
        var random = SeededRandom(seed: seed)
        let sample = (0..<6000).map { _ in UInt32(random.next() % 0x110000) }
        let values = (Array(0..<0x3400) + Array(0xF900...0xFFFF) + sample).filter { !(0xD800...0xDFFF).contains($0) }
        return values.map { [$0] } + values.prefix(0x900).map { [0x61, $0] }
    }

    static let curated: [[UInt32]] = [
        "", " ", "ann", "Ann Lee", "ＡＮＮ", "ß", "ẞ", "ΣΑΣ", "ΑΣ", "Σ", "ΑΣ.Β", "İstanbul", "ŉ", "ǅ", "Å", "K", "fußball",
        "l·l", "l·", "·l", "͵α", "͵a", "א׳", "a׳", "・", "ア・", "a・b", "٠١", "۰۱", "٠۰", "क्‍ष", "क‍ष", "क्‌ष", "ب‌ب", "a‌b",
        "שלום", "1שלום", "שלום1", "שלום٠1", "a1שלום", "ab\u{300}", "א\u{5B0}", "e\u{301}", "\u{301}e", "ｶﾞ", "ﾡ", "ﬁ",
        "①",
        "a\u{A0}b", "\u{3000}", "\u{2028}", "\u{FEFF}", "\u{AD}", "\u{FFFD}", "\u{FFFF}", "\u{10FFFF}", "🦊", "☺",
        "\u{E000}",
        "\u{1100}\u{1161}", "\u{AC00}\u{11A8}", "\u{1E9B}\u{323}", "q\u{323}\u{307}", "\u{958}", "\u{2ADC}", "\u{F900}",
    ].map { $0.unicodeScalars.map(\.value) }
}
