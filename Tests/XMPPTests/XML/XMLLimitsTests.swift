// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

/// Every cap at its value, one above, and a hundredfold.
@Suite struct XMLLimitsTests {
    private func error(_ stanza: String, limits: XMLLimits, chunk: Int) -> XMLError.Kind? {
        ParsedStream("<r>" + stanza, chunk: chunk, limits: limits).error?.kind
    }

    @Test(
        "T059 bytes of a stanza are capped: text, one attribute, one name, whatever the pieces",
        arguments: [1, 100, 1_000_000])
    func stanzaBytes(chunk: Int) {
        let limits = XMLLimits(stanzaBytes: 1000)
        let makers: [(Int) -> String] = [
            { "<m>" + String(repeating: "x", count: $0 - 7) + "</m>" },
            { "<m a='" + String(repeating: "x", count: $0 - 9) + "'/>" },
            { "<m" + String(repeating: " ", count: $0 - 4) + "/>" },
            { "<m><![CDATA[" + String(repeating: "x", count: $0 - 19) + "]]></m>" },
            { "<m></m" + String(repeating: " ", count: $0 - 7) + ">" },
        ]
        for make in makers {
            #expect(error(make(1000), limits: limits, chunk: chunk) == nil)
            #expect(error(make(1001), limits: limits, chunk: chunk) == .limit(.stanzaBytes))
            #expect(error(make(100_000), limits: limits, chunk: chunk) == .limit(.stanzaBytes))
        }
    }

