// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// Somebody who is kept away.
package struct BlockedAddress: Hashable, Codable, Sendable {
    package var account: String
    /// An address, or a domain for everybody there.
    package var address: String

    package init(account: String, address: String) {
        self.account = account
        self.address = address
    }
}

/// Keeps somebody away, or lets them through again.
package struct BlockRequest: Hashable, Codable, Sendable {
    /// Says why to the people who run the server (XEP-0377).
    package struct Report: Hashable, Codable, Sendable {
        package enum Reason: String, Hashable, Codable, Sendable {
            case spam, abuse
        }

        package var reason: Reason
        package var text: String?

        package init(reason: Reason, text: String? = nil) {
            self.reason = reason
            self.text = text
        }
    }

    package var account: String?
    /// An address, or a domain for everybody there.
    package var address: String
    package var report: Report?

    package init(account: String? = nil, address: String, report: Report? = nil) {
        self.account = account
        self.address = address
        self.report = report
    }
}

/// What became of a block.
package struct BlockResult: Hashable, Codable, Sendable {
    package var address: String
    /// The report went along; some servers take none.
    package var isReported: Bool

    package init(address: String, isReported: Bool) {
        self.address = address
        self.isReported = isReported
    }

    private enum CodingKeys: String, CodingKey {
        case address
        case isReported = "reported"
    }
}

/// Asks what somebody tells about themselves.
package struct ProfileRequest: Hashable, Codable, Sendable {
    package var account: String?
    /// nil: the account itself.
    package var address: String?

    package init(account: String? = nil, address: String? = nil) {
        self.account = account
        self.address = address
    }
}

/// What somebody tells about themselves: the owner's word and no more.
package struct PersonProfile: Hashable, Codable, Sendable {
    package var address: String
    package var fullName: String?
    package var nickname: String?
    package var birthday: String?
    package var emails: [String]
    package var phones: [String]
    package var urls: [String]
    package var organization: String?
    package var title: String?
    package var note: String?
    /// The name of the picture, for `picture(hash:)`.
    package var picture: String?
    /// Devices that are online and tell which program they are; nil when nobody asked them.
    package var devices: [Device]?

    /// One device.
    package struct Device: Hashable, Codable, Sendable {
        package var resource: String
        package var program: String

        package init(resource: String, program: String) {
            self.resource = resource
            self.program = program
        }
    }

    package init(
        address: String, fullName: String? = nil, nickname: String? = nil, birthday: String? = nil,
        emails: [String] = [], phones: [String] = [], urls: [String] = [], organization: String? = nil,
        title: String? = nil, note: String? = nil
    ) {
        self.address = address
        self.fullName = fullName
        self.nickname = nickname
        self.birthday = birthday
        self.emails = emails
        self.phones = phones
        self.urls = urls
        self.organization = organization
        self.title = title
        self.note = note
    }

    private enum CodingKeys: String, CodingKey {
        case address, nickname, birthday, emails, phones, urls, organization, title, note, picture, devices
        case fullName = "full_name"
    }
}

/// Changes what the account tells about itself; what is nil stays, an empty text goes.
package struct ProfileChange: Hashable, Codable, Sendable {
    package var account: String?
    package var fullName: String?
    package var nickname: String?
    package var birthday: String?
    package var emails: [String]?
    package var phones: [String]?
    package var urls: [String]?
    package var title: String?
    package var note: String?

    package init(
        account: String? = nil, fullName: String? = nil, nickname: String? = nil, birthday: String? = nil,
        emails: [String]? = nil, phones: [String]? = nil, urls: [String]? = nil, title: String? = nil,
        note: String? = nil
    ) {
        self.account = account
        self.fullName = fullName
        self.nickname = nickname
        self.birthday = birthday
        self.emails = emails
        self.phones = phones
        self.urls = urls
        self.title = title
        self.note = note
    }

    private enum CodingKeys: String, CodingKey {
        case account, nickname, birthday, emails, phones, urls, title, note
        case fullName = "full_name"
    }
}

/// A picture of somebody.
package struct PictureData: Hashable, Codable, Sendable {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`, as the bytes show.
    package var type: String
    package var data: Data

    package init(type: String, data: Data) {
        self.type = type
        self.data = data
    }
}

/// Publishes a picture of the account, or of a room that it owns; nil takes it back.
package struct PictureRequest: Hashable, Codable, Sendable {
    package var account: String?
    /// The room; nil for the account's own picture.
    package var room: String?
    package var data: Data?

    package init(account: String? = nil, room: String? = nil, data: Data? = nil) {
        self.account = account
        self.room = room
        self.data = data
    }
}
