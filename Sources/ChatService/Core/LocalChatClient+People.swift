// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import Foundation
import XMPP

extension LocalChatClient {
    package nonisolated func search(_ request: SearchRequest) async throws(ChatAPIError) -> [ChatAPI.SearchHit] {
        var query = SearchQuery(request.text)
        query.account = try await optionalAccount(request.account)
        if let name = request.conversation {
            let named = ConversationID(account: request.account, conversation: name)
            query.conversation = try await existing(named)
        }
        query.person = request.person
        query.isOwn = request.isOwn
        query.since = request.since.map { Date($0) }
        query.until = request.until.map { Date($0) }
        query.hasFile = request.hasFile == true
        query.after = try request.after.map { (text) throws(ChatAPIError) in try Self.message(text) }
        let wanted = query
        return try await asking { () async throws(ChatError) in
            try await core.search(wanted, limit: request.limit).map { hit in
                ChatAPI.SearchHit(
                    message: MessageItem(hit.message),
                    excerpt: hit.excerpt.map { .init(text: $0.text, isMatch: $0.isMatch) })
            }
        }
    }

    package nonisolated func blocked(account: String?) async throws(ChatAPIError) -> [BlockedAddress] {
        let accounts: [JID]
        if let account {
            accounts = [try await self.account(account)]
        } else {
            accounts = try await asking { () async throws(ChatError) in try await core.accounts() }
                .filter(\.isEnabled).map(\.jid)
        }
        var all: [BlockedAddress] = []
        for account in accounts {
            all += try await asking { () async throws(ChatError) in try await core.blocked(account: account) }
                .map { BlockedAddress(account: account.description, address: $0.description) }
        }
        return all
    }

    package nonisolated func block(_ request: BlockRequest) async throws(ChatAPIError) -> BlockResult {
        let account = try await account(request.account)
        let address = try Self.address(request.address)
        let report = request.report.map { AbuseReport($0.reason == .spam ? .spam : .abuse, text: $0.text) }
        return try await asking { () async throws(ChatError) in
            BlockResult(
                address: address.description,
                isReported: try await core.block(address, account: account, report: report))
        }
    }

    package nonisolated func unblock(_ request: BlockRequest) async throws(ChatAPIError) {
        let account = try await account(request.account)
        let address = try Self.address(request.address)
        try await asking { () async throws(ChatError) in try await core.unblock(address, account: account) }
    }

    package nonisolated func profile(_ request: ProfileRequest) async throws(ChatAPIError) -> PersonProfile {
        let account = try await account(request.account)
        let address = try request.address.map { (text) throws(ChatAPIError) in try peer(text, account) }
        return try await asking { () async throws(ChatError) in
            async let programs = address == nil ? nil : core.programs(of: address ?? account, account: account)
            var profile = PersonProfile(
                address ?? account, try await core.profile(of: address, account: account) ?? VCard())
            profile.devices = await programs?.sorted { $0.key < $1.key }
                .map { .init(resource: $0.key, program: $0.value) }
            profile.picture = try await core.pictureHash(of: address ?? account, account: account)?.description
            return profile
        }
    }

    package nonisolated func changeProfile(_ change: ProfileChange) async throws(ChatAPIError) -> PersonProfile {
        let account = try await account(change.account)
        return try await asking { () async throws(ChatError) in
            var profile = PersonProfile(
                account, try await core.changeProfile(account: account) { change.apply(to: &$0) })
            profile.picture = try await core.pictureHash(of: account, account: account)?.description
            return profile
        }
    }

    package nonisolated func picture(hash: String) async throws(ChatAPIError) -> PictureData? {
        guard let hash = PictureHash(hash), let picture = await core.picture(hash) else { return nil }
        return PictureData(type: picture.format.mediaType, data: Data(picture.bytes))
    }

    package nonisolated func setPicture(_ request: PictureRequest) async throws(ChatAPIError) {
        let account = try await account(request.account)
        let bytes = request.data.map { Array($0) }
        guard let name = request.room else {
            return try await asking { () async throws(ChatError) in try await core.setPicture(bytes, account: account) }
        }
        let room = try await roomPlace(name, account)
        try await asking { () async throws(ChatError) in
            try await core.setRoomPicture(bytes, of: room, account: account)
        }
    }

    package nonisolated func backUp(path: String) async throws(ChatAPIError) {
        guard path.hasPrefix("/") else { throw ChatAPIError(.invalidArgument, "a copy needs a whole path") }
        try await asking { () async throws(ChatError) in try await core.backUp(to: path) }
    }
}

extension PersonProfile {
    init(_ address: JID, _ card: VCard) {
        self.init(
            address: address.description, fullName: card.fullName, nickname: card.nicknames.first,
            birthday: card.birthday, emails: card.emails.map(\.address), phones: card.phones.map(\.number),
            urls: card.urls, organization: card.organization?.name, title: card.title, note: card.note)
    }
}

extension ProfileChange {
    /// Takes the change over; an empty text takes the value out.
    func apply(to card: inout VCard) {
        func value(_ text: String) -> String? { text.isEmpty ? nil : text }
        if let fullName { card.fullName = value(fullName) }
        if let nickname { card.nicknames = value(nickname).map { [$0] } ?? [] }
        if let birthday { card.birthday = value(birthday) }
        if let emails { card.emails = emails.filter { !$0.isEmpty }.map { VCard.Email($0) } }
        if let phones { card.phones = phones.filter { !$0.isEmpty }.map { VCard.Phone($0) } }
        if let urls { card.urls = urls.filter { !$0.isEmpty } }
        if let title { card.title = value(title) }
        if let note { card.note = value(note) }
    }
}
