// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

/// An example of a specification, as `Fixtures/xep-NNNN` keeps it; its first line names the source.
struct Fixture: CustomStringConvertible, Sendable {
    let path: String
    let xml: String
    var description: String { path }

    static let all: [Fixture] = {
        guard let root = Bundle.module.url(forResource: "Fixtures", withExtension: nil) else { return [] }
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return folders.filter { $0.hasPrefix("xep-") }.sorted().flatMap { folder -> [Fixture] in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
            return names.sorted().compactMap { name in
                guard
                    let text = try? String(
                        contentsOf: root.appending(path: folder).appending(path: name), encoding: .utf8),
                    let end = text.firstIndex(of: "\n")
                else { return nil }
                return Fixture(path: "\(folder)/\(name)", xml: String(text[text.index(after: end)...]))
            }
        }
    }()

    static func named(_ path: String) throws -> Fixture { try #require(all.first { $0.path == path }) }
}

/// Every payload in an element, however deep, that one of our types reads; checks that it survives being written.
private func payloads(in element: Element) -> [any StanzaPayload] {
    func read<Payload: StanzaPayload>(_ type: Payload.Type) -> (any StanzaPayload)? {
        guard element.matches(type.name), let payload = Payload(element) else { return nil }
        #expect(Payload(payload.element) == payload)
        return payload
    }
    let types: [any StanzaPayload.Type] = [
        StanzaID.self, OriginID.self, Delay.self, ReceiptRequest.self, Receipt.self, RosterItem.self, Nickname.self,
        DataForm.self, DataForm.Field.self, DiscoInfo.self, DiscoIdentity.self, DiscoItem.self, SoftwareVersion.self,
        EntityTime.self, ChatState.self, PageInfo.self, ArchiveEnd.self, ArchiveMetadata.self, ArchivePreferences.self,
        DataForm.Validation.self, ContentHash.self, LastActivity.self, MarkableRequest.self, DisplayedMarker.self,
        Correction.self, Retraction.self, Tombstone.self, Reactions.self, Reply.self, Fallback.self, Reference.self,
        OutOfBandLink.self, MessageThread.self, EncryptionHint.self, Thumbnail.self, FileMetadata.self,
        SharedFile.self, SmallData.self, OccupantID.self,
        VCard.self, VCard4.self, AvatarInfo.self, AvatarMetadata.self, AvatarAnnouncement.self,
        AbuseReport.self, MovedStatement.self, MovedNotice.self,
    ]
    return types.compactMap { read($0) } + element.children.flatMap { payloads(in: $0) }
}

@Suite("Examples of the specifications")
struct FixtureTests {
    @Test("all of them are there, and each is read by some type")
    func complete() throws {
        #expect(Fixture.all.count >= 20)
        // What these hold is read as a whole, by tests of their own.
        let others = ["xep-0077", "xep-0158", "xep-0191", "xep-0280", "xep-0357"]
        for fixture in Fixture.all where !others.contains(where: { fixture.path.hasPrefix($0) }) {
            #expect(
                try !payloads(in: received(fixture.xml)).isEmpty || fixture.path.contains("composing"), "\(fixture)")
        }
    }

    @Test("messages say what their authors meant")
    func messages() throws {
        func message(_ path: String) throws -> Message { try receivedMessage(try Fixture.named(path).xml) }
        #expect(try message("xep-0085/composing.xml").chatState == .composing)
        #expect(try message("xep-0184/request.xml").requestsReceipt)
        #expect(try message("xep-0184/receipt.xml").receiptID == "richard2-4.1.247")
        #expect(try message("xep-0203/offline.xml").delay?.reason == "Offline Storage")
        #expect(try message("xep-0203/offline.xml").delay?.stamp.description == "2002-09-10T23:08:25Z")
        let stamped = try message("xep-0359/stanza-id.xml")
        #expect(stamped.stanzaID(by: try JID("room@muc.example.com")) == "5f3dbc5e-e1d3-4077-a492-693f3769c7ad")
        #expect(stamped.originID == "de305d54-75b4-431b-adb2-eb6b9e546013")
        let romeo = try JID("romeo@montague.example")
        #expect(try message("xep-0280/received.xml").carbon(for: romeo)?.direction == .received)
        #expect(try message("xep-0280/sent.xml").carbon(for: romeo)?.direction == .sent)
        #expect(try message("xep-0308/correction.xml").correctedID == "bad1")
        #expect(try message("xep-0333/displayed.xml").displayedID == "the-msg-1")
        #expect(try message("xep-0424/retraction.xml").retractedID == "wrong-recipient-1")
        #expect(try message("xep-0444/reactions.xml").reactions?.emojis == ["👋"])
        #expect(try message("xep-0461/reply.xml").reply?.id == "message-id1")
        #expect(try message("xep-0372/mention.xml").mentions(JID("juliet@capulet.lit")))
        #expect(try message("xep-0447/file.xml").sharedFiles.first?.metadata.byteCount == 3_032_449)
        #expect(try message("xep-0280/impersonation.xml").isCarbon)
        #expect(try message("xep-0280/impersonation.xml").carbon(for: romeo) == nil)
    }

