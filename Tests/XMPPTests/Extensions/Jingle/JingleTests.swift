// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import XMPP
import XMPPTesting

@Suite("Jingle (XEP-0166, XEP-0234, XEP-0261)")
struct JingleTests {
    static let file = JingleFile(
        FileMetadata(
            name: "test.txt", mediaType: "text/plain", byteCount: 6144, hashes: [.sha256(of: [1])],
            date: DateTime("2015-07-26T20:46:00Z")))
    static let content = JingleContent(
        name: "a-file", description: .file(file), transport: .inBand(sid: "s", blockSize: 4096))

    static func step(_ action: Jingle.Action, _ transport: JingleContent.Transport?, name: String = "a-file") -> Jingle
    {
        Jingle(action, sid: "j", contents: [JingleContent(name: name, description: nil, transport: transport)])
    }

    @Test("the steps are written and read")
    func roundTrips() throws {
        var initiate = Jingle(.sessionInitiate, sid: "j", contents: [Self.content])
        initiate.initiator = try JID("romeo@montague.example/orchard")
        try roundTrip(initiate)
        try roundTrip(Jingle(.sessionTerminate, sid: "j", reason: JingleReason("decline", text: "no & never")))
        try roundTrip(Jingle(.sessionInfo, sid: "j", information: .checksum([.sha256(of: [1])])))
        try roundTrip(Jingle(.sessionInfo, sid: "j", information: .received))
        try roundTrip(Jingle(.sessionInfo, sid: "j"))
        try roundTrip(Self.file)
        for part in [FilePart(), FilePart(offset: 270_336), FilePart(offset: 2048, count: 1024)] {
            var file = Self.file
            file.range = part
            try roundTrip(file)
        }
        for text in ["offset='-1'", "offset='x'", "length='99999999999999999999'"] {
            #expect(FilePart(try received("<range \(text)/>")) == nil)
        }
    }

    @Test(
        "T157 a step that breaks the rules is refused",
        arguments: [
            "sid='j'", "action='session-initiate'", "action='x' sid='j'", "action='session-initiate' sid=''",
            "action='session-initiate' sid='j'><content creator='initiator'/",
        ])
    func refused(_ attributes: String) throws {
        let end = attributes.contains(">") ? "></jingle>" : "/>"
        #expect(Jingle(try received("<jingle xmlns='urn:xmpp:jingle:1' \(attributes)\(end)")) == nil)
    }

    @Test("other applications and transports are told apart, and addresses in them are not kept")
    func others() throws {
        let xml = """
            <jingle xmlns='urn:xmpp:jingle:1' action='session-initiate' sid='j'><content creator='initiator' name='c'>\
            <description xmlns='urn:xmpp:jingle:apps:rtp:1'/><transport xmlns='urn:xmpp:jingle:transports:s5b:1' sid='x'>\
            <candidate cid='1' host='10.0.0.1' jid='a@b' port='80' priority='1'/></transport></content></jingle>
            """
        let content = try #require(Jingle(try received(xml))?.contents.first)
        #expect(content.description == .other(XMLName("description", "urn:xmpp:jingle:apps:rtp:1")))
        #expect(content.transport == .other(XMLName("transport", "urn:xmpp:jingle:transports:s5b:1")))
        #expect(content.senders == "both")
    }

    func initiator() -> JingleStateMachine { JingleStateMachine(.initiator, sid: "j", content: Self.content) }
    func responder(_ transport: JingleContent.Transport = .inBand(sid: "s", blockSize: 4096)) -> JingleStateMachine {
        var content = Self.content
        content.transport = transport
        return JingleStateMachine(.responder, sid: "j", content: content)
    }

    @Test("an offer is accepted, perhaps with smaller blocks, and ends when the other side says so")
    func accepted() throws {
        var machine = initiator()
        let own = try JID("romeo@montague.example/orchard")
        #expect(machine.initiate(from: own).initiator == own)
        let accept = Self.step(.sessionAccept, .inBand(sid: "s", blockSize: 2048))
        #expect(machine.received(accept) == .acknowledge([.accepted(sid: "s", blockSize: 2048)]))
        #expect(machine.received(accept) == .refuse(JingleStateMachine.outOfOrder))
        #expect(machine.received(Jingle(.sessionInfo, sid: "j", information: .received)) == .acknowledge([.received]))
        let end = Jingle(.sessionTerminate, sid: "j", reason: .success)
        #expect(machine.received(end) == .acknowledge([.ended(.success)]))
        #expect(machine.received(end) == .refuse(JingleStateMachine.unknownSession))
        #expect(machine.terminate(.success) == nil)
    }

