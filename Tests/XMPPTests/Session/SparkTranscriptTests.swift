// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

/// What Spark says to us, as it says it, and what it makes of what we say.
@Suite("Spark", .timeLimit(.minutes(1)))
struct SparkTranscriptTests {
    static let spark = "romeo@example.org/Spark"
    static let stateSpace = "http://jabber.org/protocol/chatstates"

    func message(_ content: String, _ attributes: String = "type='chat'") throws -> Message {
        try receivedMessage(
            "<message to='juliet@example.org/balcony' from='\(Self.spark)' id='A1B2C-7' \(attributes)>\(content)</message>"
        )
    }

    func presence(_ content: String, _ type: String = "", resource: String = "Spark") throws -> Presence {
        try receivedPresence(
            "<presence id='A1B2C-3' from='romeo@example.org/\(resource)' \(type)>\(content)</presence>")
    }

    /// Asks the session something and gives its answer.
    func ask(_ online: OnlineSession, _ payload: String, type: String = "get", id: String = "A1B2C-9") async -> Element?
    {
        online.peer.inject(
            "<iq type='\(type)' id='\(id)' from='\(Self.spark)' to='juliet@example.org/balcony'>\(payload)</iq>")
        let answer = await online.peer.expect("iq")
        #expect(answer?["id"] == id && answer?["to"] == Self.spark)
        return answer
    }

    @Test("SP01 it vanishes without a word and comes back under any name; the server's word ends what it was")
    func vanishing() throws {
        var tracker = PresenceTracker()
        let romeo = try JID("romeo@example.org")
        tracker.received(try presence("<priority>1</priority>"))
        // A new login under the same name, without a farewell of the one before: still one resource.
        tracker.received(try presence("<priority>1</priority><show>away</show>"))
        #expect(tracker.resources(of: romeo).count == 1 && tracker.best(of: romeo)?.show == .away)
        tracker.received(try presence("<priority>1</priority>", resource: "Spark 3.0.2"))
        #expect(tracker.best(of: romeo)?.jid.resource == "Spark 3.0.2")
        tracker.received(try presence("", "type='unavailable'"))
        tracker.received(try presence("", "type='unavailable'", resource: "Spark 3.0.2"))
        #expect(!tracker.isAvailable(romeo))
    }

    @Test(
        "SP02 SP04 what it asks a server is nobody else's to answer: one refusal each, and the stream goes on",
        arguments: [
            ("get", "<query xmlns='jabber:iq:roster'></query>"),
            ("get", "<query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'/></query>"),
            (
                "get",
                "<query xmlns='jabber:iq:private'><gateway-settings xmlns='http://www.jivesoftware.org/spark'/></query>"
            ),
            ("get", "<query xmlns='jabber:iq:privacy'/>"), ("get", "<query xmlns='jabber:iq:search'/>"),
            ("get", "<query xmlns='jabber:iq:spark'><os>linux</os></query>"), ("get", "<vCard xmlns='vcard-temp'/>"),
            ("set", "<enable xmlns='urn:xmpp:carbons:2'/>"),
        ])
    func serverRequests(_ type: String, _ payload: String) async throws {
        let online = try await OnlineSession { $0.modules += [CarbonsModule(), VCardModule()] }
        await online.answer()
        let answer = await ask(online, payload, type: type)
        #expect(answer?["type"] == "error")
        let error = answer.map { StanzaError(inChildrenOf: StanzaContent(received: $0)) }
        #expect([.serviceUnavailable, .featureNotImplemented].contains(error?.condition))
        await online.settle()
        await online.end()
    }

    @Test("SP02 the items of a server are asked one by one, and one that does not answer well spoils nothing")
    func items() async throws {
        let online = try await OnlineSession()
        async let found = online.session.discoverAll()
        await online.answer(
            "<query xmlns='http://jabber.org/protocol/disco#items'><item jid='conference.example.org'/>"
                + "<item jid='search.example.org' name='User Search'/></query>")
        #expect(try await found.map(\.jid.description) == ["conference.example.org", "search.example.org"])
        await online.end()
    }

