// SPDX-License-Identifier: Apache-2.0
internal import ApusCExpat
internal import Glibc

/// Expat as the reference: the same events for the same bytes, and why it or the rules of a stream stopped.
///
/// Belongs to one thread.
package final class ExpatReference {
    /// A rule of XMPP's streams that is not one of XML, and that the bytes broke.
    package enum Rule: String, Sendable {
        case documentType, comment, processingInstruction, byteOrderMark, encoding, version, textBetweenStanzas
    }

    /// The events.
    package private(set) var trace = XMLTrace()
    /// The first rule that was broken, after which expat was stopped.
    package private(set) var brokenRule: Rule?
    /// Expat's own error, as its code; 0 for none.
    package private(set) var errorCode: UInt32 = 0
    /// Where the error is, in bytes from the beginning.
    package private(set) var errorOffset = 0

    private let parser: XML_Parser
    private var depth = 0
    private var total = 0

    package init?() {
        guard let parser = XML_ParserCreateNS("UTF-8", 1) else { return nil }
        self.parser = parser
    }

    deinit { XML_ParserFree(parser) }

    /// Whether the bytes were refused.
    package var isRefused: Bool { errorCode != 0 || brokenRule != nil }

    /// Whether expat waits for no more bytes of a token that has begun.
    package var hasConsumedAll: Bool {
        return Int(XML_GetCurrentByteIndex(parser)) + Int(XML_GetCurrentByteCount(parser)) >= total
    }

    /// Forgets everything and parses these bytes as the beginning of a stream.
    package func parse(_ bytes: UnsafeBufferPointer<UInt8>) {
        trace.removeAll()
        brokenRule = nil
        errorCode = 0
        errorOffset = 0
        depth = 0
        total = 0
        XML_ParserReset(parser, "UTF-8")
        _ = ExpatReference.disableDeferral?(parser, 0)
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(parser, onStart, onEnd)
        XML_SetCharacterDataHandler(parser, onText)
        XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in reference(user).stop(.documentType) }
        XML_SetCommentHandler(parser) { user, _ in reference(user).stop(.comment) }
        XML_SetProcessingInstructionHandler(parser) { user, _, _ in reference(user).stop(.processingInstruction) }
        XML_SetStartCdataSectionHandler(parser) { user in reference(user).startCharacterData() }
        XML_SetXmlDeclHandler(parser, onDeclaration)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { brokenRule = .byteOrderMark }
        // Expat turns to UTF-16 when the beginning looks like it, whatever it was told.
        if bytes.count > 1,
            bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) || bytes[0] == 0
                || bytes[1] == 0
        {
            brokenRule = .encoding
        }
        if brokenRule == nil { feed(bytes) }
    }

    /// Parses more bytes of the same stream.
    package func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard !isRefused else { return }
        total += bytes.count
        let status = bytes.withMemoryRebound(to: CChar.self) {
            XML_Parse(parser, $0.baseAddress, Int32(truncatingIfNeeded: $0.count), 0)
        }
        guard status == XML_STATUS_ERROR, brokenRule == nil else { return }
        errorCode = XML_GetErrorCode(parser).rawValue
        errorOffset = Int(XML_GetCurrentByteIndex(parser))
    }

    // `XML_SetReparseDeferralEnabled`, where this expat has it: without the call it may withhold events.
    private static let disableDeferral: (@convention(c) (XML_Parser, UInt8) -> UInt8)? = {
        guard let symbol = dlsym(nil, "XML_SetReparseDeferralEnabled") else { return nil }
        return unsafeBitCast(symbol, to: (@convention(c) (XML_Parser, UInt8) -> UInt8).self)
    }()

    fileprivate func stop(_ rule: Rule) {
        guard brokenRule == nil else { return }
        brokenRule = rule
        XML_StopParser(parser, 0)
    }

    fileprivate func startCharacterData() {
        if depth == 1 { stop(.textBetweenStanzas) }
    }

    fileprivate func declare(version: UnsafePointer<CChar>?, encoding: UnsafePointer<CChar>?) {
        if let version {
            let text = String(cString: version)
            let minor = text.dropFirst(2)
            if !text.hasPrefix("1.") || minor.isEmpty || !minor.allSatisfy({ $0.isASCII && $0.isNumber }) {
                return stop(.version)
            }
        }
        if let encoding, String(cString: encoding).lowercased() != "utf-8" { stop(.encoding) }
    }

    fileprivate func start(_ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        depth += 1
        let (namespace, local) = split(name)
        trace.start(namespace, local)
        var index = 0
        while let attributes, let name = attributes[index], let value = attributes[index + 1] {
            let (namespace, local) = split(name)
            trace.attribute(namespace, local, bytes(value))
            index += 2
        }
        if depth == 1 { trace.finishEvent() }
    }

    fileprivate func end() {
        trace.end()
        depth -= 1
        if depth < 2 { trace.finishEvent() }
    }

    fileprivate func characters(_ text: UnsafeBufferPointer<UInt8>) {
        guard depth == 1 else { return trace.text(text) }
        // A reference to white space is text as well; its byte in the input is the ampersand.
        var length: Int32 = 0
        var offset: Int32 = 0
        let isReference =
            XML_GetInputContext(parser, &offset, &length).map {
                $0[Int(offset)] == CChar(bitPattern: UInt8(ascii: "&"))
            }
            ?? false
        if isReference || !text.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x09 || $0 == 0x0D }) {
            stop(.textBetweenStanzas)
        }
    }

    private func bytes(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: strlen(text))
    }

    private func split(
        _ name: UnsafePointer<CChar>
    ) -> (namespace: Slice<UnsafeBufferPointer<UInt8>>, local: Slice<UnsafeBufferPointer<UInt8>>) {
        let name = bytes(name)
        guard let separator = name.firstIndex(of: 1) else { return (name[0..<0], name[0...]) }
        return (name[..<separator], name[(separator + 1)...])
    }
}

// MARK: Callbacks

nonisolated private func reference(_ user: UnsafeMutableRawPointer?) -> ExpatReference {
    guard let user else { preconditionFailure("expat lost its user data") }
    return Unmanaged<ExpatReference>.fromOpaque(user).takeUnretainedValue()
}

nonisolated private func onStart(
    _ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
    _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) {
    if let name { reference(user).start(name, attributes) }
}

nonisolated private func onEnd(_ user: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?) {
    reference(user).end()
}

nonisolated private func onText(_ user: UnsafeMutableRawPointer?, _ text: UnsafePointer<CChar>?, _ count: Int32) {
    guard let text else { return }
    reference(user).characters(
        UnsafeBufferPointer(start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: Int(count)))
}

nonisolated private func onDeclaration(
    _ user: UnsafeMutableRawPointer?, _ version: UnsafePointer<CChar>?, _ encoding: UnsafePointer<CChar>?,
    _ standalone: Int32
) {
    reference(user).declare(version: version, encoding: encoding)
}