    @Test("T059 the cap is 64 KiB before login and 10 MiB after it, and may change between events")
    func theTwoCaps() throws {
        #expect(XMLLimits.beforeLogin.stanzaBytes == 64 << 10)
        #expect(XMLLimits.afterLogin.stanzaBytes == 10 << 20)
        #expect(XMLLimits.afterLogin.depth == 128)
        #expect(XMLLimits.afterLogin.attributes == 256)
        #expect(XMLLimits.afterLogin.nameBytes == 1024)
        let large = "<m>" + String(repeating: "x", count: 70_000) + "</m>"
        #expect(error(large, limits: .beforeLogin, chunk: 4096) == .limit(.stanzaBytes))
        var parser = XMLStreamParser(limits: .beforeLogin)
        parser.append("<r>")
        guard case .open = try parser.next() else { return #expect(Bool(false), "no header") }
        parser.limits = .afterLogin
        parser.append(large)
        #expect(try parser.stanzaName() == "m")
    }

    @Test("T059 the stream header is capped as well")
    func headerBytes() {
        let limits = XMLLimits(stanzaBytes: 100)
        let header = "<r a='" + String(repeating: "x", count: 92) + "'>"
        #expect(ParsedStream(header, limits: limits).error == nil)
        #expect(ParsedStream(header.replacing("'>", with: " '>"), limits: limits).error?.kind == .limit(.stanzaBytes))
        let unfinished = "<r a='" + String(repeating: "x", count: 10_000)
        #expect(ParsedStream(unfinished, chunk: 10, limits: limits).error?.kind == .limit(.stanzaBytes))
    }

    @Test("T059 attributes of one element are capped, declarations among them", arguments: [1, 50, 1_000_000])
    func attributes(chunk: Int) {
        func stanza(_ count: Int) -> String { "<m" + (0..<count).map { " a\($0)=''" }.joined() + "/>" }
        #expect(error(stanza(256), limits: .afterLogin, chunk: chunk) == nil)
        #expect(error(stanza(257), limits: .afterLogin, chunk: chunk) == .limit(.attributes))
        #expect(error(stanza(25_600), limits: .afterLogin, chunk: chunk) == .limit(.attributes))
        var limits = XMLLimits.afterLogin
        limits.attributes = 3
        #expect(error("<m a='' xmlns='u' xmlns:p='v'/>", limits: limits, chunk: chunk) == nil)
        #expect(error("<m a='' xmlns='u' xmlns:p='v' b=''/>", limits: limits, chunk: chunk) == .limit(.attributes))
    }

    @Test("T059 prefixes in force at the same time are capped", arguments: [1, 50, 1_000_000])
    func namespaces(chunk: Int) {
        func nested(_ count: Int, each: Int) -> String {
            (0..<count).map { level in
                "<m" + (0..<each).map { " xmlns:p\(level)x\($0)='u\($0)'" }.joined() + ">"
            }.joined() + String(repeating: "</m>", count: count)
        }
        #expect(error(nested(1, each: 64), limits: .afterLogin, chunk: chunk) == nil)
        #expect(error(nested(1, each: 65), limits: .afterLogin, chunk: chunk) == .limit(.namespaces))
        #expect(error(nested(8, each: 8), limits: .afterLogin, chunk: chunk) == nil)
        #expect(error(nested(13, each: 5), limits: .afterLogin, chunk: chunk) == .limit(.namespaces))
        #expect(error(nested(100, each: 64), limits: .afterLogin, chunk: chunk) == .limit(.namespaces))
        // One after the other they are not in force together.
        let siblings = "<m>" + String(repeating: nested(1, each: 60), count: 50) + "</m>"
        #expect(error(siblings, limits: .afterLogin, chunk: chunk) == nil)
    }

    @Test("T059 names are capped: of elements, attributes, prefixes and namespaces", arguments: [1, 100, 1_000_000])
    func names(chunk: Int) {
        func name(_ count: Int) -> String { String(repeating: "n", count: count) }
        let makers: [(Int) -> String] = [
            { "<\(name($0))/>" }, { "<m \(name($0))=''/>" }, { "<m xmlns:p='u'><p:\(name($0 - 2))/></m>" },
            { "<m xmlns:\(name($0 - 6))='u'/>" }, { "<m xmlns='\(name($0))'/>" }, { "<m xmlns:p='\(name($0))'/>" },
            { "<m>&#\(String(repeating: "0", count: $0 - 4))65;</m>" },
        ]
        for make in makers {
            #expect(error(make(1024), limits: .afterLogin, chunk: chunk) == nil)
            #expect(error(make(1025), limits: .afterLogin, chunk: chunk) == .limit(.nameBytes))
            #expect(error(make(102_400), limits: .afterLogin, chunk: chunk) == .limit(.nameBytes))
        }
        // Before the rest is buffered: the tag has no end yet.
        #expect(error("<" + name(1025), limits: .afterLogin, chunk: chunk) == .limit(.nameBytes))
    }

    @Test("T059 depth is capped", arguments: [1, 100, 1_000_000])
    func depth(chunk: Int) {
        func nested(_ count: Int) -> String {
            String(repeating: "<a>", count: count - 1) + "<b/>" + String(repeating: "</a>", count: count - 1)
        }
        #expect(error(nested(128), limits: .afterLogin, chunk: chunk) == nil)
        #expect(error(nested(129), limits: .afterLogin, chunk: chunk) == .limit(.depth))
        #expect(error(nested(12_800), limits: .afterLogin, chunk: chunk) == .limit(.depth))
    }

    @Test("T061 a stanza takes at most eight times its bytes")
    func memoryIsBounded() throws {
        let worst = [
            "<a/>", "<a b=''/>", "<a/>x", "x<![CDATA[y]]>", "<a:b xmlns:a='u' a:c=''/>", "<b xmlns='u'/>", "x",
        ]
        for part in worst {
            let parsed = ParsedStream(
                "<r xmlns:a='\(String(repeating: "u", count: 1000))'><m>"
                    + String(repeating: part, count: 2000) + "</m>")
            let stanza = try #require(parsed.stanzas.first)
            let header = stanza.storage.header
            #expect(header.recordCount * 16 + header.byteCount <= 8 * stanza.byteCount, "\(part)")
        }
    }

    @Test("T061 names that nobody knows are kept in their stanza alone")
    func unknownNamesAreNotCollected() throws {
        let before = XMLNameTable.known.names.count
        let parsed = ParsedStream("<r>" + (0..<5000).map { "<n\($0) xmlns='urn:n\($0)'/>" }.joined())
        #expect(parsed.stanzas.count == 5000)
        #expect(parsed.stanzas[4711].name == XMLName("n4711", "urn:n4711"))
        #expect(XMLNameTable.known.names.count == before)
    }

    @Test(
        "T064 input that never ends is cut off at the cap",
        arguments: ["<a>", "<a b='", "x", "<![CDATA[", "<a", "&#0000"])
    func endlessInput(part: String) {
        let limits = XMLLimits(stanzaBytes: 5000)
        var parser = XMLStreamParser(limits: limits)
        parser.append("<r><m>")
        var appended = 0
        var failure: XMLError?
        while failure == nil, appended < 1_000_000 {
            do throws(XMLError) { try parser.readAll(part) } catch { failure = error }
            appended += part.utf8.count
        }
        #expect(failure != nil)
        #expect(appended <= 5100)
        #expect(parser.capacity <= 4 * 5000)
    }
}
