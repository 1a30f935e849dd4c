// SPDX-License-Identifier: Apache-2.0
public import XMPP

/// A file of a message: what its sender says of it, and how far it has come.
///
/// Until ``isProven`` is true, name, type, size and measures are the sender's word and no more.
public struct MessageFile: Identifiable, Hashable, Sendable {
    /// Names a file within its profile.
    public struct ID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number behind the name.
        public let rawValue: Int64

        /// Takes a number that came from a file's name.
        public init(rawValue: Int64) { self.rawValue = rawValue }

        /// The number in decimal digits.
        public var description: String { String(rawValue) }
    }

    /// How a file is shown.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// As a picture.
        case picture
        /// As a film.
        case film
        /// As sound.
        case sound
        /// By its name alone.
        case other

        /// What a media type is shown as.
        public init(mediaType: String?) {
            switch mediaType?.split(separator: "/").first {
            case "image": self = .picture
            case "video": self = .film
            case "audio": self = .sound
            default: self = .other
            }
        }
    }

    /// How far a file has come.
    public enum State: Hashable, Sendable {
        /// It waits to be uploaded.
        case waiting
        /// It is being uploaded; ``ChatCore/transferUpdates()`` tells how far it is.
        case uploading
        /// The server has it, and its message is on its way.
        case sent
        /// The upload failed; ``ChatCore/retry(_:)`` tries again.
        case failed(MessageFailure)
        /// The user gave the upload up.
        case cancelled
        /// It is where its sender put it, and nobody has fetched it.
        case remote
        /// It is to be fetched, or is being fetched.
        case wanted
        /// It is here.
        case here
        /// It could not be fetched; ``ChatCore/fetchFile(_:index:)`` tries again.
        case refused(MessageFailure)
    }

    /// The name within the profile.
    public let id: ID
    /// The message.
    public let message: ChatMessage.ID
    /// Its place among the files of its message, from 0.
    public internal(set) var index = 0
    /// A name that leads nowhere else on a disk (XEP-0446 §4).
    public let name: String
    /// The media type: of the bytes once they are here, before that as the sender says.
    public let mediaType: String?
    /// The bytes are here and are of a kind that is harmless to show, which is ``mediaType``; anything else may only be
    /// offered for saving (XEP-0363 §11).
    public let isProven: Bool
    /// The size in bytes.
    public let byteCount: Int64?
    /// The width of a picture in pixels.
    public let width: Int?
    /// The height of a picture in pixels.
    public let height: Int?
    /// How long sound or a film lasts.
    public let duration: Duration?
    /// A very small picture as a `data:` URL, of a kind that is harmless to show; to stand there until there is more
    /// (XEP-0264).
    public let preview: String?
    /// Where it can be fetched; nil while it is not uploaded.
    public let url: String?
    /// There is a small picture of it, made here; ``ChatCore/fetchFile(_:index:)`` has it as `thumbnail`.
    public let hasThumbnail: Bool
    /// How far it has come.
    public let state: State

    /// How it is shown.
    public var kind: Kind { Kind(mediaType: mediaType) }

    /// The host that has it, which is what people should see of the address.
    public var host: String? { url.flatMap { WebAddress.host(of: $0) } }
}

/// A file of a message on this machine.
public struct LocalFile: Hashable, Sendable {
    /// Where it is; only to be read, and it may be gone later.
    public let path: String
    /// The name to save it under.
    public let name: String
    /// What it is by its own bytes, of the kinds that are harmless to show; `application/octet-stream` for all others.
    public let mediaType: String
    /// The size in bytes.
    public let byteCount: Int64
    /// A small picture of it, made here, of the type `image/jpeg`; nil when there is none.
    public let thumbnail: String?
}

/// How far the transfer of a file is.
public struct FileTransfer: Identifiable, Hashable, Sendable {
    /// Which way it goes.
    public enum Direction: String, Hashable, Sendable {
        /// To the server.
        case upload
        /// Here.
        case download
    }

    /// The file.
    public let id: MessageFile.ID
    /// The message.
    public let message: ChatMessage.ID
    /// The bare address of the account.
    public let account: JID
    /// The bare address of the other side.
    public let peer: JID
    /// Which way it goes.
    public let direction: Direction
    /// Bytes that went or came.
    public var completed: Int64
    /// Bytes that there are, nil while nobody knows.
    public var total: Int64?
}

/// What can be said of an address of the Web without going there.
enum WebAddress {
    /// The host, in lower case.
    static func host(of url: String) -> String? {
        guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
        let authority = url[start...].prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        if host.hasPrefix("[") { return host.firstIndex(of: "]").map { String(host[...$0]).lowercased() } }
        return host.split(separator: ":").first.map { $0.lowercased() }
    }
}
