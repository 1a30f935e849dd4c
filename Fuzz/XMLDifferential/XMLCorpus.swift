// SPDX-License-Identifier: Apache-2.0

/// A small generator of random numbers with a seed, so that every run can be repeated.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed &>> 31)
    }

    package mutating func below(_ bound: Int) -> Int {
        bound < 2 ? 0 : Int(truncatingIfNeeded: (next() &>> 33) % UInt64(bound))
    }

    package mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

/// Makes the traffic of an ordinary account: chat, states, presence, roster pushes, archive results.
package struct XMLCorpus: Sendable {
    private var random: SeededRandom

    package init(seed: UInt64) { random = SeededRandom(seed: seed) }

    package static let header =
        "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
        + "id='s-7' from='example.org' version='1.0' xml:lang='en'>"

    /// A header and stanzas of at least this many bytes; the stream is left open.
    package mutating func stream(bytes: Int) -> [UInt8] {
        var stream = Array(XMLCorpus.header.utf8)
        while stream.count < bytes { stream += stanza().utf8 }
        return stream
    }

    package mutating func stanza() -> String {
        switch random.below(100) {
        case 0..<45: chat("from='\(contact())' to='\(me)' id='\(identifier())' type='chat' xml:lang='en'")
        case 45..<53: bodyless()
        case 53..<78: presence()
        case 78..<83: rosterPush()
        default: archived()
        }
    }

    private let me = "bench@bench.example/bench"
    private static let words =
        ("the of and to in is you that it he was for on are as with his they at be this have from one had by word "
        + "meeting tomorrow server client release review branch merge coffee lunch train station photo garden please "
        + "maybe later tonight evening believe understand remember important").split(separator: " ").map(String.init)
    private static let rare = [
        "привет как дела", "größer straße", "日本語のメッセージです", "à bientôt", "안녕하세요", "שלום", "😀", "👩‍💻", "🇪🇺",
        "R&amp;D", "a &lt; b", "x &gt; y &amp;&amp; z", "\"quoted\"", "it's", "&lt;tag attr='1'&gt;",
    ]

    private mutating func hex(_ count: Int) -> String {
        String((0..<count).map { _ in Array("0123456789abcdef")[random.below(16)] })
    }

    private mutating func identifier() -> String { "\(hex(8))-\(hex(4))-\(hex(4))-\(hex(4))-\(hex(12))" }

    private mutating func contact() -> String {
        "\(random.pick(["juliet", "romeo", "mercutio", "benvolio"])).\(random.below(400))@capulet.example/phone.\(hex(6))"
    }

    private mutating func body() -> String {
        let count = random.chance(5) ? 80 + random.below(120) : 1 + random.below(28)
        var words = (0..<count).map { _ in random.pick(XMLCorpus.words) }
        while random.chance(25) { words.insert(random.pick(XMLCorpus.rare), at: random.below(words.count)) }
        return words.joined(separator: " ")
    }

    private mutating func chat(_ attributes: String) -> String {
        let body = body()
        var inner = "<body>\(body)</body><origin-id xmlns='urn:xmpp:sid:0' id='\(identifier())'/>"
        inner += "<stanza-id xmlns='urn:xmpp:sid:0' by='bench@bench.example' id='\(identifier())'/>"
        if random.chance(60) { inner += "<request xmlns='urn:xmpp:receipts'/>" }
        if random.chance(60) { inner += "<markable xmlns='urn:xmpp:chat-markers:0'/>" }
        if random.chance(60) { inner += "<active xmlns='http://jabber.org/protocol/chatstates'/>" }
        if random.chance(5) {
            inner += "<html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'>"
            inner += "<p style='font-weight:bold'>\(body)</p> and <b>more</b></body></html>"
        }
        return "<message \(attributes)>\(inner)</message>"
    }

    private mutating func bodyless() -> String {
        let inner = random.pick([
            "<composing xmlns='http://jabber.org/protocol/chatstates'/>",
            "<received xmlns='urn:xmpp:receipts' id='\(identifier())'/>",
            "<displayed xmlns='urn:xmpp:chat-markers:0' id='\(identifier())'/>",
        ])
        return "<message from='\(contact())' to='\(me)' id='\(identifier())' type='chat'>\(inner)</message>"
    }

    private mutating func presence() -> String {
        if random.chance(20) { return "<presence from='\(contact())' to='\(me)' type='unavailable'/>" }
        var stanza = "<presence from='\(contact())' to='\(me)' xml:lang='en'>"
        if random.chance(50) { stanza += "<show>\(random.pick(["away", "xa", "dnd", "chat"]))</show>" }
        if random.chance(40) { stanza += "<status>\(random.pick(XMLCorpus.words))</status>" }
        stanza += "<priority>\(random.below(60))</priority><c xmlns='http://jabber.org/protocol/caps' hash='sha-1' "
        stanza += "node='https://dino.example' ver='\(hex(27))='/>"
        stanza += "<x xmlns='vcard-temp:x:update'><photo>\(hex(40))</photo></x>"
        return stanza + "</presence>"
    }

    private mutating func rosterPush() -> String {
        let groups = random.chance(50) ? "<group>Family &amp; Co</group><group>Friends</group>" : ""
        return
            "<iq to='\(me)' id='push-\(hex(8))' type='set'><query xmlns='jabber:iq:roster' ver='\(random.below(99999))'>"
            + "<item jid='juliet@capulet.example' name='Juliet &apos;J&apos;' subscription='both'>\(groups)</item>"
            + "</query></iq>"
    }

    private mutating func archived() -> String {
        let message = chat("xmlns='jabber:client' from='\(me)' to='\(contact())' id='\(identifier())' type='chat'")
        return "<message to='\(me)'><result xmlns='urn:xmpp:mam:2' queryid='f27' id='\(identifier())'>"
            + "<forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2026-07-08T09:10:11.123Z'/>"
            + "\(message)</forwarded></result></message>"
    }
}

