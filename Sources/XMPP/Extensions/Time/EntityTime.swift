// SPDX-License-Identifier: Apache-2.0
public import struct Foundation.Date

/// What the clock of somebody says (XEP-0202 §2).
public struct EntityTime: Sendable, Hashable {
    /// The moment.
    public var moment: DateTime
    /// How far local time is ahead of UTC, in whole minutes; negative in the west.
    public var offset: Duration

    /// Makes a time; the offset is cut to whole minutes within a day.
    public init(moment: DateTime, offset: Duration = .zero) {
        self.moment = moment
        let minutes = min(max(offset.components.seconds / 60, -1439), 1439)
        self.offset = .seconds(minutes * 60)
    }
}

extension EntityTime: StanzaPayload {
    package static let namespace = "urn:xmpp:time"
    package static let name = XMLName("time", namespace)
    private static let offsetName = XMLName("tzo", namespace)
    private static let momentName = XMLName("utc", namespace)

    /// XEP-0202 §2: both parts are required.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let moment = element.childText(Self.momentName).flatMap({ DateTime($0) }),
            let minutes = element.childText(Self.offsetName).flatMap(Self.minutes)
        else { return nil }
        self.init(moment: moment, offset: .seconds(minutes * 60))
    }

    package var element: Element {
        let minutes = offset.components.seconds / 60
        let sign = minutes < 0 ? "-" : "+"
        return Element(Self.name) { builder in
            builder.child(
                Self.offsetName, text: sign + Self.digits(abs(minutes) / 60) + ":" + Self.digits(abs(minutes) % 60))
            builder.child(Self.momentName, text: moment.description)
        }
    }

    private static func digits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The minutes of `Z`, `+hh:mm` or `-hh:mm` (XEP-0082 §3.3).
    private static func minutes(_ text: String) -> Int64? {
        if text == "Z" { return 0 }
        let bytes = Array(text.utf8)
        guard bytes.count == 6, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
            bytes[3] == UInt8(ascii: ":")
        else { return nil }
        var numbers: [Int64] = []
        for place in [1, 2, 4, 5] {
            guard (0x30...0x39).contains(bytes[place]) else { return nil }
            numbers.append(Int64(bytes[place] - 0x30))
        }
        let hours = numbers[0] * 10 + numbers[1]
        let minutes = numbers[2] * 10 + numbers[3]
        guard hours < 24, minutes < 60 else { return nil }
        return (bytes[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
    }
}

/// Tells whoever asks what time it is here (XEP-0202).
public struct EntityTimeModule: SessionModule {
    private let now: @Sendable () -> DateTime
    private let offset: Duration

    /// Makes the module.
    /// - Parameters:
    ///   - offset: How far local time is ahead of UTC. Defaults to zero, which tells nobody where one lives.
    ///   - now: The clock. Defaults to that of the system.
    public init(offset: Duration = .zero, now: @escaping @Sendable () -> DateTime = { DateTime(Date()) }) {
        self.offset = offset
        self.now = now
    }

    /// `urn:xmpp:time`.
    public var features: [String] { [EntityTime.namespace] }
    /// `<time/>`.
    public var requests: [XMLName] { [EntityTime.name] }
    /// The time, to the second; it cannot be set.
    public func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        guard request.kind == .get else { return .error(StanzaError(.notAllowed)) }
        let moment = DateTime(seconds: now().seconds)
        return .result(EntityTime(moment: moment, offset: offset).element)
    }
}

extension XMPPSession {
    /// Asks what time it is where somebody is (XEP-0202 §2).
    ///
    /// Throws ``XMPPError``, with a ``StanzaError`` when the other side does not tell. Cancelling ends the wait.
    /// - Parameter jid: A full address, or that of a server; for a bare one the server answers with its own clock.
    public func entityTime(of jid: JID) async throws -> EntityTime {
        let reply = try await get(Element(EntityTime.name), to: jid)
        guard let time = reply.payload.flatMap({ EntityTime($0) }) else {
            throw XMPPError(.invalidReply, "\(jid) did not say what time it is")
        }
        return time
    }
}