    @Test(
        "SP03 the presence at login: text, priority and hash are read, and the text decides nothing",
        arguments: [
            ("Free to chat", 1, "chat"), ("Online", 1, ""), ("Away", 0, "away"), ("On the phone", 0, "away"),
            ("Extended away", 0, "xa"), ("Do not disturb", 0, "dnd"), ("Abwesend", 1, ""),
        ])
    func presence(_ text: String, _ priority: Int, _ show: String) throws {
        let show = show.isEmpty ? "" : "<show>\(show)</show>"
        let presence = try self.presence(
            "<status>\(text)</status><priority>\(priority)</priority>\(show)<c xmlns='http://jabber.org/protocol/caps' "
                + "hash='sha-1' node='https://igniterealtime.org/projects/smack' ver='QgayPKawpkPSDYmwT/WM94uAlu0='/>")
        #expect(presence.status == text && Int(presence.priority) == priority)
        #expect(presence.show?.rawValue ?? "" == show.dropFirst(6).prefix { $0 != "<" })
        #expect(presence.capabilities?.keys.count == 1)
    }

    @Test("SP03 when its priority falls to 0, another resource stands for the person; invisible is unavailable")
    func idle() throws {
        var tracker = PresenceTracker()
        let romeo = try JID("romeo@example.org")
        tracker.received(try presence("<priority>1</priority>"))
        tracker.received(try presence("<priority>0</priority>", resource: "phone"))
        #expect(tracker.best(of: romeo)?.jid.resource == "Spark")
        for _ in 0..<5 {
            tracker.received(try presence("<status>Away due to idle.</status><priority>0</priority><show>away</show>"))
            #expect(tracker.best(of: romeo)?.jid.resource == "phone")
            tracker.received(try presence("<status>Online</status><priority>1</priority>"))
            #expect(tracker.best(of: romeo)?.jid.resource == "Spark")
        }
        tracker.received(try presence("<status>Invisible</status>", "type='unavailable'"))
        #expect(tracker.best(of: romeo)?.jid.resource == "phone")
    }

    @Test("SP05 it is known by its version, not by what discovery says; a second answer under one id is nothing")
    func announcement() async throws {
        let online = try await OnlineSession()
        let spark = try JID(Self.spark)
        async let info = online.session.discoverInfo(of: spark)
        await online.answer(
            "<query xmlns='http://jabber.org/protocol/disco#info'><identity category='client' type='pc' name='Smack'/>"
                + "<feature var='urn:xmpp:receipts'/><feature var='urn:xmpp:attention:0'/></query>")
        #expect(try await info.identities.map(\.name) == ["Smack"])
        async let version = online.session.softwareVersion(of: spark)
        let asked = await online.peer.expect("iq")
        let answer =
            "<iq type='result' id='\(asked?["id"] ?? "")' from='\(Self.spark)'><query xmlns='jabber:iq:version'>"
            + "<name>Spark (Smack 4.4.6)</name><version>3.0.2</version><os>Linux</os></query></iq>"
        // Time is answered by Smack and by Spark itself.
        online.peer.inject(answer + answer)
        let software = try await version
        #expect(software.program == "Spark (Smack 4.4.6)" && software.version == "3.0.2")
        async let time = online.session.entityTime(of: spark)
        let second = await online.peer.expect("iq")
        let now =
            "<iq type='result' id='\(second?["id"] ?? "")' from='\(Self.spark)'><time xmlns='urn:xmpp:time'>"
            + "<tzo>Z</tzo><utc>2025-03-01T18:20:05Z</utc></time></iq>"
        online.peer.inject(now + now.replacing("2025", with: "1999"))
        #expect(try await time.moment == DateTime("2025-03-01T18:20:05Z"))
        await online.settle()
        await online.end()
    }

    @Test("SP06 its questions are answered: features with and without a node, version, time, and last activity")
    func probes() async throws {
        let online = try await OnlineSession { $0.modules.append(LastActivityModule { .seconds(5) }) }
        let info = "http://jabber.org/protocol/disco#info"
        let plain = await ask(online, "<query xmlns='\(info)'/>")
        #expect(plain?.children.first?.children.contains { $0["var"] == "jabber:iq:version" } == true)
        #expect(plain?.xml.contains("urn:xmpp:attention:0") == false, "its buzz button stays grey")
        let node = await ask(online, "<query xmlns='\(info)' node='\(DiscoModule.defaultNode)#x'/>")
        #expect(node?["type"] == "result" && node?.children.first?["node"] == "\(DiscoModule.defaultNode)#x")
        for payload in [
            "<query xmlns='jabber:iq:version'/>", "<time xmlns='urn:xmpp:time'/>", "<query xmlns='jabber:iq:last'/>",
        ] {
            #expect(await ask(online, payload)?["type"] == "result", "\(payload)")
        }
        await online.end()
    }

