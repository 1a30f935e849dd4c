// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import Foundation

extension WebRoutes {
    static let people: [WebRoute] = [
        WebRoute(.get, "accounts/{account}/blocked") { (service, call) throws(ChatAPIError) in
            .list("addresses", try await service.client.blocked(account: call.account).map(\.address))
        },
        WebRoute(.put, "accounts/{account}/blocked/{address}") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(BlockBody.self)
            let report = body.report == true ? BlockRequest.Report(reason: body.reason ?? .spam, text: body.text) : nil
            let request = BlockRequest(account: call.account, address: call["address"], report: report)
            return .json(200, try await service.client.block(request))
        },
        WebRoute(.delete, "accounts/{account}/blocked/{address}") { (service, call) throws(ChatAPIError) in
            try await service.client.unblock(BlockRequest(account: call.account, address: call["address"]))
            return .done
        },
        WebRoute(.get, "accounts/{account}/profile") { (service, call) throws(ChatAPIError) in
            .json(200, ProfileReply(try await service.client.profile(ProfileRequest(account: call.account))))
        },
        WebRoute(.put, "accounts/{account}/profile") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(ProfileBody.self)
            let change = ProfileChange(
                account: call.account, fullName: body.name, nickname: body.nickname, birthday: body.birthday,
                emails: body.emails, phones: body.phones, urls: body.links, note: body.note)
            return .json(200, ProfileReply(try await service.client.changeProfile(change)))
        },
        WebRoute(.get, "contacts/{account}/{address}/profile") { (service, call) throws(ChatAPIError) in
            let request = ProfileRequest(account: call.account, address: call["address"])
            return .json(200, ProfileReply(try await service.client.profile(request)))
        },
        WebRoute(.get, "avatars/{account}/{address}") { (service, call) throws(ChatAPIError) in
            let named = call.head.query["name"].flatMap { name in
                name.utf8.count <= 128 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? name : nil
            }
            let known = try await named == nil ? service.picture(of: call["address"], for: call.account) : nil
            guard let hash = named ?? known else {
                throw ChatAPIError(.notFound, "there is no picture")
            }
            let tag = "\"\(hash.filter { $0.isLetter || $0.isNumber })\""
            guard !names(tag, in: call.head.header("if-none-match")) else { return .picture(WebReply(304), tag) }
            guard let picture = try await service.client.picture(hash: hash) else {
                throw ChatAPIError(.notFound, "the picture is gone")
            }
            var reply = WebReply(200, body: .bytes(Array(picture.data)))
            reply.setType(picture.type)
            return .picture(reply, tag)
        },
    ]

    /// What bodies are read as.
    static var peopleBodies: [any Decodable.Type] { [BlockBody.self, ProfileBody.self] }
}

extension WebService {
    /// How long the names of pictures are believed: a list that is scrolled asks for many at once.
    private static let pictureNanoseconds: UInt64 = 1_000_000_000

    /// The name of somebody's picture, from the lists that the page shows.
    fileprivate func picture(of address: String, for account: String) async throws(ChatAPIError) -> String? {
        let now = WebConnectionRecord.now
        let key = "\(account) \(address)"
        let known = pictureNames.withLock { state -> String?? in
            state.until > now ? .some(state.names[key]) : nil
        }
        if let known { return known }
        var names: [String: String] = [:]
        for one in try await client.conversations() { names["\(one.account) \(one.conversation)"] = one.picture }
        for one in try await client.contacts(account: nil) {
            if let picture = one.picture { names["\(one.account) \(one.address)"] = picture }
        }
        let all = names
        pictureNames.withLock { $0 = (now &+ Self.pictureNanoseconds, all) }
        return all[key]
    }
}

extension WebReply {
    /// A browser may keep it, but has to ask each time whether it still holds; signing out clears what it kept.
    fileprivate static func picture(_ reply: WebReply, _ tag: String) -> WebReply {
        var reply = reply
        reply.set("ETag", tag)
        reply.set("Cache-Control", "private, no-cache")
        return reply
    }

    /// The type of foreign bytes: raster pictures, sounds and films that browsers show without running anything, and
    /// everything else as a file to be saved.
    mutating func setType(_ type: String, name: String? = nil) {
        let plain = type.lowercased().prefix { $0 != ";" }
        let isHarmless = Self.harmless.contains(String(plain))
        set("Content-Type", isHarmless ? String(plain) : "application/octet-stream")
        let kind = isHarmless ? "inline" : "attachment"
        guard let name else { return set("Content-Disposition", kind) }
        // RFC 8187; the plain form is for readers that do not know it.
        let ascii = name.unicodeScalars.map { scalar in
            scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F && !"\"\\/".unicodeScalars.contains(scalar)
                ? Character(scalar) : "_"
        }
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_".utf8)
        let encoded = name.utf8.map { byte in
            allowed.contains(byte)
                ? String(UnicodeScalar(byte))
                : "%" + String(byte >> 4, radix: 16, uppercase: true)
                    + String(byte & 15, radix: 16, uppercase: true)
        }
        set("Content-Disposition", "\(kind); filename=\"\(String(ascii))\"; filename*=UTF-8''\(encoded.joined())")
    }

    /// No SVG and no HTML: they are programs.
    private static let harmless: Set<String> = [
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "audio/mpeg", "audio/ogg", "audio/mp4",
        "audio/webm", "audio/wav", "audio/aac", "audio/flac", "video/mp4", "video/webm", "video/ogg",
    ]
}

private struct BlockBody: Decodable {
    var report: Bool?
    var reason: BlockRequest.Report.Reason?
    var text: String?
}

private struct ProfileBody: Decodable {
    var name: String?
    var nickname: String?
    var birthday: String?
    var note: String?
    var emails: [String]?
    var phones: [String]?
    var links: [String]?
}

private struct ProfileReply: Encodable {
    let address: String
    let name: String?
    let nickname: String?
    let birthday: String?
    let note: String?
    let organization: String?
    let title: String?
    let emails: [String]
    let phones: [String]
    let links: [String]
    let devices: [PersonProfile.Device]?

    init(_ profile: PersonProfile) {
        address = profile.address
        name = profile.fullName
        nickname = profile.nickname
        birthday = profile.birthday
        note = profile.note
        organization = profile.organization
        title = profile.title
        emails = profile.emails
        phones = profile.phones
        links = profile.urls
        devices = profile.devices
    }
}