    @Test("presences say what their authors meant")
    func presences() throws {
        let request = try receivedPresence(try Fixture.named("xep-0172/subscribe.xml").xml)
        #expect(request.nickname == "Ishmael")
        let delayed = try receivedPresence(try Fixture.named("xep-0203/presence.xml").xml)
        #expect(delayed.delay?.from != nil)
        let avatar = try receivedPresence(try Fixture.named("xep-0153/presence.xml").xml)
        #expect(avatar.avatar == PictureHash("01b87fcd030b72895ff8e88db57ec525450f000d").map { .picture($0) })
        #expect(try receivedPresence(try Fixture.named("xep-0153/none.xml").xml).avatar == .noPicture)
        #expect(try receivedPresence(try Fixture.named("xep-0153/not-ready.xml").xml).avatar == .notReady)
    }

    @Test("answers to requests say what their authors meant")
    func replies() throws {
        func reply(_ path: String) throws -> IQ { try receivedIQ(try Fixture.named(path).xml) }
        #expect(
            RegistrationForm(try reply("xep-0077/fields.xml"))?.fields.map(\.name) == ["username", "password", "email"])
        #expect(RegistrationForm(try reply("xep-0077/registered.xml"))?.isRegistered == true)
        #expect(
            RegistrationForm(try reply("xep-0077/form.xml"))?.fields.map(\.name)
                == ["first", "last", "email", "x-gender"])
        #expect(
            RegistrationForm(try reply("xep-0077/redirect.xml"))?.elsewhere
                == "http://www.shakespeare.lit/contests.php")
        #expect(try reply("xep-0077/conflict.xml").error?.condition == .conflict)
        let info = try #require(try reply("xep-0030/info-result.xml").payload.flatMap { DiscoInfo($0) })
        #expect(info.isKind("conference", "text") && info.features.count == 7)
        let time = try #require(try reply("xep-0202/time.xml").payload.flatMap { EntityTime($0) })
        #expect(time.offset == .seconds(-21_600))
        let version = try #require(try reply("xep-0092/version.xml").payload.flatMap { SoftwareVersion($0) })
        #expect(version.program == "Exodus")
    }

    @Test("an example that is cut anywhere gives no stanza", arguments: Fixture.all)
    func cut(_ fixture: Fixture) throws {
        let bytes = Array("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>".utf8)
        let body = Array(fixture.xml.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
        for length in 0..<body.count {
            var parser = XMLStreamParser(limits: .afterLogin)
            (bytes + body[..<length]).withUnsafeBytes { parser.append($0) }
            _ = try parser.next()
            if case .stanza(let element) = try parser.next() { Issue.record("\(length) bytes gave \(element)") }
        }
    }

    @Test(
        "an example that is damaged at random is refused or read, and what is read survives being written",
        arguments: Fixture.all)
    func mutated(_ fixture: Fixture) throws {
        let chance = SeededRandomness(seed: UInt64(fixture.path.utf8.reduce(7) { $0 &* 31 &+ Int($1) }.magnitude))
        let body = Array(fixture.xml.utf8)
        var survivors = 0
        for _ in 0..<100 {
            var bytes = body
            for _ in 0..<Int(1 + chance.fraction() * 3) {
                let place = Int(chance.fraction() * Double(bytes.count))
                switch chance.fraction() {
                case ..<0.4: bytes[place] = UInt8(0x20 + chance.fraction() * 0x5E)
                case ..<0.7: bytes.remove(at: place)
                default: bytes.insert(bytes[Int(chance.fraction() * Double(bytes.count))], at: place)
                }
            }
            guard let element = try? received(String(decoding: bytes, as: UTF8.self)) else { continue }
            survivors += 1
            _ = payloads(in: element)
            var decoder = StanzaDecoder()
            if let message = try? decoder.message(element), let own = try? JID("romeo@montague.example") {
                _ = (message.carbon(for: own), message.chatState, Message.receipt(for: message), message.delay)
                _ = (message.parts, message.styledBody, message.plainTextOfRichBody, message.forwardedMessages)
                _ = (message.bodyWithoutFallback(for: ["urn:xmpp:reply:0"]), message.corrects(message, account: own))
            }
            if let iq = try? decoder.iq(element) {
                _ = (RegistrationForm(iq), RosterFetch(iq, askedVersion: nil))
            }
        }
        #expect(survivors > 0)
    }
}