    @Test(
        "SP07 SP08 a message with its children in any order, with or without the old notifications, is its text",
        arguments: [
            "<thread>x8Kq2Z</thread><body>Hi</body><x xmlns='jabber:x:event'><offline/><composing/></x><active xmlns='\(stateSpace)'/>",
            "<body>Hi</body><active xmlns='\(stateSpace)'/><thread>x8Kq2Z</thread>",
        ])
    func chat(_ content: String) async throws {
        let message = try self.message(content)
        #expect(message.body == "Hi" && message.thread == "x8Kq2Z" && message.chatState == .active)
        #expect(!message.requestsReceipt && !message.isMarkable && message.originID == nil)
        let online = try await OnlineSession { $0.modules += [ReceiptsModule(answersByItself: true)] }
        var messages = online.session.messages().makeAsyncIterator()
        online.peer.inject("<message from='\(Self.spark)' id='A1B2C-7' type='chat'>\(content)</message>")
        #expect(try await messages.next()?.body == "Hi")
        await online.settle()
        #expect(!online.peer.writtenText.contains("<message"), "nothing of it is answered")
        await online.end()
    }

    @Test("SP09 a state alone is no text", arguments: ["composing", "paused", "active", "inactive", "gone"])
    func states(_ name: String) throws {
        let message = try self.message("<thread>x8Kq2Z</thread><\(name) xmlns='\(Self.stateSpace)'/>")
        #expect(message.chatState?.rawValue == name && message.body == nil && message.subject == nil)
    }

    @Test("SP10 what we send is of type chat, without a stamp, and readable by who knows only bodies")
    func ours() throws {
        let spark = try JID(Self.spark)
        var original = Message.chat(to: spark, "first", id: "m1")
        original.requestsReceipt = true
        var correction = Message.chat(to: spark, "fixed", id: "m2")
        correction.correctedID = "m1"
        var reply = Message.chat(to: spark, "yes", id: "m3")
        var received = try self.message("<body>really?</body>")
        received.id = "A1B2C-7"
        let isSet = reply.setReply(to: received)
        #expect(isSet)
        let file = Message.file(
            SharedFile(metadata: FileMetadata(name: "a.png"), urls: ["https://example.org/a.png"]), to: spark)
        for message in [original, correction, reply, .retraction(of: "m1", to: spark), file] {
            let text = try written(message)
            #expect(message.kind == .chat && text.contains("<body>"), "\(text)")
            #expect(!text.contains("urn:xmpp:delay") && !text.contains("jabber:x:event"))
        }
        #expect(reply.body?.hasSuffix("yes") == true && reply.body?.contains("really?") == true)
        #expect(file.body == "https://example.org/a.png")
    }

