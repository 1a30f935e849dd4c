// SPDX-License-Identifier: Apache-2.0

/// Makes cases for the comparison: correct streams with a few faults put in.
package struct XMLMutator: Sendable {
    private var random: SeededRandom
    private let seeds: [[UInt8]]

    package init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        var corpus = XMLCorpus(seed: seed)
        var seeds = XMLCorpus.oddities.map { Array($0.utf8) }
        for _ in 0..<64 {
            var stream = Array(XMLCorpus.header.utf8)
            for _ in 0..<2 {
                let stanza = corpus.stanza().utf8
                if stanza.count < 700 { stream += stanza }
            }
            seeds.append(stream)
        }
        self.seeds = seeds
    }

    /// The size of the next piece in which our parser gets a case.
    package mutating func piece() -> Int {
        random.chance(50) ? 1 + random.below(4) : 1 + random.below(200)
    }

    /// The next case.
    package mutating func next() -> [UInt8] {
        var bytes = random.chance(60) ? seeds[random.below(XMLCorpus.oddities.count)] : random.pick(seeds)
        for _ in 0..<(random.chance(60) ? 1 : 1 + random.below(4)) { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes = random.pick(seeds) }
        let position = random.below(bytes.count)
        switch random.below(12) {
        case 0: bytes[position] ^= 1 &<< UInt8(random.below(8))
        case 1: bytes[position] = UInt8(truncatingIfNeeded: random.next())
        case 2: bytes[position] = random.pick(XMLMutator.special)
        case 3: bytes.insert(random.pick(XMLMutator.special), at: position)
        case 4: bytes.removeSubrange(position..<min(bytes.count, position + 1 + random.below(8)))
        case 5:
            let end = min(bytes.count, position + 1 + random.below(40))
            bytes.insert(contentsOf: Array(bytes[position..<end]), at: random.below(bytes.count))
        case 6:
            let other = random.pick(seeds)
            let start = random.below(other.count)
            bytes.insert(contentsOf: other[start..<min(other.count, start + random.below(60))], at: position)
        case 7: bytes.removeSubrange(position...)
        case 8: moveMarkup(&bytes)
        default: bytes.insert(contentsOf: random.pick(XMLMutator.tokens), at: position)
        }
    }

    /// Puts a token where markup begins or ends, as most of them mean something only there.
    private mutating func moveMarkup(_ bytes: inout [UInt8]) {
        let places = bytes.indices.filter { [0x3C, 0x3E, 0x20, 0x2F, 0x27, 0x3D].contains(bytes[$0]) }
        guard !places.isEmpty else { return }
        let place = random.pick(places) + random.below(2)
        bytes.insert(contentsOf: random.pick(XMLMutator.tokens), at: min(place, bytes.count))
    }

    private static let special: [UInt8] =
        Array("<>&'\"=/ \t\r\n;:#x!?[]-.0aA_".utf8) + [
            0, 1, 0x1F, 0x7F, 0x80, 0xBF, 0xC0,
            0xC3, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFE, 0xFF,
        ]

    private static let tokens: [[UInt8]] =
        [
            "<a>", "</a>", "<a/>", "<p:a/>", "<a xmlns='u'/>", " xmlns=''", " xmlns='u'", " xmlns:p='u'",
            " xmlns:q='u'",
            " xmlns:p=''", " p:b='1'", " q:b='2'", " b='1'", " b=\"1\"", " xml:lang='x'", " xmlns:xml='u'",
            " xmlns:xmlns='u'",
            " xmlns:xml='http://www.w3.org/XML/1998/namespace'", " xmlns:p='http://www.w3.org/XML/1998/namespace'",
            " xmlns='http://www.w3.org/2000/xmlns/'", " xmlns:p='http://www.w3.org/2000/xmlns/'", " xmlns:p='u&#118;'",
            "&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#65;", "&#x41;", "&#0;", "&#xD800;", "&#xFFFF;",
            "&#x110000;",
            "&#x10FFFF;", "&#9;", "&#10;", "&#13;", "&#32;", "&x;", "&amp", "&#;", "&#x;", "&;", "& ", "&#00000000065;",
            "<![CDATA[", "]]>", "<![CDATA[x]]>", "<![CDATA[]]>", "]]", "]", "<!--x-->", "<!DOCTYPE x>",
            "<!DOCTYPE x [<!ENTITY a 'b'>]>", "<?p x?>", "<?xml version='1.0'?>",
            "<?xml version='1.0' encoding='utf-8'?>",
            "<?xml version='1.0' encoding='utf-16'?>", "<?xml version='1.1' standalone='no'?>", "\r\n", "\r", "\n",
            "\t",
            "é", "Ș", "中", "🦊", "\u{B7}", "\u{300}", "\u{FFFD}", "\u{10000}", "\u{203F}", "\u{85}", "\u{2028}", "xmlns",
            ":",
            "</stream:stream>", "<stream:stream>", "</m>", "</r>", " ", "  ", "='", "\u{FEFF}",
        ].map { Array($0.utf8) } + [
            [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xEF, 0xBF, 0xBE], [0xEF, 0xBF, 0xBF], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xF0, 0x9F, 0xA6],
        ]
}