    @Test(
        "T157 an answer with another transport, another name or larger blocks is refused",
        arguments: [
            JingleTests.step(.sessionAccept, .inBand(sid: "t", blockSize: 2048)),
            JingleTests.step(.sessionAccept, .inBand(sid: "s", blockSize: 8192)),
            JingleTests.step(.sessionAccept, .inBand(sid: "s", blockSize: 2048), name: "b"),
            JingleTests.step(.sessionAccept, .other(XMLName("transport", "urn:xmpp:jingle:transports:s5b:1"))),
            JingleTests.step(.sessionAccept, nil), Jingle(.sessionAccept, sid: "j"),
        ])
    func badAccept(_ accept: Jingle) {
        var machine = initiator()
        #expect(machine.received(accept) == .refuse(StanzaError(.badRequest, kind: .cancel)))
        #expect(machine.phase == .pending)
    }

    @Test("whoever answers accepts or declines once, and does not take steps of the one who begins")
    func responding() throws {
        let own = try JID("juliet@capulet.example/balcony")
        var machine = responder()
        #expect(
            machine.received(Self.step(.sessionAccept, .inBand(sid: "s", blockSize: 1)))
                == .refuse(JingleStateMachine.outOfOrder))
        let accept = machine.accept(as: own)
        #expect(accept?.action == .sessionAccept && accept?.responder == own)
        #expect(machine.accept(as: own) == nil)
        #expect(
            machine.received(Jingle(.sessionInfo, sid: "j", information: .checksum([.sha256(of: [1])])))
                == .acknowledge([.checksum([.sha256(of: [1])])]))
        #expect(machine.terminate(.decline)?.reason == .decline)
        #expect(machine.terminate(.decline) == nil)
    }

    @Test("T157 an offer with hosts to connect to is answered with another way, and nothing else is done with them")
    func replacing() throws {
        let own = try JID("juliet@capulet.example/balcony")
        var machine = responder(.other(XMLName("transport", "urn:xmpp:jingle:transports:s5b:1")))
        #expect(machine.accept(as: own) == nil)
        let replace = machine.replaceTransport(sid: "n", blockSize: 4096)
        #expect(replace?.contents.first?.transport == .inBand(sid: "n", blockSize: 4096))
        #expect(
            machine.received(Self.step(.transportAccept, .inBand(sid: "x", blockSize: 4096)))
                == .refuse(JingleStateMachine.outOfOrder))
        #expect(
            machine.received(Self.step(.transportAccept, .inBand(sid: "n", blockSize: 1024)))
                == .acknowledge([.replaced]))
        #expect(machine.accept(as: own)?.contents.first?.transport == .inBand(sid: "n", blockSize: 1024))

        var refused = responder(.other(XMLName("transport", "urn:xmpp:jingle:transports:s5b:1")))
        _ = refused.replaceTransport(sid: "n", blockSize: 4096)
        guard case .acknowledge(let effects) = refused.received(Self.step(.transportReject, nil)) else {
            Issue.record("no effect")
            return
        }
        #expect(effects.last == .ended(.unsupportedTransports) && refused.phase == .ended)
    }

    @Test("another way that the other side wants is taken only inside the stream")
    func replaced() {
        var machine = initiator()
        let other = Self.step(.transportReplace, .other(XMLName("transport", "urn:xmpp:jingle:transports:s5b:1")))
        guard case .acknowledge(let no) = machine.received(other), case .send(let reject)? = no.first,
            case .acknowledge(let yes) = machine.received(
                Self.step(.transportReplace, .inBand(sid: "n", blockSize: 512))),
            case .send(let accept)? = yes.first
        else {
            Issue.record("no answer")
            return
        }
        #expect(reject.action == .transportReject && accept.action == .transportAccept)
        #expect(
            machine.received(Self.step(.sessionAccept, .inBand(sid: "n", blockSize: 512)))
                == .acknowledge([.accepted(sid: "n", blockSize: 512)]))
    }

    @Test("what is not known is refused, and does no harm")
    func unknown() {
        var machine = initiator()
        for action in [Jingle.Action.contentAdd, .contentRemove, .securityInfo, .contentModify] {
            guard case .refuse(let error) = machine.received(Jingle(action, sid: "j")) else {
                Issue.record("\(action) was taken")
                continue
            }
            #expect(error.condition == .featureNotImplemented)
        }
        #expect(machine.received(Jingle(.transportInfo, sid: "j")) == .acknowledge([]))
        #expect(machine.received(Jingle(.sessionInfo, sid: "j")) == .acknowledge([]))
        guard
            case .refuse(let error) = machine.received(
                Jingle(.sessionInfo, sid: "j", information: .other(XMLName("ringing", "urn:x"))))
        else {
            Issue.record("it was taken")
            return
        }
        #expect(error.application?.localName == "unsupported-info")
        #expect(machine.phase == .pending)
    }
}