    @Test(
        "SP10 SP11 its notifications about our messages are accepted in silence",
        arguments: [
            "<x xmlns='jabber:x:event'><delivered/><id>m7</id></x>",
            "<x xmlns='jabber:x:event'><displayed/><id>m7</id></x>",
            "<x xmlns='jabber:x:event'><delivered/><displayed/><id>m7</id></x>",
        ])
    func notifications(_ content: String) async throws {
        let message = try self.message(content, "")
        #expect(
            message.kind == .normal && message.body == nil && message.receiptID == nil && message.displayedID == nil)
        #expect(try !message.isReceipt(for: "m7", sentTo: JID(Self.spark)))
        let online = try await OnlineSession { $0.modules += [ReceiptsModule(answersByItself: true)] }
        online.peer.inject("<message from='\(Self.spark)' id='1'>\(content)</message>")
        await online.settle()
        #expect(!online.peer.writtenText.contains("<message"))
        await online.end()
    }

    @Test("SP12 a receipt is one from whoever the message went to; its type says nothing")
    func receipts() throws {
        let spark = try JID(Self.spark)
        for type in ["type='chat'", "", "type='headline'"] {
            let receipt = try message("<received xmlns='urn:xmpp:receipts' id='m7'/>", type)
            #expect(receipt.isReceipt(for: "m7", sentTo: spark.bare) && receipt.body == nil)
            #expect(try !receipt.isReceipt(for: "m7", sentTo: JID("tybalt@example.org")))
            #expect(!receipt.isReceipt(for: "m8", sentTo: spark.bare))
        }
    }

    @Test(
        "SP13 being buzzed is no text, whatever type it has, and is not answered",
        arguments: [
            ("", "<attention xmlns='urn:xmpp:attention:0'/><buzz xmlns='http://www.jivesoftware.com/spark'/>"),
            ("", "<attention xmlns='urn:xmpp:attention:0'/>"),
            ("type='headline'", "<attention xmlns='urn:xmpp:attention:0'/>"),
        ])
    func buzz(_ type: String, _ content: String) async throws {
        #expect(try message(content, type).body == nil)
        let online = try await OnlineSession { $0.modules += [ReceiptsModule(answersByItself: true)] }
        for number in 0..<50 {
            online.peer.inject("<message from='\(Self.spark)' id='\(number)' \(type)>\(content)</message>")
        }
        await online.settle()
        #expect(!online.peer.writtenText.contains("<message"))
        await online.end()
    }

    @Test(
        "SP14 a broadcast is a message of that contact and no part of a conversation",
        arguments: ["headline", "normal", ""])
    func broadcast(_ type: String) throws {
        let message = try self.message(
            "<body>Fire drill</body><properties xmlns='http://www.jivesoftware.com/xmlns/xmpp/properties'><property>"
                + "<name>broadcast</name><value type='boolean'>true</value></property></properties>",
            type.isEmpty ? "" : "type='\(type)'")
        #expect(message.body == "Fire drill" && message.kind == (type == "headline" ? .headline : .normal))
        #expect(message.from?.bare.description == "romeo@example.org")
    }

    @Test("SP22 a link that is the whole text is a file, and ours go in the very same form")
    func uploads() throws {
        let url = "https://example.org:7443/httpfileupload/5c1f/a.png"
        let theirs = try message(
            "<body>\(url)</body><x xmlns='jabber:x:oob'><url>\(url)</url></x>"
                + "<active xmlns='\(Self.stateSpace)'/><thread>x8Kq2Z</thread>")
        #expect(theirs.attachmentURL == url && theirs.body == url && theirs.thread == "x8Kq2Z")
        let mentioned = try message("<body>see \(url)</body><x xmlns='jabber:x:oob'><url>\(url)</url></x>")
        #expect(mentioned.attachmentURL == nil)
        let ours = Message.file(
            SharedFile(metadata: FileMetadata(name: "a.png"), urls: [url]), to: try JID(Self.spark))
        let sent = try receivedMessage(try written(ours))
        #expect(sent.kind == .chat && sent.body == url && sent.links.map(\.url) == [url] && sent.attachmentURL == url)
    }

    @Test("SP18 its hash and its card are read, in each form that it has for them")
    func avatar() throws {
        let hash = PictureHash(of: SamplePictures.pixel)
        let announced = try presence(
            "<x xmlns='vcard-temp:x:update'><photo>\(hash)</photo></x><x xmlns='jabber:x:avatar'><hash>\(hash)</hash></x>"
        )
        #expect(announced.avatar == .picture(hash))
        #expect(try presence("<x xmlns='vcard-temp:x:update'/>").avatar == .notReady)
        #expect(try presence("<x xmlns='jabber:x:avatar'><hash>\(hash)</hash></x>").avatar == nil)
        let lines = SamplePictures.pixelText.enumerated().map {
            $0.offset % 20 == 19 ? "\($0.element)\n  " : "\($0.element)"
        }
        let card = try #require(
            VCardCoding(.temporary).card(
                try received(
                    "<vCard xmlns='vcard-temp'><N><GIVEN>Romeo</GIVEN></N><FN>Romeo</FN><NICKNAME>r</NICKNAME><PHOTO>"
                        + "<TYPE>image/jpeg</TYPE><BINVAL>\(lines.joined())</BINVAL></PHOTO></vCard>")))
        guard case .picture(let picture) = card.photo else {
            Issue.record("no picture in \(card)")
            return
        }
        #expect(picture.hash == hash && card.nicknames == ["r"] && card.fullName == "Romeo")
    }
}
