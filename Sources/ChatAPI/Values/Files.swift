// SPDX-License-Identifier: Apache-2.0

/// A file of a message.
///
/// Until `isProven` is true, name, type, size and measures are its sender's word.
package struct FileItem: Hashable, Codable, Sendable {
    package enum State: String, Hashable, Codable, Sendable, CaseIterable {
        /// It waits to be uploaded.
        case waiting
        case uploading
        /// The server has it.
        case sent
        /// The upload failed; `failure` says why, `retryFile` tries again.
        case failed
        /// The user gave the upload up.
        case cancelled
        /// It is where its sender put it; `fetchFile` brings it here.
        case remote
        /// It is to be fetched, or is being fetched.
        case wanted
        /// It is here.
        case here
        /// It could not be fetched; `failure` says why.
        case refused
    }

    package enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        case picture, film, sound, other
    }

    /// The core's own identifier, unique in the profile.
    package var id: String
    /// `MessageItem.id` of its message, and its place among the files of that, from 0.
    package var message: String
    package var index: Int
    /// Leads nowhere else on a disk.
    package var name: String
    package var type: String?
    package var kind: Kind
    /// The bytes are here and are of the kind that `type` says, which is harmless to show; anything else is only offered for
    /// saving.
    package var isProven: Bool
    package var size: Int64?
    package var width: Int?
    package var height: Int?
    package var durationMilliseconds: Int64?
    /// A very small picture, as a `data:` URL of a JPEG, PNG or WebP picture.
    package var preview: String?
    package var url: String?
    /// The host that has it: what people should see of the address.
    package var host: String?
    /// `fetchFile` has a small picture.
    package var hasThumbnail: Bool
    package var state: State
    package var failure: ChatAPIError?

    package init(
        id: String, message: String, index: Int, name: String, type: String? = nil, kind: Kind = .other,
        isProven: Bool = false, size: Int64? = nil, width: Int? = nil, height: Int? = nil,
        durationMilliseconds: Int64? = nil, preview: String? = nil, url: String? = nil, host: String? = nil,
        hasThumbnail: Bool = false, state: State, failure: ChatAPIError? = nil
    ) {
        self.id = id
        self.message = message
        self.index = index
        self.name = name
        self.type = type
        self.kind = kind
        self.isProven = isProven
        self.size = size
        self.width = width
        self.height = height
        self.durationMilliseconds = durationMilliseconds
        self.preview = preview
        self.url = url
        self.host = host
        self.hasThumbnail = hasThumbnail
        self.state = state
        self.failure = failure
    }

    private enum CodingKeys: String, CodingKey {
        case id, message, index, name, type, kind, size, width, height, preview, url, host, state, failure
        case isProven = "proven"
        case durationMilliseconds = "duration_ms"
        case hasThumbnail = "thumbnail"
    }
}

/// Sends one file; the same account, conversation and key send once.
package struct SendFileRequest: Hashable, Codable, Sendable {
    package var account: String?
    package var conversation: String
    /// A whole path on this machine.
    package var path: String
    /// The core takes the file over, so that nothing is left at the path.
    package var takesOver: Bool
    /// The name that others see; nil for that of the file.
    package var name: String?
    /// What is written beside it.
    package var caption: String?
    package var key: String
    package var replyTo: String?
    /// A picture goes as it is, with everything that stands in it, also where it was taken.
    package var keepsOriginal: Bool

    package init(
        account: String? = nil, conversation: String, path: String, takesOver: Bool = false, name: String? = nil,
        caption: String? = nil, key: String, replyTo: String? = nil, keepsOriginal: Bool = false
    ) {
        self.account = account
        self.conversation = conversation
        self.path = path
        self.takesOver = takesOver
        self.name = name
        self.caption = caption
        self.key = key
        self.replyTo = replyTo
        self.keepsOriginal = keepsOriginal
    }

    private enum CodingKeys: String, CodingKey {
        case account, conversation, path, name, caption, key
        case takesOver = "takes_over"
        case replyTo = "reply_to"
        case keepsOriginal = "original"
    }
}

