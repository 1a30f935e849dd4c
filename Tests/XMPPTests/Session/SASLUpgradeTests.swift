// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Testing
import XMPP
import XMPPTesting

@Suite("A better hash of the password", .timeLimit(.minutes(1)))
struct SASLUpgradeTests {
    static let offer = ScriptedPeer.sasl2(tokens: nil, upgrades: ["UPGR-SCRAM-SHA-256"])

    /// Runs a login whose server asks for the upgrade with this `<salt/>`.
    static func upgrade(
        _ login: FastLogin, salt: String, task: String = "UPGR-SCRAM-SHA-256", then: (ScriptedPeer) async -> Void
    ) async -> XMPPError? {
        await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(offer)
            let (request, proof) = await peer.provingSCRAM()
            #expect(request?.children.first { $0.localName == "upgrade" }?.text == "UPGR-SCRAM-SHA-256")
            peer.inject(
                "<continue xmlns='urn:xmpp:sasl:2'><additional-data>\(proof)</additional-data>"
                    + "<tasks><task>\(task)</task></tasks></continue>")
            guard task == "UPGR-SCRAM-SHA-256" else { return await then(peer) }
            #expect(await peer.expect("next")?["task"] == task)
            peer.inject("<task-data xmlns='urn:xmpp:sasl:2'>\(salt)</task-data>")
            await then(peer)
        }
    }

    @Test("the server gets the salted password of a login that was bound to its channel")
    func upgrades() async throws {
        let login = try FastLogin { configuration, _ in configuration.upgradesPasswords = true }
        let error = await Self.upgrade(
            login, salt: "<salt xmlns='urn:xmpp:scram-upgrade:0' iterations='4096'>c2FsdHNhbHQ=</salt>"
        ) { peer in
            let data = await peer.expect("task-data")
            let wanted = pbkdf2(
                .sha256, password: Array("secret".utf8), salt: Array("saltsalt".utf8), iterations: 4096)
            #expect(data?.children.first { $0.localName == "hash" }?.text == base64(wanted))
            peer.inject("<success xmlns='urn:xmpp:sasl:2'>\(ScriptedPeer.bound())</success>")
        }
        #expect(error == nil)
        #expect(await login.session.derivedKeys?.hashName == "SHA-256")
        await login.leave()
    }

    @Test(
        "T046 a weak hash, and one without end, is not made",
        arguments: [
            "<salt xmlns='urn:xmpp:scram-upgrade:0' iterations='4095'>c2FsdA==</salt>",
            "<salt xmlns='urn:xmpp:scram-upgrade:0' iterations='500001'>c2FsdA==</salt>",
            "<salt xmlns='urn:xmpp:scram-upgrade:0' iterations='-1'>c2FsdA==</salt>",
            "<salt xmlns='urn:xmpp:scram-upgrade:0' iterations='99999999999999999999'>c2FsdA==</salt>",
            "<salt xmlns='urn:xmpp:scram-upgrade:0' iterations='4096'></salt>",
            "<salt xmlns='urn:xmpp:scram-upgrade:0'>c2FsdA==</salt>", "<salt iterations='4096'>c2FsdA==</salt>", "",
        ])
    func weak(_ salt: String) async throws {
        let login = try FastLogin { configuration, _ in configuration.upgradesPasswords = true }
        let error = await Self.upgrade(login, salt: salt) { peer in await peer.expectEnd() }
        #expect(error?.code == .authenticationFailed)
        #expect(!login.peer.writtenText.contains("<hash"))
    }

    @Test("T046 another task than the one that was asked for is not done")
    func otherTask() async throws {
        let login = try FastLogin { configuration, _ in configuration.upgradesPasswords = true }
        let error = await Self.upgrade(login, salt: "", task: "UPGR-SCRAM-SHA-1") { peer in await peer.expectEnd() }
        #expect(error?.code == .taskRequired)
        #expect(!login.peer.writtenText.contains("<next"))
    }

    @Test("nothing of the kind is asked for unless the program says so")
    func offByDefault() async throws {
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(Self.offer)
            let request = await peer.acceptSASL2()
            #expect(request?.children.contains { $0.localName == "upgrade" } == false)
        }
        #expect(error == nil)
        await login.leave()
    }

    @Test("T046 no upgrade without channel binding, for SHA-256, or without the password")
    func notAsked() async throws {
        for (features, change) in [
            (ScriptedPeer.sasl2(["SCRAM-SHA-1"], tokens: nil, upgrades: ["UPGR-SCRAM-SHA-256"], bindings: nil), false),
            (ScriptedPeer.sasl2(["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"], upgrades: ["UPGR-SCRAM-SHA-512"]), false),
            (Self.offer, true),
        ] {
            let keys = SCRAMDerivation(hash: .sha1, salt: Array("saltsalt".utf8), iterations: 4096)
                .keys(password: Array("secret".utf8))
            let login = try FastLogin { configuration, account in
                configuration.upgradesPasswords = true
                if change { account.credentials = Credentials(password: nil, keys: keys) }
            }
            let error = await login.outcome { peer in
                await peer.expectHeader()
                peer.openStream(features)
                let request = await peer.acceptSASL2()
                #expect(request?.children.contains { $0.localName == "upgrade" } == false)
            }
            #expect(error == nil)
            await login.leave()
        }
    }
}