extension XMLCorpus {
    /// Correct streams that use what XMPP rarely does.
    package static let oddities: [String] = [
        "<a/>",
        "<s:stream xmlns:s='http://etherx.jabber.org/streams' xmlns='jabber:client'><iq type='get' id='v1'>"
            + "<q:query xmlns:q='jabber:iq:version'/></iq></s:stream>",
        "<stream xmlns='urn:x' xmlns:p='urn:p' xmlns:q='urn:p'><p:a q:b='1' b='2'><c xmlns=''>t</c><q:d/></p:a></stream>",
        "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\r\n<r xmlns:x='urn:y'>\r\n<m x:a='1\r\n2\t3&#10;4'>"
            + "l1\r\nl2\rl3<![CDATA[<&>]] ]>\r\n]]>&#x1F98A;&lt;&gt;&amp;&quot;&apos;&#65;</m >\n</r >",
        "<r><m xml:lang='de' xml:space='preserve'><n xml:lang=''>é&amp;🦊</n>]] ]&#x5D;]&gt;</m></r>",
        "<r><étage a\u{E9}='1'/><m  a = '1'  b\t=\n\"2'2\" ><n\n/></m\t></r>",
        "<r xmlns:abcdefghij='urn:long-prefix-1' xmlns:abcdefghik='urn:long-prefix-2'>"
            + "<abcdefghij:verylongname abcdefghik:attribute1='' abcdefghik:attribute2=''/></r>",
        "<r><a xmlns='u1'><b xmlns='u2'><c/><d xmlns='u1'/></b><e xmlns:f='u1' f:g='h'/></a></r>",
        "<r><a xmlns='u&amp;v' xmlns:p='u&#38;v' p:b='' b=''><p:c/></a></r>",
        "<stream:stream xmlns:stream='http://etherx.jabber.org/streams'><m><stream:stream><stream:error/>"
            + "</stream:stream></m></stream:stream>",
    ]
}
