// SPDX-License-Identifier: Apache-2.0
import XMPP

extension WebHead {
    /// Headers in one request; browsers send about twenty.
    package static let headerLimit = 100
    private static let parameterLimit = 32

    /// Checks a head by RFC 9112, and more strictly where readers are known to differ.
    ///
    /// What two programs can understand differently is refused: that is what request smuggling lives on.
    package init(_ raw: Raw) throws(WebRefusal) {
        guard let method = Method(rawValue: raw.method) else { throw WebRefusal(501, "this method is not served") }
        guard raw.version == "HTTP/1.1" || raw.version == "HTTP/1.0" else {
            throw WebRefusal(505, "only HTTP/1.1 is served")
        }
        let headers = try Self.headers(raw)
        try Self.checkLineEnds(raw)
        let (path, query) = try Self.takeApart(raw.target)
        let hosts = headers.filter { $0.name == "host" }
        guard hosts.count == 1, let host = hosts.first?.value.lowercased(), !host.isEmpty else {
            throw WebRefusal(400, "a request has exactly one Host")
        }
        let length = try Self.bodyLength(headers)
        if method.isSafe, length != 0 { throw WebRefusal(400, "\(method.rawValue) has no body") }
        if let expected = headers.first(where: { $0.name == "expect" }), expected.value.lowercased() != "100-continue" {
            throw WebRefusal(417, "only 100-continue can be expected")
        }
        if headers.contains(where: { $0.name == "upgrade" }) { throw WebRefusal(400, "nothing is upgraded here") }
        self.init(method: method, path: path, query: query, headers: headers, host: host, bodyLength: length)
    }

    private static func headers(_ raw: Raw) throws(WebRefusal) -> [Header] {
        guard raw.headers.count <= headerLimit else { throw WebRefusal(431, "too many headers") }
        var headers: [Header] = []
        headers.reserveCapacity(raw.headers.count)
        for header in raw.headers {
            guard !header.name.isEmpty, header.name.allSatisfy(isTokenCharacter) else {
                throw WebRefusal(400, "a header has a name that is none")
            }
            guard header.value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
                throw WebRefusal(400, "a header has control characters")
            }
            let name = String(decoding: header.name, as: UTF8.self).lowercased()
            let value = String(decoding: header.value, as: UTF8.self)
            headers.append(Header(name: name, value: value.trimmingBlanks))
        }
        return headers
    }

    /// RFC 9110 §5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// The library takes a bare line feed for the end of a line.
    ///
    /// With as many bytes as the lines have at least, none
    /// did: every client in use writes one blank after the colon.
    private static func checkLineEnds(_ raw: Raw) throws(WebRefusal) {
        guard raw.size > 0 else { return }
        var least = raw.method.utf8.count + raw.target.count + raw.version.utf8.count + 6
        for header in raw.headers {
            least += header.name.count + header.value.count + (header.value.isEmpty ? 3 : 4)
        }
        guard raw.size >= least else {
            throw WebRefusal(400, "a head's lines end with CR LF and have a space after the colon")
        }
    }

    private static func bodyLength(_ headers: [Header]) throws(WebRefusal) -> Int? {
        let lengths = headers.filter { $0.name == "content-length" }
        let codings = headers.filter { $0.name == "transfer-encoding" }
        guard lengths.count + codings.count <= 1 else {
            throw WebRefusal(400, "a body has one length or one coding")
        }
        if let coding = codings.first {
            guard coding.value.lowercased() == "chunked" else { throw WebRefusal(501, "this coding is not served") }
            return nil
        }
        guard let text = lengths.first?.value else { return 0 }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw WebRefusal(400, "a length is a number")
        }
        guard let length = Int(text) else { throw WebRefusal(413, "the body is too large") }
        return length
    }

    /// Path and query of a target in origin form.
    ///
    /// Segments are cut before they are decoded, so that an encoded slash stays a part of its segment, and none can be
    /// a step up or a control character.
    static func takeApart(_ target: [UInt8]) throws(WebRefusal) -> ([String], [String: String]) {
        guard target.first == UInt8(ascii: "/") else { throw WebRefusal(400, "the target begins with a slash") }
        guard target.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") })
        else {
            throw WebRefusal(400, "the target has characters that have to be encoded")
        }
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        var path: [String] = []
        for part in target[1..<mark].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            path.append(try decode(part))
        }
        if path.last == "" { path.removeLast() }
        guard !path.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            throw WebRefusal(400, "the path has a segment that is none")
        }
        return (path, mark < target.endIndex ? try parameters(target[(mark + 1)...]) : [:])
    }

    private static func parameters(_ bytes: ArraySlice<UInt8>) throws(WebRefusal) -> [String: String] {
        var query: [String: String] = [:]
        for part in bytes.split(separator: UInt8(ascii: "&")) {
            let plain = part.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
            let mark = plain.firstIndex(of: UInt8(ascii: "=")) ?? plain.endIndex
            let name = try decode(plain[..<mark])
            let value = try decode(plain[min(mark + 1, plain.endIndex)...])
            guard query.updateValue(value, forKey: name) == nil else {
                throw WebRefusal(400, "a parameter is given twice")
            }
            guard query.count <= parameterLimit else { throw WebRefusal(400, "too many parameters") }
        }
        return query
    }

    /// Percent-decodes strictly: two digits each, valid UTF-8, no control characters.
    static func decode(_ bytes: ArraySlice<UInt8>) throws(WebRefusal) -> String {
        guard let raw = String(validating: bytes, as: UTF8.self), let text = PercentCoding.decode(raw),
            !text.unicodeScalars.contains(where: { "\n\r\t".unicodeScalars.contains($0) })
        else { throw WebRefusal(400, "the target is not encoded as it should be") }
        return text
    }
}

extension String {
    /// Without blanks and tabs at both ends.
    fileprivate var trimmingBlanks: String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let start = drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(start[...last])
    }
}
