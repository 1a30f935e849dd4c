// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Questions of a session to others", .timeLimit(.minutes(1)))
struct XMPPSessionDiscoTests {
    func answer(_ online: OnlineSession, _ payload: String, from: String? = nil, type: String = "result") async
        -> Element?
    {
        let get = await online.peer.expect("iq")
        let from = (from ?? get?["to"]).map { "from='\($0)'" } ?? ""
        online.peer.inject("<iq type='\(type)' id='\(get?["id"] ?? "")' \(from)>\(payload)</iq>")
        return get
    }

    @Test("the own server is asked for what it can do, and for its services")
    func server() async throws {
        let online = try await OnlineSession()
        async let info = online.session.discoverServer()
        let get = await answer(
            online,
            "<query xmlns='http://jabber.org/protocol/disco#info'><identity category='server' type='im'/>"
                + "<feature var='urn:xmpp:carbons:2'/></query>")
        #expect(get?["to"] == "example.org")
        #expect(try await info.supports("urn:xmpp:carbons:2"))
        let domain = try JID("example.org")
        async let items = online.session.discoverItems(of: domain)
        _ = await answer(
            online,
            "<query xmlns='http://jabber.org/protocol/disco#items'><item jid='conference.example.org' name='Rooms'/>"
                + "<item jid='@'/></query>")
        #expect(try await items == [DiscoItem(jid: JID("conference.example.org"), name: "Rooms")])
        await online.end()
    }

    @Test("OF20 a question without address is answered by the account; versions are asked of full addresses")
    func whoAnswers() async throws {
        let online = try await OnlineSession()
        async let info = online.session.discoverInfo()
        let get = await answer(
            online, "<query xmlns='http://jabber.org/protocol/disco#info'/>", from: "juliet@example.org")
        #expect(get?["to"] == nil)
        #expect(try await info.features.isEmpty)
        let romeo = try JID("romeo@example.net/orchard")
        async let version = online.session.softwareVersion(of: romeo)
        let asked = await answer(
            online, "<query xmlns='jabber:iq:version'><name>Psi</name><version>1.5</version><os>BeOS</os></query>")
        #expect(asked?["to"] == "romeo@example.net/orchard")
        #expect(try await version == SoftwareVersion(program: "Psi", version: "1.5", system: "BeOS"))
        await online.end()
    }

    @Test(
        "OF20 refusals of the domain, of a bare address and of an unknown user are told apart by their condition",
        arguments: [("example.org", "feature-not-implemented", 501), ("romeo@example.org", "service-unavailable", 503)])
    func refusals(_ address: String, _ condition: String, _ code: Int) async throws {
        let online = try await OnlineSession()
        let jid = try JID(address)
        async let outcome: XMPPError? = {
            do {
                _ = try await online.session.entityTime(of: jid)
                return nil
            } catch { return error as? XMPPError }
        }()
        _ = await answer(
            online,
            "<time xmlns='urn:xmpp:time'/><error code='\(code)' type='cancel'>"
                + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>", type: "error")
        #expect(await outcome?.stanzaError?.condition.name == condition)
        await online.end()
    }

    @Test("an answer that is none is told")
    func nonsense() async throws {
        let online = try await OnlineSession()
        let jid = try JID("example.org")
        for ask in [
            { _ = try await online.session.discoverInfo(of: jid) },
            { _ = try await online.session.discoverItems(of: jid) },
            { _ = try await online.session.softwareVersion(of: jid) },
            { _ = try await online.session.entityTime(of: jid) },
        ] as [@Sendable () async throws -> Void] {
            async let outcome: XMPPError? = {
                do {
                    try await ask()
                    return nil
                } catch { return error as? XMPPError }
            }()
            _ = await answer(online, "<x xmlns='urn:example:odd'/>")
            #expect(await outcome?.code == .invalidReply)
        }
        await online.end()
    }
}
