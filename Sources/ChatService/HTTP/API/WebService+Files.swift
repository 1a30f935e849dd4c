// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension WebService {
    /// Files of the web app; anybody on the machine may have them, nothing private is in them.
    func admitFile(_ head: WebHead) -> WebAdmission {
        guard head.method.isSafe else {
            var reply = refused(WebRefusal(405, "files are only read"))
            reply.set("Allow", "GET, HEAD")
            return .refuse(reply)
        }
        if let authority, head.path == ["apus-ca.crt"] {
            var reply = WebReply(200, body: .bytes(Array(authority.utf8)))
            reply.set("Content-Type", "application/x-x509-ca-cert")
            reply.set("Content-Disposition", "attachment; filename=\"apus-ca.crt\"")
            reply.addSafeguards(isPage: false)
            return .refuse(reply)
        }
        guard let files else {
            return .refuse(refused(WebRefusal(404, "the files of the web app are not where they should be")))
        }
        if let file = files.file(head.path) { return .refuse(Self.reply(file, head)) }
        // The app has addresses of its own, which are all the same page.
        let isPage = head.header("sec-fetch-dest").map { $0 == "document" } ?? !(head.path.last ?? "").contains(".")
        if isPage, let page = files.file([]) {
            return .refuse(Self.reply(page, head))
        }
        return .refuse(refused(WebRefusal(404, "there is no such file")))
    }

    static func reply(_ file: StaticFiles.File, _ head: WebHead) -> WebReply {
        var reply: WebReply
        let isWanted = head.header("if-range").map { $0 == file.tag } ?? true
        let range = ByteRange(isWanted ? head.header("range") : nil, size: file.bytes.count)
        if names(file.tag, in: head.header("if-none-match")) {
            reply = WebReply(304)
        } else {
            switch range {
            case .whole: reply = WebReply(200, body: .bytes(file.bytes))
            case .part(let part):
                reply = WebReply(206, body: .bytes(Array(file.bytes[part])))
                reply.set("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.bytes.count)")
            case .unsatisfiable:
                reply = WebReply(416)
                reply.set("Content-Range", "bytes */\(file.bytes.count)")
            }
            reply.set("Content-Type", file.type)
        }
        reply.set("ETag", file.tag)
        reply.set("Accept-Ranges", "bytes")
        // Asked for again each time, and mostly answered with 304: an update is seen at once.
        reply.set("Cache-Control", "no-cache")
        reply.addSafeguards(isPage: true)
        return reply
    }
}
