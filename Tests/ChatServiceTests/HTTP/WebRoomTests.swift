// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Foundation
import Testing

@testable import ChatService

@Suite struct WebRoomTests {
    @Test("A room is made, left and ended once for one key, and people are named by address or nickname")
    func calls() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let room = "/api/v1/rooms/a%40b/r%40x"
            for _ in 0..<2 {
                let made = try await browser.write("POST", "/api/v1/rooms", #"{"kind":"group","name":"Tea"}"#, key: "m")
                #expect(made.status == 201)
                #expect(try await browser.write("DELETE", room, key: "l").status == 200)
            }
            #expect(try await browser.write("DELETE", room + "?destroy=true").status == 200)
            for (target, body, status) in [
                ("c%40d", #"{"affiliation":"outcast"}"#, 200), ("c%40d", #"{"affiliation":"none"}"#, 200),
                ("Bo?nick=true", #"{"role":"none","reason":"r"}"#, 200), ("c%40d", #"{"role":"king"}"#, 400),
                ("c%40d", #"{"role":"none","affiliation":"none"}"#, 400), ("c%40d", "{}", 400),
            ] {
                let reply = try await browser.write("PATCH", "\(room)/members/\(target)", body)
                #expect(reply.status == status, "\(target) \(body)")
            }
            #expect(try await browser.write("POST", room + "/invitations", #"{"addresses":[]}"#).status == 400)
            #expect(
                fixture.core.calls == [
                    "createRoom Tea", "leaveRoom r@x", "destroyRoom r@x", "changeMember r@x c@d ban",
                    "changeMember r@x c@d none", "changeMember r@x Bo kick",
                ])
        }
    }

    @Test("Channels are found by words of their names and addresses")
    func channels() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let target = "/api/v1/accounts/a%40b/channels"
            #expect(try await browser.get(target).body == #"{"channels":[{"address":"tea@rooms","name":"Tea"}]}"#)
            #expect(try await browser.get(target + "?q=ROOMS%20te").body.contains("tea@rooms"))
            #expect(try await browser.get(target + "?q=coffee").body == #"{"channels":[]}"#)
            #expect(try await browser.get(target + "?where=s.example").status == 200)
            #expect(fixture.core.calls.last == "findRooms s.example")
        }
    }

    @Test("Taking back somebody else's message is a moderator's doing, one's own is not")
    func moderation() async throws {
        let core = FakeChatClient()
        core.set { state in
            state.history = [
                FakeChatClient.incoming(4),
                FakeChatClient.message(SendRequest(conversation: "r@x", body: "mine", key: "k"), .acknowledged),
            ]
        }
        try await WebFixture.with(core: core) { fixture in
            let browser = try await fixture.browser()
            #expect(try await browser.write("POST", "/api/v1/messages/4/retraction", #"{"reason":"r"}"#).status == 200)
            #expect(try await browser.write("POST", "/api/v1/messages/1/retraction", "{}").status == 200)
            #expect(core.calls.filter { !$0.hasPrefix("details") } == ["moderate 4", "retract 1"])
        }
    }
}
