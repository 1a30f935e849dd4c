// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Foundation
import Testing
@testable import XMPP
import XMPPTesting

@Suite("Files from program to program", .timeLimit(.minutes(1)))
struct FileTransferTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-transfer-\(UUID().uuidString)")
    static let content: [UInt8] = Array("Wherefore art thou?".utf8)
    static let peer = "romeo@example.org/Spark"

    func online() async throws -> TransferScript {
        TransferScript(try await OnlineSession { $0.modules.append(FileTransferModule()) })
    }

    func path(_ name: String = "file") throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent(name).path
    }

    var left: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

    func code(_ work: @Sendable () async throws -> Void) async -> XMPPError.Code? {
        do {
            try await work()
            return nil
        } catch { return (error as? XMPPError)?.code }
    }

    /// Asks something of the session and gives its answer.
    func ask(_ online: TransferScript, _ payload: String, from: String = FileTransferTests.peer) async -> Element? {
        let id = "q\(UUID().uuidString)"
        online.peer.inject("<iq type='set' id='\(id)' from='\(from)' to='juliet@example.org/balcony'>\(payload)</iq>")
        return await online.answer(id)
    }

    func condition(_ iq: Element?) -> String? {
        iq?.child(.error)?.children.first { $0.namespace == "urn:ietf:params:xml:ns:xmpp-stanzas" }?.localName
    }

    func block(_ number: Int, _ bytes: [UInt8], sid: String = "s") -> String {
        InBandData(sid: sid, sequence: UInt16(number), bytes: bytes).element.xml
    }

    static func initiate(_ metadata: FileMetadata, transport: String? = nil, sid: String = "j") -> String {
        var content = JingleContent(
            name: "f", description: .file(JingleFile(metadata)), transport: .inBand(sid: "s", blockSize: 4096))
        guard let transport else { return Jingle(.sessionInitiate, sid: sid, contents: [content]).element.xml }
        content.transport = nil
        let xml = Jingle(.sessionInitiate, sid: sid, contents: [content]).element.xml
        return xml.replacing("</content>", with: transport + "</content>")
    }

    static let metadata = FileMetadata(name: "a.txt", byteCount: content.count, hashes: [.sha256(of: content)])

    // MARK: Receiving

    @Test("a file comes by Jingle: offered, accepted, sent, checked, and its end is told")
    func receives() async throws {
        let online = try await online()
        var offers = online.session.fileOffers().makeAsyncIterator()
        #expect(await ask(online, Self.initiate(Self.metadata))?["type"] == "result")
        let offer = try #require(try await offers.next())
        #expect(offer.from.description == Self.peer && offer.metadata == Self.metadata)
        // Nothing comes before it is accepted.
        #expect(condition(await ask(online, InBandOpen(sid: "s", blockSize: 4096).element.xml)) == "not-acceptable")
        let place = try path()
        async let file = offer.accept(to: place)
        let accept = await online.reply()
        #expect(Jingle(accept)?.action == .sessionAccept)
        #expect(await ask(online, InBandOpen(sid: "s", blockSize: 4096).element.xml)?["type"] == "result")
        #expect(await ask(online, block(0, Array(Self.content[..<10])))?["type"] == "result")
        #expect(await ask(online, block(1, Array(Self.content[10...])))?["type"] == "result")
        #expect(await ask(online, InBandClose(sid: "s").element.xml)?["type"] == "result")
        #expect(Jingle(await online.reply())?.reason == .success)
        #expect(try await file.hash == .sha256(of: Self.content))
        #expect(FileManager.default.contents(atPath: place) == Data(Self.content) && left == ["file"])
        #expect(await code { _ = try await offer.accept(to: place) } == .offerExpired)
        try? FileManager.default.removeItem(at: folder)
        await online.end()
    }

    @Test("T157 a file with another hash, also one that is told later, is thrown away", arguments: [true, false])
    func wrongHash(isToldLater: Bool) async throws {
        let online = try await online()
        var offers = online.session.fileOffers().makeAsyncIterator()
        var metadata = Self.metadata
        metadata.hashes = isToldLater ? [] : [.sha256(of: [1])]
        _ = await ask(online, Self.initiate(metadata))
        let offer = try #require(try await offers.next())
        let place = try path()
        async let outcome = code { _ = try await offer.accept(to: place) }
        await online.reply()
        _ = await ask(online, InBandOpen(sid: "s", blockSize: 4096).element.xml)
        _ = await ask(online, block(0, Self.content))
        if isToldLater {
            let told = Jingle(.sessionInfo, sid: "j", information: .checksum([.sha256(of: [1])]))
            #expect(await ask(online, told.element.xml)?["type"] == "result")
        }
        _ = await ask(online, InBandClose(sid: "s").element.xml)
        #expect(Jingle(await online.reply())?.reason?.condition == "media-error")
        #expect(await outcome == .contentMismatch)
        #expect(left.isEmpty)
        await online.end()
    }

    @Test(
        "T157 a hash that was promised is waited for after the last byte, and counts", arguments: [true, false],
        ["sha-256", "sha-512"])
    func promisedHash(isRight: Bool, algorithm: String) async throws {
        let online = try await online()
        var offers = online.session.fileOffers().makeAsyncIterator()
        var metadata = Self.metadata
        metadata.hashes = []
        let promise = "<hash-used xmlns='urn:xmpp:hashes:2' algo='\(algorithm)'/></file>"
        _ = await ask(online, Self.initiate(metadata).replacing("</file>", with: promise))
        let offer = try #require(try await offers.next())
        let place = try path("\(isRight)-\(algorithm)")
        async let outcome = code { _ = try await offer.accept(to: place) }
        await online.reply()
        _ = await ask(online, InBandOpen(sid: "s", blockSize: 4096).element.xml)
        _ = await ask(online, block(0, Self.content))
        #expect(await ask(online, InBandClose(sid: "s").element.xml)?["type"] == "result")
        #expect(!FileManager.default.fileExists(atPath: place))
        let content = isRight ? Self.content : [1]
        let hash = ContentHash(
            algorithm: algorithm, value: digest(algorithm == "sha-256" ? .sha256 : .sha512, content))
        let told = Jingle(.sessionInfo, sid: "j", information: .checksum([hash]))
        #expect(await ask(online, told.element.xml)?["type"] == "result")
        #expect(Jingle(await online.reply())?.reason?.condition == (isRight ? "success" : "media-error"))
        #expect(await outcome == (isRight ? nil : .contentMismatch))
        #expect(FileManager.default.fileExists(atPath: place) == isRight)
        try? FileManager.default.removeItem(at: folder)
        await online.end()
    }

    @Test("T157 nobody else can end, fill or answer for a transfer, whatever identifier they know")
    func others() async throws {
        let online = try await online()
        var offers = online.session.fileOffers().makeAsyncIterator()
        _ = await ask(online, Self.initiate(Self.metadata))
        let offer = try #require(try await offers.next())
        let place = try path()
        async let file = offer.accept(to: place)
        await online.reply()
        let end = Jingle(.sessionTerminate, sid: "j", reason: .cancel).element.xml
        for stranger in ["mal@example.net/x", "romeo@example.org/other", "romeo@example.org"] {
            #expect(condition(await ask(online, end, from: stranger)) == "item-not-found")
            #expect(
                condition(await ask(online, InBandOpen(sid: "s", blockSize: 10).element.xml, from: stranger))
                    == "not-acceptable")
        }
        _ = await ask(online, InBandOpen(sid: "s", blockSize: 4096).element.xml)
        #expect(condition(await ask(online, block(0, [1]), from: "mal@example.net/x")) == "item-not-found")
        #expect(
            condition(await ask(online, InBandClose(sid: "s").element.xml, from: "mal@example.net/x"))
                == "item-not-found")
        _ = await ask(online, block(0, Self.content))
        _ = await ask(online, InBandClose(sid: "s").element.xml)
        await online.reply()
        #expect(try await file.byteCount == Int64(Self.content.count))
        try? FileManager.default.removeItem(at: folder)
        await online.end()
    }

    @Test(
        "T157 gaps, blocks that are too large, more bytes than offered and broken blocks end a transfer, and nothing stays",
        arguments: [
            "<data xmlns='http://jabber.org/protocol/ibb' sid='s' seq='1'>AQID</data>",
            "<data xmlns='http://jabber.org/protocol/ibb' sid='s' seq='0'>%</data>",
            InBandData(sid: "s", sequence: 0, bytes: [UInt8](repeating: 1, count: 17)).element.xml,
            InBandData(sid: "s", sequence: 0, bytes: [UInt8](repeating: 1, count: 20)).element.xml,
            InBandClose(sid: "s").element.xml,
        ])
    func broken(_ payload: String) async throws {
        let online = try await online()
        var offers = online.session.fileOffers().makeAsyncIterator()
        _ = await ask(online, Self.initiate(Self.metadata))
        let offer = try #require(try await offers.next())
        let place = try path()
        async let outcome = code { _ = try await offer.accept(to: place) }
        await online.reply()
        _ = await ask(
            online,
            InBandOpen(sid: "s", blockSize: payload.contains("AQEBAQEBAQEBAQEBAQEBAQEBAQE=") ? 4096 : 16).element.xml)
        #expect(await ask(online, payload)?["type"] == "error")
        #expect(Jingle(await online.reply())?.action == .sessionTerminate)
        let found = await outcome
        #expect(found == .transferFailed || found == .contentMismatch)
        #expect(left.isEmpty)
        await online.end()
    }

    @Test("T157 an offer over other hosts is not connected to: another way is asked for, and taken")
    func replaces() async throws {
        let online = try await online()
        var offers = online.session.fileOffers().makeAsyncIterator()
        let hosts =
            "<transport xmlns='urn:xmpp:jingle:transports:s5b:1' sid='x'><candidate cid='1' host='10.0.0.1' port='80'/></transport>"
        #expect(await ask(online, Self.initiate(Self.metadata, transport: hosts))?["type"] == "result")
        let offer = try #require(try await offers.next())
        let place = try path()
        async let file = offer.accept(to: place)
        let replace = Jingle(await online.reply())
        #expect(replace?.action == .transportReplace)
        guard case .inBand(let sid, _)? = replace?.contents.first?.transport else {
            Issue.record("no other way was asked for")
            return
        }
        let agreed = Jingle(
            .transportAccept, sid: "j",
            contents: [JingleContent(name: "f", description: nil, transport: .inBand(sid: sid, blockSize: 4096))])
        #expect(await ask(online, agreed.element.xml)?["type"] == "result")
        #expect(Jingle(await online.reply())?.action == .sessionAccept)
        _ = await ask(online, InBandOpen(sid: sid, blockSize: 4096).element.xml)
        _ = await ask(online, block(0, Self.content, sid: sid))
        _ = await ask(online, InBandClose(sid: sid).element.xml)
        await online.reply()
        #expect(try await file.byteCount == Int64(Self.content.count))
        try? FileManager.default.removeItem(at: folder)
        await online.end()
    }

    @Test("T157 what is no offer of a file, and any offer while nobody wants them, is declined")
    func declined() async throws {
        let online = try await online()
        #expect(await ask(online, Self.initiate(Self.metadata))?["type"] == "result")
        #expect(Jingle(await online.reply())?.reason == .decline)
        #expect(condition(await ask(online, StreamInitiationTests.sparkOffer)) == "forbidden")
        let calls = """
            <jingle xmlns='urn:xmpp:jingle:1' action='session-initiate' sid='c'><content creator='initiator' name='c'>\
            <description xmlns='urn:xmpp:jingle:apps:rtp:1'/><transport xmlns='urn:xmpp:jingle:transports:ice-udp:1'/>\
            </content></jingle>
            """
        #expect(await ask(online, calls)?["type"] == "result")
        #expect(Jingle(await online.reply())?.reason == .unsupportedApplications)
        var offers = online.session.fileOffers().makeAsyncIterator()
        _ = await ask(online, Self.initiate(Self.metadata, sid: "k"))
        let offer = try #require(try await offers.next())
        offer.decline()
        #expect(Jingle(await online.reply())?.reason == .decline)
        offer.decline()
        await online.settle()
        await online.end()
    }

    @Test("T157 of one account only so many offers are open at a time")
    func flood() async throws {
        let online = try await online()
        let offers = online.session.fileOffers()
        for number in 0..<FileTransferBook.mostOfOne {
            let answer = await ask(
                online, Self.initiate(Self.metadata, sid: "j\(number)"), from: "romeo@example.org/r\(number)")
            #expect(answer?["type"] == "result")
        }
        #expect(condition(await ask(online, Self.initiate(Self.metadata, sid: "x"))) == "resource-constraint")
        #expect(
            await ask(online, Self.initiate(Self.metadata, sid: "x"), from: "bo@example.org/p")?["type"] == "result")
        withExtendedLifetime(offers) {}
        await online.end()
    }

    @Test("a file that is too large is not accepted, and a lost connection ends a transfer")
    func ends() async throws {
        let online = try await online()
        var offers = online.session.fileOffers().makeAsyncIterator()
        let place = try path()
        _ = await ask(online, Self.initiate(Self.metadata))
        let large = try #require(try await offers.next())
        async let refused = code { _ = try await large.accept(to: place, limit: 5) }
        #expect(Jingle(await online.reply())?.reason?.condition == "failed-application")
        #expect(await refused == .fileTooLarge)
        _ = await ask(online, Self.initiate(Self.metadata))
        let offer = try #require(try await offers.next())
        async let lost = code { _ = try await offer.accept(to: place) }
        await online.reply()
        _ = await ask(online, InBandOpen(sid: "s", blockSize: 4096).element.xml)
        await online.end()
        #expect(await lost != nil)
        #expect(left.isEmpty)
    }

    @Test("a sender who gives up ends a transfer")
    func givenUp() async throws {
        let online = try await online()
        var offers = online.session.fileOffers().makeAsyncIterator()
        let place = try path()
        _ = await ask(online, Self.initiate(Self.metadata))
        let offer = try #require(try await offers.next())
        async let outcome = code { _ = try await offer.accept(to: place) }
        await online.reply()
        _ = await ask(online, Jingle(.sessionTerminate, sid: "j", reason: .cancel).element.xml)
        #expect(await outcome == .transferCancelled)
        await online.end()
    }

    // MARK: Spark

    @Test("SP20 a file of Spark comes: the request waits for the choice, the blocks for the disk")
    func spark() async throws {
        let online = try await online()
        var offers = online.session.fileOffers().makeAsyncIterator()
        let text = StreamInitiationTests.sparkOffer.replacing("20480", with: String(Self.content.count))
        online.peer.inject("<iq type='set' id='jsi-1' from='\(Self.peer)'>\(text)</iq>")
        let offer = try #require(try await offers.next())
        let place = try path()
        async let file = offer.accept(to: place)
        let answer = await online.answer("jsi-1")
        #expect(StreamInitiation.chosen(answer?.children.first) == "http://jabber.org/protocol/ibb")
        let open = "<open xmlns='http://jabber.org/protocol/ibb' block-size='61440' sid='jsi_1234567' stanza='iq'/>"
        #expect(await ask(online, open)?["type"] == "result")
        #expect(await ask(online, block(0, Self.content, sid: "jsi_1234567"))?["type"] == "result")
        #expect(await ask(online, InBandClose(sid: "jsi_1234567").element.xml)?["type"] == "result")
        #expect(try await file.byteCount == Int64(Self.content.count))
        try? FileManager.default.removeItem(at: folder)
        await online.end()
    }

    @Test(
        "SP21 OF55 an offer of Spark over SOCKS5 alone, and a request to connect, also to a proxy, are declined with a reason"
    )
    func socks() async throws {
        let online = try await online()
        let offers = online.session.fileOffers()
        let offer = StreamInitiationTests.sparkOffer.replacing(
            "http://jabber.org/protocol/ibb", with: "http://jabber.org/protocol/bytestreams")
        let refused = await ask(online, offer)
        #expect(condition(refused) == "bad-request")
        #expect(refused?.child(.error)?.child(XMLName("no-valid-streams", "http://jabber.org/protocol/si")) != nil)
        let hosts = await ask(
            online,
            "<query xmlns='http://jabber.org/protocol/bytestreams' sid='x'><streamhost jid='a@b/c' host='192.0.2.5' port='7777'/></query>"
        )
        #expect(condition(hosts) == "not-acceptable")
        #expect(
            hosts?.child(.error)?.child(XMLName("text", "urn:ietf:params:xml:ns:xmpp-stanzas"))?.text.isEmpty == false)
        let proxy = await ask(
            online,
            """
            <query xmlns='http://jabber.org/protocol/bytestreams' sid='y' mode='tcp'>\
            <streamhost jid='proxy.example.org' host='192.0.2.7' port='7777'/>\
            <streamhost jid='proxy.example.org' host='198.51.100.7' port='7777'/></query>
            """)
        #expect(condition(proxy) == "not-acceptable")
        await online.settle()
        // Not even the proxy of one's own server is asked for anything.
        #expect(!online.peer.writtenText.contains("bytestreams"))
        let both = StreamInitiationTests.sparkOffer.replacing(
            "<option>", with: "<option><value>http://jabber.org/protocol/bytestreams</value></option><option>")
        online.peer.inject("<iq type='set' id='both' from='\(Self.peer)'>\(both)</iq>")
        var iterator = offers.makeAsyncIterator()
        let open = try #require(try await iterator.next())
        open.decline()
        #expect(condition(await online.answer("both")) == "forbidden")
        await online.end()
    }

    // MARK: Sending

    static let jingleFeatures = ["urn:xmpp:jingle:apps:file-transfer:5", "urn:xmpp:jingle:transports:ibb:1"]
    static let sparkFeatures = [
        "http://jabber.org/protocol/si/profile/file-transfer", "http://jabber.org/protocol/ibb",
    ]

    func features(_ names: [String]) -> String {
        let list = names.map { "<feature var='\($0)'/>" }.joined()
        return "<query xmlns='http://jabber.org/protocol/disco#info'>\(list)</query>"
    }

    /// Takes the blocks of a file as the other side.
    func take(_ online: TransferScript, sid: String) async -> [UInt8] {
        var bytes: [UInt8] = []
        #expect(InBandOpen(await online.reply())?.sid == sid)
        while true {
            let payload = await online.reply()
            guard let data = InBandData(payload), data.sid == sid else {
                #expect(InBandClose(payload)?.sid == sid)
                return bytes
            }
            bytes += data.bytes
        }
    }

    @Test(
        "a file goes by Jingle with its hash, and is done when the other side says so",
        arguments: ["success", "media-error"])
    func sends(_ end: String) async throws {
        let online = try await online()
        let content = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
        let peer = try JID(Self.peer)
        let told = Locked<TransferProgress?>(nil)
        async let outcome = code {
            try await online.session.sendFile(.bytes(content), to: peer, name: "a.bin") { progress in
                told.withLock { $0 = progress }
            }
        }
        await online.reply(features(Self.jingleFeatures))
        let initiate = try #require(Jingle(await online.reply()))
        guard case .file(let file)? = initiate.contents.first?.description,
            case .inBand(let sid, _)? = initiate.contents.first?.transport
        else {
            Issue.record("no file was offered")
            return
        }
        #expect(file.metadata.hashes == [.sha256(of: content)] && file.metadata.byteCount == 40_000)
        var content2 = JingleContent(name: "file", description: nil, transport: .inBand(sid: sid, blockSize: 4096))
        content2.creator = "initiator"
        _ = await ask(online, Jingle(.sessionAccept, sid: initiate.sid, contents: [content2]).element.xml)
        #expect(await take(online, sid: sid) == content)
        _ = await ask(online, Jingle(.sessionTerminate, sid: initiate.sid, reason: JingleReason(end)).element.xml)
        #expect(await outcome == (end == "success" ? nil : .transferFailed))
        #expect(told.withLock { $0?.fraction } == 1)
        await online.end()
    }

    @Test(
        "whoever has a part already is sent the rest, or as much as wanted, and nothing that is not there",
        arguments: [
            (FilePart(offset: 30_000), 30_000..<40_000), (FilePart(offset: 100, count: 5000), 100..<5100),
            (FilePart(offset: 40_001), nil), (FilePart(offset: 1, count: .max), nil),
        ])
    func sendsPart(_ part: FilePart, _ expected: Range<Int>?) async throws {
        let online = try await online()
        let content = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 3) }
        let peer = try JID(Self.peer)
        async let outcome = code { try await online.session.sendFile(.bytes(content), to: peer, name: "a.bin") }
        await online.reply(features(Self.jingleFeatures))
        let initiate = try #require(Jingle(await online.reply()))
        var accepted = try #require(initiate.contents.first)
        guard case .file(var file)? = accepted.description, case .inBand(let sid, _)? = accepted.transport else {
            Issue.record("no file was offered")
            return
        }
        #expect(file.range == FilePart())
        file.range = part
        accepted.description = .file(file)
        _ = await ask(online, Jingle(.sessionAccept, sid: initiate.sid, contents: [accepted]).element.xml)
        guard let expected else {
            #expect(Jingle(await online.reply())?.reason?.condition == "failed-transport")
            #expect(await outcome == .transferFailed)
            return await online.end()
        }
        #expect(await take(online, sid: sid) == Array(content[expected]))
        _ = await ask(online, Jingle(.sessionTerminate, sid: initiate.sid, reason: .success).element.xml)
        #expect(await outcome == nil)
        await online.end()
    }

    @Test("an offer that is declined, and a transfer that is given up in the middle")
    func sendingEnds() async throws {
        let online = try await online()
        let peer = try JID(Self.peer)
        async let declined = code { try await online.session.sendFile(.bytes([1]), to: peer) }
        await online.reply(features(Self.jingleFeatures))
        let first = try #require(Jingle(await online.reply()))
        _ = await ask(online, Jingle(.sessionTerminate, sid: first.sid, reason: .decline).element.xml)
        #expect(await declined == .offerDeclined)

        let task = Task { try await online.session.sendFile(.bytes([1]), to: peer) }
        await online.reply(features(Self.jingleFeatures))
        await online.reply()
        task.cancel()
        #expect(Jingle(await online.reply())?.reason == .cancel)
        await #expect(throws: CancellationError.self) { try await task.value }
        await online.end()
    }

    @Test("SP21 a file goes to Spark by the protocol it knows, in smaller blocks if it wants them")
    func sendsToSpark() async throws {
        let online = try await online()
        let peer = try JID(Self.peer)
        async let outcome = code {
            try await online.session.sendFile(.bytes(Self.content), to: peer, name: "a.txt", mediaType: "text/plain")
        }
        await online.reply(features(Self.sparkFeatures))
        let offer = try #require(StreamInitiation(await online.reply(StreamInitiation.accept(InBand.namespace).xml)))
        #expect(offer.metadata.name == "a.txt" && offer.methods == [InBand.namespace])
        await online.refuse("resource-constraint")
        #expect(await take(online, sid: offer.id) == Self.content)
        #expect(await outcome == nil)
        await online.end()
    }

    @Test(
        "SP21 refusals of Spark are told apart",
        arguments: [("forbidden", "offerDeclined"), ("bad-request", "notSupported")])
    func refusals(_ condition: String, _ expected: String) async throws {
        let online = try await online()
        let peer = try JID(Self.peer)
        async let outcome = code { try await online.session.sendFile(.bytes(Self.content), to: peer) }
        await online.reply(features(Self.sparkFeatures))
        await online.refuse(condition)
        #expect(await outcome?.rawValue == expected)
        await online.end()
    }

    @Test("a program that takes no files, an account instead of a program, a session without the module")
    func impossible() async throws {
        let online = try await online()
        let peer = try JID(Self.peer)
        async let outcome = code { try await online.session.sendFile(.bytes([1]), to: peer) }
        await online.reply(features(["urn:xmpp:ping"]))
        #expect(await outcome == .notSupported)
        #expect(await code { try await online.session.sendFile(.bytes([1]), to: peer.bare) } == .invalidArgument)
        await online.end()
        let bare = try await OnlineSession()
        #expect(await code { try await bare.session.sendFile(.bytes([1]), to: peer) } == .invalidArgument)
        await bare.end()
    }
}
