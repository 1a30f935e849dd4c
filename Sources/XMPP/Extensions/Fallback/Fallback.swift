// SPDX-License-Identifier: Apache-2.0

/// Says that a text, or a part of it, stands there only for programs that do not know something (XEP-0428 §3).
public struct Fallback: Sendable, Hashable {
    /// A part of a text.
    public enum Part: Sendable, Hashable {
        /// All of it.
        case whole
        /// From one character up to, not including, another, counted in Unicode code points (XEP-0426).
        case range(Range<Int>)

        /// Makes a part.
        public init(_ range: Range<Int>) { self = .range(range) }
    }

    /// The namespace of what the text stands for; nil when nobody says.
    public let namespace: String?
    /// The parts of the body.
    public let body: [Part]
    /// The parts of the subject.
    public let subject: [Part]

    /// Makes a mark; without parts it means all texts of the message.
    public init(for namespace: String?, body: [Part] = [.whole], subject: [Part] = [.whole]) {
        self.namespace = namespace
        self.body = body
        self.subject = subject
    }

    /// Makes a mark for parts of the body.
    public init(for namespace: String?, body: [Part]) { self.init(for: namespace, body: body, subject: []) }
}

extension Fallback: StanzaPayload {
    package static let name = XMLName("fallback", "urn:xmpp:fallback:0")
    private static let bodyName = XMLName("body", "urn:xmpp:fallback:0")
    private static let subjectName = XMLName("subject", "urn:xmpp:fallback:0")

    /// §3: without any part it means all texts; a part whose numbers are none, or whose end lies before its start, is left
    /// out (T085), and nothing remains of one that has no others.
    package init?(_ element: Element) {
        guard element.matches(Self.name) else { return nil }
        func parts(_ name: XMLName) -> [Part] {
            element.children(name).prefix(64).compactMap { part in
                let (start, end) = (part["start"], part["end"])
                if start == nil, end == nil { return .whole }
                guard let first = ResultSet.number(start ?? "0"), let last = ResultSet.number(end), first <= last,
                    last <= Int32.max
                else { return nil }
                return .range(first..<last)
            }
        }
        if element.children.isEmpty {
            self.init(for: element.filled("for"), body: [.whole], subject: [.whole])
        } else {
            let (body, subject) = (parts(Self.bodyName), parts(Self.subjectName))
            guard !body.isEmpty || !subject.isEmpty else { return nil }
            self.init(for: element.filled("for"), body: body, subject: subject)
        }
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.attribute("for", namespace)
            if body == [.whole], subject == [.whole] { return }
            for (name, parts) in [(Self.bodyName, body), (Self.subjectName, subject)] {
                for part in parts {
                    switch part {
                    case .whole: builder.child(Element(name))
                    case .range(let range):
                        let bounds: KeyValuePairs<String, String?> = [
                            "start": String(range.lowerBound), "end": String(range.upperBound),
                        ]
                        builder.child(Element(name, attributes: bounds))
                    }
                }
            }
        }
    }

    /// A text without the parts; what lies outside of the text is cut off.
    static func removing(_ parts: [Part], from text: String) -> String {
        if parts.isEmpty { return text }
        if parts.contains(.whole) { return "" }
        let scalars = Array(text.unicodeScalars)
        var isKept = [Bool](repeating: true, count: scalars.count)
        for case .range(let range) in parts {
            for index in range.clamped(to: 0..<scalars.count) { isKept[index] = false }
        }
        var kept = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() where isKept[index] { kept.append(scalar) }
        return String(kept)
    }
}

extension Message {
    /// Which texts stand there only for programs that do not know something (XEP-0428 §3).
    public var fallbacks: [Fallback] {
        get { payloads(Fallback.name).compactMap { Fallback($0) } }
        set {
            setPayload(Fallback.name, nil)
            for fallback in newValue { append(fallback.element) }
        }
    }

    /// The body without what stands there only for programs that do not know these namespaces; nil without a body.
    ///
    /// Give the namespaces that are shown otherwise: of an answer whose original is shown, `urn:xmpp:reply:0`.
    public func bodyWithoutFallback(for namespaces: Set<String>) -> String? {
        guard let body else { return nil }
        let parts = fallbacks.filter { $0.namespace.map { namespaces.contains($0) } ?? false }.flatMap(\.body)
        // Each part is gone through once; thousands of them over a long text would take for ever (T125).
        return Fallback.removing(Array(parts.prefix(64)), from: body)
    }

    /// Whether the whole body stands there only for programs that do not know one of these namespaces.
    public func isOnlyFallback(for namespaces: Set<String>) -> Bool {
        body != nil && bodyWithoutFallback(for: namespaces)?.isEmpty == true
    }
}

/// Announces that parts of texts may be marked (XEP-0428 §2.1).
public struct FallbackModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `urn:xmpp:fallback:0`.
    public var features: [String] { [Fallback.name.namespace] }
}
