// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatService

/// A request as the HTTP library would take it apart: method, target, version and headers a line each, an empty line,
/// and a body; then it is admitted, and its body given to the operation, over a core that answers nothing.
package func fuzzHTTP(_ bytes: UnsafeRawBufferPointer) {
    let all = Array(bytes)
    let end = all.firstRange(of: [0x0A, 0x0A])?.lowerBound ?? all.count
    var lines = all[..<end].split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    guard lines.count >= 3 else { return }
    let version = String(decoding: lines.remove(at: 2), as: UTF8.self)
    let target = lines.remove(at: 1)
    var raw = WebHead.Raw(
        method: String(decoding: lines.remove(at: 0), as: UTF8.self), target: target, version: version)
    for line in lines {
        let mark = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        raw.headers.append((name: Array(line[..<mark]), value: Array(line[min(mark + 1, line.count)...])))
    }
    guard let head = try? WebHead(raw) else { return }
    // What was let through is unambiguous.
    precondition(raw.headers.count <= WebHead.headerLimit)
    precondition(head.headers.count { $0.name == "host" } == 1)
    precondition(head.headers.count { $0.name == "content-length" || $0.name == "transfer-encoding" } <= 1)
    precondition(head.path.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0) })
    precondition(!head.method.isSafe || !head.hasBody)
    for header in head.headers { precondition(!header.value.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) }
    if case .part(let range) = ByteRange(head.header("range"), size: 1000) {
        precondition(range.lowerBound < range.upperBound && range.upperBound <= 1000)
    }
    _ = names("\"tag\"", in: head.header("if-none-match"))
    let body = all[min(end + 2, all.count)...]
    _ = WebInterface.readings(of: Array(body))
}
