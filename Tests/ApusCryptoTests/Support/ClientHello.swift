// SPDX-License-Identifier: Apache-2.0

/// The parts of a client's first message that tests look at (RFC 8446 §4.1.2).
struct ClientHello {
    var compressionMethods: [UInt8] = []
    var cipherSuites: [UInt16] = []
    var extensions: [UInt16: [UInt8]] = [:]

    /// Reads one record that holds the whole message.
    init?(record: [UInt8]) {
        var reader = Reader(bytes: record[...])
        guard reader.number(1) == 22, reader.skip(2), let body = reader.vector(2) else { return nil }
        reader = Reader(bytes: body)
        guard reader.number(1) == 1, let message = reader.vector(3) else { return nil }
        reader = Reader(bytes: message)
        guard reader.skip(2 + 32), reader.vector(1) != nil, let suites = reader.vector(2),
            let methods = reader.vector(1), let all = reader.vector(2)
        else { return nil }
        compressionMethods = Array(methods)
        reader = Reader(bytes: suites)
        while let suite = reader.number(2) { cipherSuites.append(UInt16(suite)) }
        reader = Reader(bytes: all)
        while let kind = reader.number(2), let value = reader.vector(2) { extensions[UInt16(kind)] = Array(value) }
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func number(_ count: Int) -> Int? {
            guard bytes.count >= count else { return nil }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        }

        mutating func skip(_ count: Int) -> Bool { number(count) != nil }

        mutating func vector(_ lengthBytes: Int) -> ArraySlice<UInt8>? {
            guard let count = number(lengthBytes), bytes.count >= count else { return nil }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }
    }
}
