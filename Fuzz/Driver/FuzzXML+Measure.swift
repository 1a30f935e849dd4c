// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import XMLDifferential
internal import XMPP

extension FuzzXML {
    private static let chunk = 4096

    /// The bytes of a file, or without one 20 MB of traffic of our own.
    static func stream(_ path: String?) -> [UInt8] {
        guard let path else {
            var corpus = XMLCorpus(seed: 20_260_101)
            return corpus.stream(bytes: 20_000_000)
        }
        guard let file = fopen(path, "r") else {
            fail("\(path) cannot be read")
            return []
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&block, 1, block.count, file)
            if count == 0 { return bytes }
            bytes += block[..<count]
        }
    }

    /// Parses the same traffic in turn with expat and empty handlers and with ours; prints the medians of CPU time.
    static func measure(_ stream: [UInt8]) {
        guard let expat = ExpatCounter() else { return fail("expat cannot be started") }
        var ours: [Double] = []
        var theirs: [Double] = []
        var stanzas = 0
        for _ in 0..<7 {
            theirs.append(time { expat.parse(stream, chunk: chunk) })
            ours.append(time { stanzas = parse(stream) })
        }
        let megabytes = Double(stream.count) / 1_000_000
        let our = megabytes / ours.sorted()[3]
        let their = megabytes / theirs.sorted()[3]
        print("\(stanzas) stanzas, \(stream.count / stanzas) bytes each")
        print("expat \(Int(their)) MB/s, ours \(Int(our)) MB/s, ratio \(Int(our / their * 100)) %")
    }

    /// Parses traffic once, for counting instructions.
    static func parseOnly(_ stream: [UInt8]) {
        print("\(parse(stream)) stanzas")
    }

    @inline(never)
    private static func parse(_ stream: [UInt8]) -> Int {
        var parser = XMLStreamParser(limits: .afterLogin)
        var stanzas = 0
        stream.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + chunk)
                parser.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                start = end
                do throws(XMLError) {
                    loop: while true {
                        switch try parser.next() {
                        case .needsMoreBytes: break loop
                        case .stanza: stanzas += 1
                        default: break
                        }
                    }
                } catch {
                    fail("\(error)")
                }
            }
        }
        return stanzas
    }

    private static func time(_ body: () -> Void) -> Double {
        let start = clock()
        body()
        return Double(clock() - start) / Double(CLOCKS_PER_SEC)
    }
}