/// Asks for a file of a message.
package struct FetchFileRequest: Hashable, Codable, Sendable {
    /// `MessageItem.id`.
    package var message: String
    /// Which of its files, from 0.
    package var index: Int
    /// Only what is here: nothing is fetched, and the answer is nil without it.
    package var isLocalOnly: Bool

    package init(message: String, index: Int = 0, isLocalOnly: Bool = false) {
        self.message = message
        self.index = index
        self.isLocalOnly = isLocalOnly
    }

    private enum CodingKeys: String, CodingKey {
        case message, index
        case isLocalOnly = "local_only"
    }
}

/// A file on this machine; whoever has the path only reads, and it may be gone later.
package struct LocalFileItem: Hashable, Codable, Sendable {
    package var path: String
    /// The name to save it under.
    package var name: String
    /// What it is by its own bytes, of the kinds that are harmless to show; `application/octet-stream` for all others.
    package var type: String
    package var size: Int64
    /// The path of a small JPEG picture of it.
    package var thumbnail: String?

    package init(path: String, name: String, type: String, size: Int64, thumbnail: String? = nil) {
        self.path = path
        self.name = name
        self.type = type
        self.size = size
        self.thumbnail = thumbnail
    }
}

/// Asks for the files of a conversation, those of the newest messages first.
package struct FilesRequest: Hashable, Codable, Sendable {
    package var conversation: ConversationID
    /// nil: all kinds.
    package var kinds: [FileItem.Kind]?
    /// Only those behind the one with this `FileItem.id`.
    package var before: String?
    /// At most this many; the core may cap it.
    package var limit: Int

    package init(
        conversation: ConversationID, kinds: [FileItem.Kind]? = nil, before: String? = nil, limit: Int = 50
    ) {
        self.conversation = conversation
        self.kinds = kinds
        self.before = before
        self.limit = limit
    }
}

/// How far the transfer of a file is.
package struct FileProgress: Hashable, Codable, Sendable {
    package enum Direction: String, Hashable, Codable, Sendable {
        case upload, download
    }

    package var account: String
    package var conversation: String
    /// `FileItem.id` and `MessageItem.id`.
    package var file: String
    package var message: String
    package var direction: Direction
    package var completed: Int64
    package var total: Int64?
    /// Nothing follows: what became of it is in the message.
    package var isOver: Bool

    package init(
        account: String, conversation: String, file: String, message: String, direction: Direction,
        completed: Int64, total: Int64? = nil, isOver: Bool = false
    ) {
        self.account = account
        self.conversation = conversation
        self.file = file
        self.message = message
        self.direction = direction
        self.completed = completed
        self.total = total
        self.isOver = isOver
    }

    private enum CodingKeys: String, CodingKey {
        case account, conversation, file, message, direction, completed, total
        case isOver = "over"
    }
}

/// How an account sends and fetches files.
package struct MediaSettings: Hashable, Codable, Sendable {
    /// Hosts on this machine or in a private network that may be reached for files.
    package var hosts: [String]
    /// The base URL of a Web server that takes files by PUT.
    package var server: String?
    /// Files go there also where the account's server has an upload service.
    package var prefersServer: Bool
    /// Pictures carry the attribute that the programs of a chat tutorial look for.
    package var sendsBodyType: Bool
    /// The largest file of a contact that is fetched without asking, in bytes; 0 fetches none.
    package var fetchesUpTo: Int

    package init(
        hosts: [String] = [], server: String? = nil, prefersServer: Bool = false, sendsBodyType: Bool = false,
        fetchesUpTo: Int = 5 << 20
    ) {
        self.hosts = hosts
        self.server = server
        self.prefersServer = prefersServer
        self.sendsBodyType = sendsBodyType
        self.fetchesUpTo = fetchesUpTo
    }

    private enum CodingKeys: String, CodingKey {
        case hosts, server
        case prefersServer = "prefers_server"
        case sendsBodyType = "body_type"
        case fetchesUpTo = "fetches_up_to"
    }
}

/// Asks for how an account sends and fetches files, or changes it.
package struct MediaRequest: Hashable, Codable, Sendable {
    /// nil: the only account.
    package var account: String?
    /// nil: nothing changes.
    package var settings: MediaSettings?

    package init(account: String? = nil, settings: MediaSettings? = nil) {
        self.account = account
        self.settings = settings
    }
}
