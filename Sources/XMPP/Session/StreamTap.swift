// SPDX-License-Identifier: Apache-2.0

/// Reads one direction of a stream along with those whom it is meant for, and writes it into a log.
///
/// Streams begin anew after TLS and after the login; what cannot be read is told by its length. Confined to the thread
/// of the stream.
final class StreamTap {
    private static let markers = [Array("<?xml".utf8), Array("<stream:stream".utf8)]

    private let redactor: StreamRedactor
    private let write: (String) -> Void
    private var parser = XMLStreamParser(limits: .afterLogin)
    /// The last bytes, where they may be the start of a marker.
    private var carried: [UInt8] = []
    private var isLost = false

    init(_ redactor: StreamRedactor, _ write: @escaping (String) -> Void) {
        self.redactor = redactor
        self.write = write
    }

    func take(_ bytes: UnsafeRawBufferPointer) {
        var rest = (carried + Array(bytes))[...]
        carried = []
        while let start = Self.nextMarker(in: rest) {
            parse(rest[..<start])
            parser.reset()
            isLost = false
            // The marker itself, so that it is not found again.
            parse(rest[start..<(start + 1)])
            rest = rest[(start + 1)...]
        }
        let end = Self.unfinishedMarker(in: rest)
        carried = Array(rest[end...])
        parse(rest[..<end])
    }

    private func parse(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        guard !isLost else { return write("[\(bytes.count) bytes that cannot be read]") }
        bytes.withUnsafeBytes { parser.append($0) }
        do throws(XMLError) {
            while true {
                switch try parser.next() {
                case .needsMoreBytes: return
                case .open(let header): write(redactor.openingTag(header))
                case .stanza(let element): write(redactor.text(element))
                case .close: write("</stream:stream>")
                }
            }
        } catch {
            isLost = true
            write("[XML that cannot be read: \(error.reason)]")
        }
    }

    private static func nextMarker(in bytes: ArraySlice<UInt8>) -> Int? {
        var position = bytes.startIndex
        while let found = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            if markers.contains(where: { bytes[found...].starts(with: $0) }) { return found }
            position = found + 1
        }
        return nil
    }

    /// Where the last bytes begin that a marker may begin with.
    private static func unfinishedMarker(in bytes: ArraySlice<UInt8>) -> Int {
        guard let start = bytes.suffix(16).lastIndex(of: UInt8(ascii: "<")) else { return bytes.endIndex }
        let tail = bytes[start...]
        return markers.contains { $0.starts(with: tail) } ? start : bytes.endIndex
    }
}
