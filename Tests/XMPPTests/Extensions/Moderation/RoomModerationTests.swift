// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Messages that moderators take away (XEP-0425)", .timeLimit(.minutes(1)))
struct RoomModerationTests {
    static let room = OnlineSession.room
    static let current = """
        <retract id='s1' xmlns='urn:xmpp:message-retract:1'><moderated by='\(room)/eli' xmlns='urn:xmpp:message-moderate:1'>\
        <occupant-id xmlns='urn:xmpp:occupant-id:0' id='dd72'/></moderated><reason>spam</reason></retract>
        """
    static let legacy = """
        <apply-to id='s1' xmlns='urn:xmpp:fasten:0'><moderated by='\(room)/eli' xmlns='urn:xmpp:message-moderate:0'>\
        <retract xmlns='urn:xmpp:message-retract:0'/><reason>spam</reason></moderated></apply-to>
        """
    /// As ejabberd 24.12 says it.
    static let beside = """
        <retract id='s1' xmlns='urn:xmpp:message-retract:1'><reason xmlns='urn:xmpp:message-moderate:1'>spam</reason>\
        <moderated by='\(room)/eli' xmlns='urn:xmpp:message-moderate:1'/></retract>
        """

    func moderation(_ content: String, from: String = room, type: String = "groupchat") throws -> RoomModeration? {
        try receivedMessage("<message from='\(from)' type='\(type)'>\(content)</message>").moderation
    }

    @Test("both forms are read")
    func forms() throws {
        let eli = try JID("\(Self.room)/eli")
        #expect(
            try moderation(Self.current)
                == RoomModeration(stanzaID: "s1", moderator: eli, occupantID: "dd72", reason: "spam"))
        #expect(try moderation(Self.beside) == RoomModeration(stanzaID: "s1", moderator: eli, reason: "spam"))
        #expect(try moderation(Self.legacy) == RoomModeration(stanzaID: "s1", moderator: eli, reason: "spam"))
        #expect(try moderation("<retract id='s1' xmlns='urn:xmpp:message-retract:1'/>") == nil)
        #expect(
            try moderation(
                "<apply-to id='s1' xmlns='urn:xmpp:fasten:0'><moderated xmlns='urn:xmpp:message-moderate:0'/></apply-to>"
            ) == nil)
    }

    @Test("T119 only the room itself takes away", arguments: [current, legacy])
    func forged(_ content: String) throws {
        #expect(try moderation(content, from: Self.room + "/eli") == nil)
        #expect(try moderation(content, from: "bo@example.org/x") == nil)
        #expect(try moderation(content, from: "rooms.example.org") == nil)
        #expect(try moderation(content, type: "chat") == nil)
        #expect(try moderation(content, type: "error") == nil)
        #expect(try moderation(content) != nil)
    }

    @Test("an archive keeps what stands in the place of the message, in both forms")
    func tombstones() throws {
        let present = try receivedMessage(
            """
            <message type='groupchat' from='\(Self.room)/oldhag'><retracted stamp='2019-09-20T23:19:12Z' \
            xmlns='urn:xmpp:message-retract:1'><moderated by='\(Self.room)/eli' xmlns='urn:xmpp:message-moderate:1'/>\
            <reason>spam</reason></retracted></message>
            """)
        let old = try receivedMessage(
            """
            <message type='groupchat' from='\(Self.room)/oldhag'><moderated by='\(Self.room)/eli' \
            xmlns='urn:xmpp:message-moderate:0'><retracted stamp='2019-09-20T23:19:12Z' \
            xmlns='urn:xmpp:message-retract:0'/><reason>spam</reason></moderated></message>
            """)
        let expected = RoomModeration(stanzaID: "s1", moderator: try JID("\(Self.room)/eli"), reason: "spam")
        #expect(present.moderationTombstone(stanzaID: "s1") == expected)
        #expect(old.moderationTombstone(stanzaID: "s1") == expected)
        #expect(
            try receivedMessage("<message type='groupchat' from='\(Self.room)/x'><body/></message>")
                .moderationTombstone(stanzaID: "s1") == nil)
    }

    @Test("the room is asked in the form that it announces, the present one where it knows both")
    func request() async throws {
        for (features, isCurrent) in [
            (["urn:xmpp:message-moderate:1", "urn:xmpp:message-moderate:0"], true),
            (["urn:xmpp:message-moderate:0"], false),
        ] {
            let online = try await OnlineSession()
            let room = try await online.join("bo", features: features)
            async let done: Void = room.moderate("s1", reason: "spam")
            let iq = try #require(await online.answer())
            let payload = try #require(iq.children.first)
            #expect(iq["to"] == Self.room && iq["type"] == "set" && payload["id"] == "s1")
            if isCurrent {
                #expect(payload.matches(XMLName("moderate", "urn:xmpp:message-moderate:1")))
                #expect(payload.children.map(\.localName) == ["retract", "reason"])
                #expect(payload.children.first?.namespace == "urn:xmpp:message-retract:1")
            } else {
                #expect(payload.matches(XMLName("apply-to", "urn:xmpp:fasten:0")))
                let inner = payload.child(XMLName("moderate", "urn:xmpp:message-moderate:0"))
                #expect(inner?.children.map(\.localName) == ["retract", "reason"])
                #expect(inner?.children.first?.namespace == "urn:xmpp:message-retract:0")
            }
            try await done
            await online.end()
        }
    }

    @Test("T119 in a room the event is the room's alone, and a room that cannot do it is not asked")
    func event() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("eli")
        let events = room.events()
        online.says("eli", Self.current)
        online.says(nil, Self.current)
        var told: [RoomModeration] = []
        for await event in events {
            if case .moderated(let moderation) = event {
                told.append(moderation)
                break
            }
        }
        #expect(told.map(\.stanzaID) == ["s1"])
        #expect(await failure { try await room.moderate("s1") }?.code == .notSupported)
        await online.end()
    }
}
