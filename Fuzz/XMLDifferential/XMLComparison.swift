// SPDX-License-Identifier: Apache-2.0
package import XMPP

/// Gives the same bytes to both parsers and says whether they agree.
///
/// Our parser gets them in random pieces, expat in one. They agree when the events are the same and both accept or both
/// refuse. Where only one refuses, the reason must be one of `Outcome`'s, and the events before it the same.
/// Belongs to one thread.
package final class XMLComparison {
    /// How a case ended.
    package enum Outcome: Hashable, Sendable {
        /// Both accepted all of it with the same events.
        case accepted
        /// Both refused it after the same events.
        case refused
        /// Expat accepts what RFC 6120 §11.1, §11.6 or the shape of a stream forbids.
        case rule(ExpatReference.Rule)
        /// One of our limits was passed.
        case limit(XMLLimit)
        /// We refuse a token that is not complete, which expat refuses, too, however it is completed.
        case refusedEarly
        /// A character in a name that the fifth edition of XML 1.0 allows and the fourth, which expat follows, does not.
        case fifthEditionName
        /// None of these: a fault in one of the parsers.
        case disagreement(String)
    }

    private let reference: ExpatReference
    private var parser = XMLStreamParser(limits: .afterLogin)
    private var trace = XMLTrace()
    private var stanzas: [Element] = []

    package init?() {
        guard let reference = ExpatReference() else { return nil }
        self.reference = reference
    }

    /// Compares once; `piece` gives the size of the next piece for our parser.
    package func compare(_ bytes: [UInt8], piece: () -> Int) -> Outcome {
        let error = parse(bytes, piece: piece)
        bytes.withUnsafeBufferPointer { reference.parse($0) }
        let ours = trace.bytes[..<trace.complete]
        let theirs = reference.trace.bytes[..<reference.trace.complete]
        switch (error, reference.isRefused) {
        case (nil, false):
            return ours == theirs ? .accepted : .disagreement("both accept and differ")
        case (nil, true):
            if let rule = reference.brokenRule { return .disagreement("the rule \(rule) is not kept") }
            guard isFifthEditionName(bytes) else { return .disagreement("only expat refuses: \(reference.errorCode)") }
            return ours.starts(with: theirs) ? .fifthEditionName : .disagreement("events differ before a name")
        case (let error?, _):
            return compare(error, bytes, ours, theirs)
        }
    }

    /// Whether each stanza of the last case means the same after it was written, alone and inside another element.
    package func stanzasSurviveWriting() -> Bool {
        stanzas.allSatisfy { stanza in
            var wrapped = Element(XMLName("wrapper", "urn:example:wrapper")) { $0.child(stanza) }
            if let reparsed = XMLComparison.reparse(wrapped) { wrapped = reparsed }
            return XMLComparison.reparse(stanza) == stanza && wrapped.children.first == stanza
        }
    }

    private static func reparse(_ element: Element) -> Element? {
        var parser = XMLStreamParser(limits: .afterLogin)
        Array("<r>\(element.xml)".utf8).withUnsafeBytes { parser.append($0) }
        guard case .open? = try? parser.next(), case .stanza(let stanza)? = try? parser.next() else { return nil }
        return stanza
    }

    private func parse(_ bytes: [UInt8], piece: () -> Int) -> XMLError? {
        parser.reset()
        trace.removeAll()
        stanzas.removeAll(keepingCapacity: true)
        var start = 0
        do throws(XMLError) {
            while start < bytes.count {
                let end = min(bytes.count, start + max(1, piece()))
                bytes[start..<end].withUnsafeBytes { parser.append($0) }
                start = end
                while true {
                    let event = try parser.next()
                    if case .needsMoreBytes = event { break }
                    if case .stanza(let element) = event { stanzas.append(element) }
                    trace.append(event)
                }
            }
            return nil
        } catch {
            return error
        }
    }

    private func compare(
        _ error: XMLError, _ bytes: [UInt8], _ ours: ArraySlice<UInt8>, _ theirs: ArraySlice<UInt8>
    ) -> Outcome {
        if case .limit(let limit) = error.kind {
            return theirs.starts(with: ours) ? .limit(limit) : .disagreement("events differ before a limit")
        }
        if let rule = reference.brokenRule {
            // The trace of a stream that is not UTF-8 is empty: expat did not get it.
            return theirs.isEmpty || theirs.starts(with: ours)
                ? .rule(rule) : .disagreement("events differ before a rule")
        }
        if reference.isRefused {
            if ours == theirs { return .refused }
            let isName = ours.starts(with: theirs) && isFifthEditionName(bytes)
            return isName ? .fifthEditionName : .disagreement("both refuse after different events")
        }
        guard ours == theirs else { return .disagreement("events differ, and only we refuse: \(error)") }
        return canBeCompleted(bytes, after: theirs.count)
            ? .disagreement("only we refuse: \(error)") : .refusedEarly
    }

    /// Whether expat stopped at a character that only the fifth edition allows in names.
    private func isFifthEditionName(_ bytes: [UInt8]) -> Bool {
        let tail = bytes.dropFirst(reference.errorOffset).prefix(4)
        guard reference.brokenRule == nil, let scalar = String(decoding: tail, as: UTF8.self).unicodeScalars.first
        else { return false }
        return !scalar.isASCII && XMLComparison.isName(scalar.value)
    }

    /// Production [4a] of the fifth edition, written again so as not to use the code under test.
    private static func isName(_ scalar: UInt32) -> Bool {
        let ranges: [ClosedRange<UInt32>] = [
            0xB7...0xB7, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x203F...0x2040,
            0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF,
        ]
        return ranges.contains { $0.contains(scalar) }
    }

    /// Whether some ending of the token that expat waits for is accepted by it.
    private func canBeCompleted(_ bytes: [UInt8], after events: Int) -> Bool {
        let endings = [
            ">", "/>", "'>", "\">", "='1'>", "=\"1\"/>", "'/>", "\"/>", ";", "amp;", ";'>", ";\">", "]]>", "a>", "?>",
            "-->", " a>", ":a>", "\u{80}>", "[CDATA[]]>", "CDATA[]]>",
        ]
        for ending in endings {
            let completed = bytes + Array(ending.utf8)
            completed.withUnsafeBufferPointer { reference.parse($0) }
            // Accepted is what leaves expat without an error and without a token that is still open.
            if !reference.isRefused, reference.hasConsumedAll { return true }
        }
        return false
    }
}
