// SPDX-License-Identifier: Apache-2.0

/// Cuts a stream of bytes into lines; each byte is looked at once, whatever the sizes it comes in.
package struct LineDecoder: Sendable {
    /// A line is longer than the limit; the stream cannot be used any more.
    package struct LineTooLong: Error, Hashable, Sendable {
        package let limit: Int
    }

    /// Bytes of one line without its line feed.
    package let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var scanned = 0
    private var hasFailed = false

    package init(limit: Int) { self.limit = limit }

    /// Bytes that wait for the rest of their line, or to be taken.
    package var bufferedBytes: Int { buffer.count - start }

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if start > 0, start == buffer.count || start > 65_536 {
            buffer.removeFirst(start)
            scanned -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole line without its line feed; nil when more bytes are needed.
    package mutating func next() throws(LineTooLong) -> [UInt8]? {
        guard !hasFailed else { throw LineTooLong(limit: limit) }
        while scanned < buffer.count {
            if buffer[scanned] == 0x0A {
                let line = Array(buffer[start..<scanned])
                scanned += 1
                start = scanned
                return line
            }
            scanned += 1
            if scanned - start > limit {
                hasFailed = true
                buffer = []
                throw LineTooLong(limit: limit)
            }
        }
        return nil
    }
}
