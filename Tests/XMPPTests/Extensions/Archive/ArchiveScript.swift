// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

/// A query that a scripted archive was asked.
struct ArchiveQuestion {
    let iq: Element
    var id: String { iq["id"] ?? "" }
    var query: Element? { iq.children.first }
    var queryID: String { query?["queryid"] ?? "" }
    var form: DataForm? { query?.child(DataForm.name).flatMap { DataForm($0) } }
    var page: PageRequest? { query?.child(PageRequest.name).flatMap { PageRequest($0) } }
    var isFlipped: Bool { query?.child(XMLName("flip-page", "urn:xmpp:mam:2")) != nil }
}

extension OnlineSession {
    /// Waits for a query.
    func expectQuestion(_ location: SourceLocation = #_sourceLocation) async -> ArchiveQuestion {
        let iq = await peer.expect("iq", nil, location)
        return ArchiveQuestion(iq: iq ?? Element(.iq))
    }

    /// One message of the answer.
    func result(
        _ question: ArchiveQuestion, _ id: String, from: String? = nil, queryID: String? = nil,
        stamp: String = "2031-03-04T05:06:07Z", inner: String? = nil
    ) {
        let inner =
            inner ?? "<message xmlns='jabber:client' from='bo@example.org/p' to='juliet@example.org' type='chat'>"
            + "<body>\(id)</body></message>"
        let sender = from.map { "from='\($0)'" } ?? ""
        peer.inject(
            "<message \(sender) to='juliet@example.org/balcony'>"
                + "<result xmlns='urn:xmpp:mam:2' queryid='\(queryID ?? question.queryID)' id='\(id)'>"
                + "<forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='\(stamp)'/>\(inner)"
                + "</forwarded></result></message>")
    }

    /// The end of the answer.
    func end(
        _ question: ArchiveQuestion, from: String? = nil, complete: Bool = true, first: String? = nil,
        last: String? = nil, more: String = ""
    ) {
        let sender = from.map { "from='\($0)'" } ?? ""
        let names = (first.map { "<first>\($0)</first>" } ?? "") + (last.map { "<last>\($0)</last>" } ?? "")
        peer.inject(
            "<iq type='result' id='\(question.id)' \(sender)><fin xmlns='urn:xmpp:mam:2' \(more)"
                + "\(complete ? "complete='true'" : "")><set xmlns='http://jabber.org/protocol/rsm'>\(names)</set>"
                + "</fin></iq>")
    }

    /// Answers the question what the archive can do.
    func tellFeatures(_ features: String...) async {
        let iq = await peer.expect("iq")
        #expect(iq?.children.first?.namespace == "http://jabber.org/protocol/disco#info")
        let from = iq?["to"].map { "from='\($0)'" } ?? ""
        peer.inject(
            "<iq type='result' id='\(iq?["id"] ?? "")' \(from)><query xmlns='http://jabber.org/protocol/disco#info'>"
                + features.map { "<feature var='\($0)'/>" }.joined() + "</query></iq>")
    }
}

/// What a call threw.
func failure(_ work: @Sendable () async throws -> Void) async -> XMPPError? {
    do {
        try await work()
        return nil
    } catch { return error as? XMPPError }
}
