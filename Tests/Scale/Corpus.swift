// SPDX-License-Identifier: Apache-2.0
import ChatKit
import XMPP

/// Who there is and what is said; the same numbers give the same texts.
struct Corpus {
    static let me = "ann@example.org"
    static let contacts = 10_000
    static let rooms = 200
    /// Conversations of two; the first one has half of all messages.
    static let chats = 1800
    /// When the first message was written; one follows every 20 seconds.
    static let start: Int64 = 1_500_000_000_000

    /// A small generator of numbers with a fixed seed.
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func number(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(truncatingIfNeeded: (state >> 33) % UInt64(limit))
    }

    static func contact(_ index: Int) -> String { "person\(index)@example.net" }

    /// Three thousand words; the first ones are said most, as in any language.
    private static let words: [String] = {
        let common = [
            "the", "and", "to", "of", "a", "in", "is", "you", "that", "it", "for", "was", "on", "with", "we", "at",
            "be",
            "this", "have", "tomorrow", "meeting", "please", "thanks", "train", "late", "project", "server", "house",
        ]
        let syllables = ["ka", "lo", "mi", "ren", "tu", "sa", "ver", "no", "pi", "dor", "el", "gan", "ri", "wo", "ze"]
        let count = syllables.count
        let rare = (0..<3000).map { index in
            syllables[index % count] + syllables[index / count % count] + syllables[index / (count * count) % count]
        }
        return common + rare
    }()

    private static let chinese = [
        "今天天气很好", "你好吗", "明天见", "我们去看电影", "谢谢你", "火车晚点了", "会议几点开始", "我在路上", "周末有空吗", "没问题",
    ]

    mutating func body(_ index: Int) -> String {
        if index % 1000 == 500 { return "准备吃饭了" }
        if index % 1000 == 501 { return "We meet in the Café at the corner" }
        if index % 5000 == 502 { return "the quick zeppelin was late" }
        if index % 25 == 3 { return Self.chinese[number(below: Self.chinese.count)] + "，" + Self.chinese[index % 10] }
        let count = 4 + number(below: 12)
        return (0..<count).map { _ in
            // The product of two numbers makes small ones more likely.
            Self.words[number(below: Self.words.count) * number(below: 1000) / 1000]
        }.joined(separator: " ")
    }

    private mutating func uuid() -> String {
        func hex(_ digits: Int, _ value: UInt64) -> String {
            let text = String(value, radix: 16)
            return String(String(repeating: "0", count: digits) + text).suffix(digits).description
        }
        let (high, low) = (UInt64(number(below: 1 << 30)), UInt64(number(below: 1 << 30)))
        return "\(hex(8, high))-\(hex(4, low >> 8))-4a6b-8c1d-\(hex(12, high &* 2_654_435_761 ^ low))"
    }

    /// One entry of the archive: its id, its time, and the message as XML.
    mutating func entry(_ index: Int) -> (id: String, stamp: Int64, xml: String) {
        let chat = index % 2 == 0 ? 0 : 1 + number(below: Self.chats - 1) * number(below: 1000) / 1000
        let peer = Self.contact(chat)
        let isOwn = number(below: 10) < 4
        let (from, to) = isOwn ? ("\(Self.me)/laptop", peer) : ("\(peer)/phone", Self.me)
        let id = uuid()
        return (
            "archive-\(index)", Self.start + Int64(index) * 20_000,
            """
            <message from='\(from)' to='\(to)' type='chat' id='\(id)'><body>\(body(index))</body>\
            <request xmlns='urn:xmpp:receipts'/><origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/></message>
            """
        )
    }

    /// Pages of the archive, from one entry on.
    mutating func page(from first: Int, count: Int, isComplete: Bool) throws -> CatchUpPage {
        var reader = try StanzaReader()
        var messages: [CatchUpMessage] = []
        for index in first..<first + count {
            let entry = entry(index)
            guard case .message(let message) = try reader.read(entry.xml) else { continue }
            messages.append(CatchUpMessage(id: entry.id, stamp: entry.stamp, message: message))
        }
        return CatchUpPage(messages: messages, isComplete: isComplete)
    }
}

/// Reads stanzas the way a session does.
struct StanzaReader: ~Copyable {
    private var parser = XMLStreamParser(limits: .afterLogin)
    private var decoder = StanzaDecoder()

    init() throws {
        append("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>")
        _ = try parser.next()
    }

    mutating func read(_ xml: String) throws -> Stanza? {
        append(xml)
        guard case .stanza(let element) = try parser.next() else { return nil }
        return switch element.localName {
        case "message": .message(try decoder.message(element))
        case "presence": .presence(try decoder.presence(element))
        default: .iq(try decoder.iq(element))
        }
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { parser.append(UnsafeRawBufferPointer($0)) }
    }
}
