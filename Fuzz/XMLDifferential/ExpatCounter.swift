// SPDX-License-Identifier: Apache-2.0
internal import ApusCExpat

/// Expat without namespaces and with handlers that only count: the least that any user of it pays.
package final class ExpatCounter {
    /// Elements and texts seen.
    package fileprivate(set) var count = 0
    private let parser: XML_Parser

    package init?() {
        guard let parser = XML_ParserCreate("UTF-8") else { return nil }
        self.parser = parser
    }

    deinit { XML_ParserFree(parser) }

    /// Parses a stream in chunks of this size.
    package func parse(_ stream: [UInt8], chunk: Int) {
        XML_ParserReset(parser, "UTF-8")
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser, { user, _, _ in counter(user).count += 1 }, { user, _ in counter(user).count += 1 })
        XML_SetCharacterDataHandler(parser) { user, _, _ in counter(user).count += 1 }
        stream.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let count = min(chunk, bytes.count - start)
                let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
                _ = XML_Parse(parser, piece.bindMemory(to: CChar.self).baseAddress, Int32(count), 0)
                start += count
            }
        }
    }
}

nonisolated private func counter(_ user: UnsafeMutableRawPointer?) -> ExpatCounter {
    guard let user else { preconditionFailure("expat lost its user data") }
    return Unmanaged<ExpatCounter>.fromOpaque(user).takeUnretainedValue()
}
