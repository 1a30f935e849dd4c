// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Testing
import XMPP

@Suite("The choice of a mechanism")
struct SASLMechanismTests {
    let tls13 = ChannelBindings(isTLS13: true, data: [.exporter: [1], .serverEndPoint: [2], .unique: [3]])
    let tls12 = ChannelBindings(isTLS13: false, data: [.serverEndPoint: [2], .unique: [3]])

    func choose(
        _ offered: [String], _ announced: [String]? = nil, _ available: ChannelBindings?,
        _ change: (inout MechanismChoice.Policy) -> Void = { _ in }
    ) -> String {
        var policy = MechanismChoice.Policy()
        change(&policy)
        do {
            let choice = try MechanismChoice.choose(
                offered: offered, channelBindings: announced, available: available, policy: policy)
            return "\(choice.mechanism.name) \(choice.binding.header)"
        } catch { return error.code.rawValue }
    }

    @Test("B39 only usable mechanisms compete, strongest first")
    func strongestUsable() {
        #expect(choose(["PLAIN", "SCRAM-SHA-1", "EXTERNAL", "DIGEST-MD5"], nil, tls13) == "SCRAM-SHA-1 y,,")
        #expect(choose(["SCRAM-SHA-1", "SCRAM-SHA-512", "SCRAM-SHA-256"], nil, tls13) == "SCRAM-SHA-512 y,,")
        #expect(choose(["X", ""], nil, tls13) == "noUsableMechanism")
        #expect(choose([], nil, tls13) == "noUsableMechanism")
    }

    @Test("OF08 the announced type that both have is taken, exporter first")
    func announcedTypes() {
        let offer = ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"]
        #expect(choose(offer, ["tls-server-end-point", "tls-exporter"], tls13) == "SCRAM-SHA-1-PLUS p=tls-exporter,,")
        #expect(choose(offer, ["tls-server-end-point"], tls13) == "SCRAM-SHA-1-PLUS p=tls-server-end-point,,")
    }

    @Test("T033 y without -PLUS on offer, n with -PLUS and no usable type")
    func flags() {
        #expect(choose(["SCRAM-SHA-256"], nil, tls13) == "SCRAM-SHA-256 y,,")
        #expect(choose(["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"], nil, tls13) == "SCRAM-SHA-256 n,,")
        #expect(choose(["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"], ["x-other"], tls13) == "SCRAM-SHA-256 n,,")
        #expect(choose(["SCRAM-SHA-256"], nil, nil) == "SCRAM-SHA-256 n,,")
    }

    @Test("T033 T034 inside a WebSocket nothing is bound, with n, and an account that was bound is told why not")
    func webSocket() {
        var inside = ChannelBindings(isTLS13: true, data: [:])
        inside.isWebSocket = true
        let offer = ["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"]
        #expect(choose(offer, ["tls-server-end-point"], inside) == "SCRAM-SHA-256 n,,")
        #expect(choose(["SCRAM-SHA-256"], nil, inside) == "SCRAM-SHA-256 n,,")
        var policy = MechanismChoice.Policy()
        policy.requiresBinding = true
        do {
            _ = try MechanismChoice.choose(
                offered: offer, channelBindings: ["tls-exporter"], available: inside, policy: policy)
            Issue.record("an unbound login was chosen")
        } catch {
            #expect(error.code == .downgraded)
            #expect(error.description.contains("inside a WebSocket"))
        }
        // The list of types says nothing there: what it lacks needs no proof.
        let bare = MechanismChoice.Offer(mechanisms: offer, channelBindings: ["tls-exporter"], isSASL2: true)
        #expect((try? MechanismChoice.choose(bare, available: inside, policy: .init()))?.requiresProtection == false)
    }

    @Test("T035 tls-unique is never used on TLS 1.3, and is on TLS 1.2")
    func unique() {
        let offer = ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"]
        #expect(choose(offer, ["tls-unique"], tls13) == "SCRAM-SHA-1 n,,")
        #expect(choose(offer, nil, tls12) == "SCRAM-SHA-1-PLUS p=tls-unique,,")
        #expect(choose(offer, ["tls-unique"], tls12) == "SCRAM-SHA-1-PLUS p=tls-unique,,")
    }

    @Test("T033 T034 an account that was bound before never falls back")
    func pinned() {
        let pin: (inout MechanismChoice.Policy) -> Void = { $0.requiresBinding = true }
        #expect(choose(["SCRAM-SHA-256"], nil, tls13, pin) == "downgraded")
        #expect(choose(["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"], ["x-other"], tls13, pin) == "downgraded")
        #expect(
            choose(["PLAIN"], nil, tls13) { policy in
                policy.requiresBinding = true
                policy.permitsPlain = true
            } == "downgraded")
        #expect(
            choose(["SCRAM-SHA-1-PLUS"], ["tls-exporter"], tls13, pin) == "SCRAM-SHA-1-PLUS p=tls-exporter,,")
    }

    @Test("T031 PLAIN needs consent, a password and TLS")
    func plain() {
        #expect(choose(["PLAIN"], nil, tls13) == "noUsableMechanism")
        #expect(choose(["PLAIN"], nil, tls13) { $0.permitsPlain = true } == "PLAIN n,,")
        #expect(choose(["PLAIN"], nil, nil) { $0.permitsPlain = true } == "noUsableMechanism")
        #expect(choose(["PLAIN", "SCRAM-SHA-1"], nil, tls13) { $0.permitsPlain = true } == "SCRAM-SHA-1 y,,")
    }

    @Test("stored keys permit their own hash only")
    func storedKeys() {
        let keys: (inout MechanismChoice.Policy) -> Void = {
            $0.hasPassword = false
            $0.storedHash = .sha256
        }
        #expect(choose(["SCRAM-SHA-512", "SCRAM-SHA-256"], nil, tls13, keys) == "SCRAM-SHA-256 y,,")
        #expect(choose(["SCRAM-SHA-1"], nil, tls13, keys) == "passwordNeeded")
    }
}
