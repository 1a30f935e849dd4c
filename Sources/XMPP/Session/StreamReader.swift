// SPDX-License-Identifier: Apache-2.0

/// The parser of a session by itself, for measuring it: bytes in, the elements that the session works on out.
@_spi(Measuring)
public struct StreamReader: ~Copyable {
    private var parser = XMLStreamParser(limits: .afterLogin)

    /// Makes a reader that expects a stream header.
    public init() {}

    /// Appends received bytes.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) { parser.append(bytes) }

    /// The next stanza that is complete, nil when more bytes are needed; throws ``XMPPError`` for broken XML.
    public mutating func next() throws(XMPPError) -> Element? {
        while true {
            do throws(XMLError) {
                switch try parser.next() {
                case .stanza(let element): return element
                case .open: continue
                case .needsMoreBytes, .close: return nil
                }
            } catch { throw .violation(error.reason, error) }
        }
    }
}
