// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite struct PortableAccountTests {
    private func account() throws -> PortableAccount {
        var card = VCard()
        card.fullName = "Ann <& Co>"
        var message = Message.chat(to: try JID("bo@example.net"), "1 < 2 & \"so\"", id: "m1")
        message.from = try JID("ann@example.org/desk")
        return PortableAccount(
            jid: try JID("ann@example.org/desk"),
            contacts: [
                RosterItem(jid: try JID("bo@example.net"), name: "Bo & Co", groups: ["Friends"], subscription: .both),
                RosterItem(jid: try JID("cy@example.net"), subscription: .from, isRequested: true, isApproved: true),
            ], requests: [try JID("dee@example.net")], card: card, blocked: [try JID("spam.example")],
            archive: [ArchivedMessage(id: "a'1", stamp: DateTime("2026-01-02T03:04:05Z"), message: message)])
    }

    private func document(_ account: PortableAccount) -> [UInt8] {
        Array((account.head + account.archive.map(PortableAccount.entry).joined() + PortableAccount.tail).utf8)
    }

    @Test("what was written is read again, with whatever characters")
    func roundTrip() throws {
        let account = try account()
        let read = try PortableAccount.read(document(account))
        let known = try #require(read.first)
        #expect(read.count == 1)
        #expect(known.jid.description == "ann@example.org")
        #expect(known.contacts == account.contacts)
        #expect(known.requests == account.requests)
        #expect(known.card?.fullName == "Ann <& Co>")
        #expect(known.blocked == account.blocked)
        let message = try #require(known.archive.first)
        #expect(message.id == "a'1")
        #expect(message.stamp == DateTime("2026-01-02T03:04:05Z"))
        #expect(message.message.body == "1 < 2 & \"so\"")
        #expect(message.message.from == (try JID("ann@example.org/desk")))
    }

    @Test("a document of a server is read: several hosts, parts that nobody knows, and names that are none")
    func foreign() throws {
        let text = """
            <?xml version='1.0' encoding='UTF-8'?>
            <server-data xmlns='urn:xmpp:pie:0'>
              <host jid='capulet.example'>
                <user name='juliet' password='s3crEt'>
                  <scram-credentials xmlns='urn:xmpp:pie:0#scram' mechanism='SCRAM-SHA-1'/>
                  <query xmlns='jabber:iq:roster'>
                    <item jid='romeo@montague.example' name='Romeo' subscription='both'><group>Friends</group></item>
                    <item jid='@' subscription='both'/>
                  </query>
                  <unknown xmlns='urn:example:other'/>
                </user>
                <user name='a@b'/>
                <user/>
              </host>
              <host jid='montague.example'><user name='romeo'/></host>
            </server-data>
            """
        let read = try PortableAccount.read(Array(text.utf8))
        #expect(read.map(\.jid.description) == ["juliet@capulet.example", "romeo@montague.example"])
        #expect(read.first?.contacts.map(\.jid.description) == ["romeo@montague.example"])
    }

    @Test(
        "what is no such document is refused",
        arguments: ["", "no XML", "<server-data/>", "<html xmlns='urn:xmpp:pie:0'></html>"])
    func refused(_ text: String) {
        #expect(throws: XMPPError.self) { try PortableAccount.read(Array(text.utf8)) }
    }

    @Test("a document that is cut anywhere is refused")
    func cut() throws {
        let whole = document(try account())
        for end in stride(from: 0, to: whole.count - 15, by: 7) {
            #expect(throws: XMPPError.self) { try PortableAccount.read(Array(whole[..<end])) }
        }
    }
}
