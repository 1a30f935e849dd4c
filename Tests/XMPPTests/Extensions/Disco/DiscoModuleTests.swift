// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("The answers of a session to everybody's questions", .timeLimit(.minutes(1)))
struct DiscoModuleTests {
    static let info = "http://jabber.org/protocol/disco#info"

    func ask(_ online: OnlineSession, _ payload: String, from: String = "bo@example.org/p", type: String = "get") async
        -> Element?
    {
        online.peer.inject("<iq type='\(type)' id='q7' from='\(from)' to='juliet@example.org/balcony'>\(payload)</iq>")
        let answer = await online.peer.expect("iq")
        #expect(answer?["id"] == "q7")
        #expect(answer?["to"] == from)
        return answer
    }

    func condition(_ answer: Element?) -> String? {
        answer?["type"] == "error" ? answer?.child(XMLName("error", "jabber:client"))?.children.first?.localName : nil
    }

    @Test("the features of all modules are announced, each once")
    func features() async throws {
        let online = try await OnlineSession { $0.modules += [ReceiptsModule(), ChatStatesModule(), PingModule()] }
        let answer = await ask(online, "<query xmlns='\(Self.info)'/>")
        let info = try #require(answer?.children.first.flatMap { DiscoInfo($0) })
        #expect(info.isKind("client", "pc"))
        #expect(
            info.features == [
                "http://jabber.org/protocol/disco#info", "http://jabber.org/protocol/disco#items", "urn:xmpp:ping",
                "http://jabber.org/protocol/caps", "urn:xmpp:caps",
                "jabber:iq:version", "urn:xmpp:time", "urn:xmpp:receipts", "http://jabber.org/protocol/chatstates",
            ])
        await online.end()
    }

    @Test("each announced feature belongs to a specification that doap.xml lists")
    func doap() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../doap.xml")
        let doap = try String(contentsOf: root.standardized, encoding: .utf8)
        let owners = [
            "http://jabber.org/protocol/disco#info": "0030", "http://jabber.org/protocol/disco#items": "0030",
            "urn:xmpp:ping": "0199", "jabber:iq:version": "0092", "urn:xmpp:time": "0202", "urn:xmpp:receipts": "0184",
            "http://jabber.org/protocol/chatstates": "0085", "http://jabber.org/protocol/caps": "0115",
            "urn:xmpp:caps": "0390", "urn:xmpp:chat-markers:0": "0333", "urn:xmpp:message-correct:0": "0308",
            "urn:xmpp:message-retract:1": "0424", "urn:xmpp:reactions:0": "0444", "urn:xmpp:reply:0": "0461",
            "urn:xmpp:fallback:0": "0428", "urn:xmpp:styling:0": "0393", "urn:xmpp:bob": "0231",
            "jabber:iq:last": "0012",
        ]
        let modules: [any SessionModule] =
            SessionConfiguration.defaultModules + [
                ReceiptsModule(), ChatStatesModule(), CarbonsModule(), CapabilitiesModule(), MarkersModule(),
                CorrectionsModule(), RetractionsModule(), ReactionsModule(), RepliesModule(), FallbackModule(),
                StylingModule(), SmallDataModule { _, _ in nil }, LastActivityModule { nil },
            ]
        for feature in modules.flatMap(\.features) {
            let number = try #require(owners[feature], "\(feature) is announced by nobody's specification")
            #expect(doap.contains("xep-\(number).html"), "\(feature)")
        }
    }

    @Test("OF28 B57 the server's question about our node with a version is answered with the same node")
    func node() async throws {
        let online = try await OnlineSession {
            $0.modules = [DiscoModule(node: "https://example.org/apus"), VersionModule()]
        }
        let node = "https://example.org/apus#QgayPKawpkPSDYmwT/WM94uAlu0="
        let answer = await ask(online, "<query xmlns='\(Self.info)' node='\(node)'/>", from: "example.org")
        let info = try #require(answer?.children.first.flatMap { DiscoInfo($0) })
        #expect(info.node == node && info.supports("jabber:iq:version"))
        await online.end()
    }

    @Test("a node that is not ours does not exist")
    func unknownNode() async throws {
        let online = try await OnlineSession()
        #expect(condition(await ask(online, "<query xmlns='\(Self.info)' node='x'/>")) == "item-not-found")
        let items = "<query xmlns='http://jabber.org/protocol/disco#items' node='http://jabber.org/protocol/commands'/>"
        #expect(condition(await ask(online, items)) == "item-not-found")
        await online.end()
    }

    @Test("nothing belongs to us, and nothing can be set")
    func items() async throws {
        let online = try await OnlineSession()
        let answer = await ask(online, "<query xmlns='http://jabber.org/protocol/disco#items'/>")
        #expect(answer?["type"] == "result" && answer?.children.first?.children.isEmpty == true)
        #expect(condition(await ask(online, "<query xmlns='\(Self.info)'/>", type: "set")) == "service-unavailable")
        await online.end()
    }

    @Test("OF28 the server's question about the version is answered")
    func version() async throws {
        let online = try await OnlineSession()
        let answer = await ask(online, "<query xmlns=\"jabber:iq:version\"/>", from: "example.org")
        let version = answer?.children.first.flatMap { SoftwareVersion($0) }
        #expect(version?.program == "Apus" && version?.system == nil)
        #expect(condition(await ask(online, "<query xmlns=\"jabber:iq:version\"/>", type: "set")) == "not-allowed")
        await online.end()
    }

    @Test("B59 a question about the time gets exactly one answer")
    func time() async throws {
        let stamp = try #require(DateTime("2031-03-04T05:06:07.25Z"))
        let online = try await OnlineSession {
            $0.modules = [PingModule(), EntityTimeModule(offset: .seconds(-16_200), now: { stamp })]
        }
        let answer = await ask(online, "<time xmlns='urn:xmpp:time'/>")
        let time = answer?.children.first
        #expect(time?.child(XMLName("tzo", "urn:xmpp:time"))?.text == "-04:30")
        #expect(time?.child(XMLName("utc", "urn:xmpp:time"))?.text == "2031-03-04T05:06:07Z")
        await online.settle()
        #expect(!online.peer.writtenText.contains("service-unavailable"))
        await online.end()
    }

    @Test("B57 an unknown request is refused with the same id, a ping of the server gets an empty result")
    func unknown() async throws {
        let online = try await OnlineSession()
        #expect(condition(await ask(online, "<x xmlns='urn:example:odd'/>")) == "service-unavailable")
        let ping = await ask(online, "<ping xmlns='urn:xmpp:ping'/>", from: "example.org")
        #expect(ping?["type"] == "result" && ping?.children.isEmpty == true)
        await online.end()
    }

    @Test(
        "B60 T072 what is no request gets no answer, and the stream lives",
        arguments: [
            "<iq from='bo@example.org/p' id='d1'><x xmlns='urn:example:odd'/></iq>",
            "<iq type='bogus' from='bo@example.org/p' id='d1'><x xmlns='urn:example:odd'/></iq>",
            "<iq type='get' from='bo@example.org/p'><x xmlns='urn:example:odd'/></iq>",
            "<iq type='set' from='bo@example.org/p' id=''><x xmlns='urn:example:odd'/></iq>",
            "<iq type='result' from='bo@example.org/p' id='d1'><x xmlns='urn:example:odd'/></iq>",
            "<iq type='error' from='bo@example.org/p' id='d1'><x xmlns='urn:example:odd'/></iq>",
        ])
    func noRequest(_ xml: String) async throws {
        let online = try await OnlineSession()
        online.peer.inject(xml)
        online.peer.inject("<iq type='get' id='p9' from='example.org'><ping xmlns='urn:xmpp:ping'/></iq>")
        #expect(await online.peer.expect("iq")?["id"] == "p9")
        await online.end()
    }

    @Test(
        "T072 a request without or with two payloads is a bad request",
        arguments: ["", "<ping xmlns='urn:xmpp:ping'/><ping xmlns='urn:xmpp:ping'/>"])
    func payloads(_ xml: String) async throws {
        let online = try await OnlineSession()
        #expect(condition(await ask(online, xml)) == "bad-request")
        #expect(condition(await ask(online, xml, type: "set")) == "bad-request")
        await online.end()
    }

    @Test("T072 whoever asks without reading the answers does not fill our memory")
    func flood() async throws {
        let online = try await OnlineSession()
        let request = "<iq type='get' id='f' from='mal@example.net/x'><x xmlns='urn:example:odd'/></iq>"
        let before = online.peer.written.count
        online.peer.inject(String(repeating: request, count: 20_000))
        online.peer.inject("<message from='bo@example.org/p'><body>end</body></message>")
        var iterator = online.session.messages().makeAsyncIterator()
        online.peer.inject("<message from='bo@example.org/p'><body>end</body></message>")
        _ = try await iterator.next()
        #expect(await online.session.droppedStanzas > 0)
        #expect(online.peer.written.count - before < 20_000 * 150)
        await online.end()
    }
}
