// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
import Testing
package import XMPP

/// Writes what goes over the streams of a test into a file, one element a line, for `make features`.
///
/// Each test has one file for each server, in a folder for the server inside the one that `APUS_STREAMS` names; nothing
/// is written in a plain `swift test`. All streams of a test go into its file: what one of them sends is what another
/// receives. The first line names the test as the events of Swift Testing do.
///
/// Owner of its state: the lock around the file.
package final class StreamRecorder: Sendable {
    package enum Direction: String, Sendable {
        case sent = ">"
        case received = "<"
    }

    private let file: Locked<FileHandle>

    private init(_ handle: FileHandle) { file = Locked(handle) }

    package func write(_ direction: Direction, _ text: String) {
        let line = Data("\(direction.rawValue) \(text.split(separator: "\n").joined(separator: " "))\n".utf8)
        file.withLock { try? $0.write(contentsOf: line) }
    }

    /// The recorder of the test that runs now, for its streams with this server.
    package static func current(_ server: String) -> StreamRecorder? {
        guard let folder, let test = Test.current else { return nil }
        let source = test.sourceLocation
        let stem = source.fileID.split(separator: "/").last.map { $0.prefix { $0 != "." } } ?? ""
        let path = "\(folder)/\(server)/\(stem)-\(source.line).txt"
        return recorders.withLock { recorders in
            if let known = recorders[path] { return known }
            let manager = FileManager.default
            try? manager.createDirectory(atPath: "\(folder)/\(server)", withIntermediateDirectories: true)
            guard manager.createFile(atPath: path, contents: Data("# \(test.id)\n".utf8)),
                let handle = FileHandle(forWritingAtPath: path), (try? handle.seekToEnd()) != nil
            else { return nil }
            let recorder = StreamRecorder(handle)
            recorders[path] = recorder
            return recorder
        }
    }

    private static let folder = ProcessInfo.processInfo.environment["APUS_STREAMS"]
    private static let recorders = Locked<[String: StreamRecorder]>([:])
}

extension StreamRecorder {
    /// A trace that writes what a session says and hears, redacted as every trace.
    package var trace: StreamTrace {
        StreamTrace { line in
            switch line.direction {
            case .sent: self.write(.sent, line.text)
            case .received: self.write(.received, line.text)
            case .note: break
            }
        }
    }
}

/// The elements of one direction of a scripted stream, as far as they can be read.
// A class, since the parser cannot be copied.
final class RecordingParser {
    private var parser = XMLStreamParser(limits: .afterLogin)
    private var isBroken = false

    func elements(_ bytes: [UInt8]) -> [Element] {
        if bytes.starts(with: "<?xml".utf8) {
            parser.reset()
            isBroken = false
        }
        guard !isBroken else { return [] }
        bytes.withUnsafeBytes { parser.append($0) }
        var elements: [Element] = []
        do {
            while true {
                switch try parser.next() {
                case .needsMoreBytes, .close: return elements
                case .open: continue
                case .stanza(let element): elements.append(element)
                }
            }
        } catch {
            // Whatever a script breaks on purpose is no element of it.
            isBroken = true
            return elements
        }
    }
}
