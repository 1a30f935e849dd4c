// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

@Suite("JID escaping")
struct JIDEscapingTests {
    @Test("B07 shows an escaped local part unescaped and leaves the resource alone")
    func unescapesTheLocalPartOnly() throws {
        let jid = try #require(JID(wire: #"tea\26cake@example.org/a\20b"#))
        #expect(jid.displayLocal == "tea&cake")
        #expect(jid.displayText == #"tea&cake@example.org/a\20b"#)
        #expect(jid.local == #"tea\26cake"#)
        #expect(jid.resource == #"a\20b"#)
        #expect(jid.description == #"tea\26cake@example.org/a\20b"#)
    }

    @Test("B07 protects what only looks like an escape sequence")
    func protectsLiteralSequences() throws {
        #expect(try JID.escape(local: #"rate\27s"#) == #"rate\5c27s"#)
        let jid = try JID(escaping: #"rate\27s"#, domain: "example.org")
        #expect(jid.local == #"rate\5c27s"#)
        #expect(jid.displayLocal == #"rate\27s"#)
        // Capital digits turn into small ones later, so they need it too.
        #expect(try JID(escaping: #"a\2Fb"#, domain: "example.org").displayLocal == #"a\2fb"#)
        #expect(try JID.escape(local: #"a\5Cb"#) == #"a\5c5Cb"#)
    }

    @Test("B07 compares escaped forms only")
    func comparesEscapedForms() throws {
        #expect(try JID(#"a\26b@example.org"#) != JID(#"a\5c26b@example.org"#))
        #expect(try JID(escaping: "a&b", domain: "example.org") == JID(#"a\26b@example.org"#))
    }

    @Test("B07 a space is never first or last")
    func refusesSpacesAtTheEdges() throws {
        for name in [" ann", "ann ", " ", "\u{3000}ann"] {
            let error = #expect(throws: JIDError.self) { try JID.escape(local: name) }
            #expect(error?.code == .escape)
        }
        #expect(try JID.escape(local: "ann lee") == #"ann\20lee"#)
        #expect(try JID(#"\20ann@example.org"#).displayLocal == #"\20ann"#)
        #expect(try JID(#"ann\20@example.org"#).displayLocal == #"ann\20"#)
        #expect(try JID(#"ann\20lee@example.org"#).displayLocal == "ann lee")
    }

    @Test(
        "follows the examples of XEP-0106 §5",
        arguments: [
            ("space cadet", #"space\20cadet"#), (#"call me "ishmael""#, #"call\20me\20\22ishmael\22"#),
            ("at&t guy", #"at\26t\20guy"#), ("d'artagnan", #"d\27artagnan"#), ("/.fanboy", #"\2f.fanboy"#),
            ("::foo::", #"\3a\3afoo\3a\3a"#), ("<foo>", #"\3cfoo\3e"#), ("user@host", #"user\40host"#),
            (#"c:\net"#, #"c\3a\net"#), (#"c:\\net"#, #"c\3a\\net"#), (#"c:\cool stuff"#, #"c\3a\cool\20stuff"#),
            (#"c:\5commas"#, #"c\3a\5c5commas"#),
        ])
    func followsTheExamples(name: String, escaped: String) throws {
        #expect(try JID.escape(local: name) == escaped)
        let jid = try JID(escaping: name, domain: "example.com")
        #expect(jid.local == escaped)
        #expect(jid.displayLocal == name)
        #expect(jid.displayText == name + "@example.com")
    }

    @Test("every name that can be escaped reads back as itself")
    func roundTrips() throws {
        var random = SeededRandom(seed: 3)
        let alphabet =
            Array(#"ab20567cef\\\ "&'/:<>@é"#.unicodeScalars) + ["\u{301}", "\u{FF3C}", "\u{FF0F}", "\u{327}"]
        var tried = 0
        for _ in 0..<20_000 {
            var name = String.UnicodeScalarView()
            for _ in 0...Int(random.next() % 9) { name.append(alphabet[Int(random.next() % UInt64(alphabet.count))]) }
            guard let jid = try? JID(escaping: String(name), domain: "example.org") else { continue }
            tried += 1
            let folded = UnicodeText.nfc(UnicodeText.widthMapped(name.map(\.value)))
            #expect(jid.displayLocal.map { Array($0.utf8) } == UnicodeText.utf8(folded), "\(name)")
        }
        #expect(tried > 5000)
    }

    @Test("refuses an accent that would change an escape sequence")
    func refusesMeltingAccents() {
        #expect(throws: JIDError.self) { try JID.escape(local: "a/\u{307}b") }
    }

    @Test("leaves other backslashes alone")
    func leavesOtherBackslashes() throws {
        let jid = try JID(#"a\bc\2\zz\21@example.org"#)
        #expect(jid.displayLocal == #"a\bc\2\zz\21"#)
        #expect(try JID("example.org/x").displayLocal == nil)
        #expect(try JID("example.org/x").displayText == "example.org/x")
    }
}
