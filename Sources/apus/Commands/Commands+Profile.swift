// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let profile = CommandSpec(
        path: ["profile"], summary: "show what somebody tells about themselves, or change what you do",
        arguments: [ArgumentSpec(name: "JID", isRequired: false, summary: "whose; without it, your own")],
        options: [
            CommandSpec.account, .value("name", "NAME", "change your name"),
            .value("nickname", "NAME", "change your nickname"), .value("note", "TEXT", "change the words about you"),
            .value("birthday", "DATE", "change your birthday"),
            OptionSpec(
                name: "email", value: "ADDRESS", summary: "change your addresses; may be repeated", repeats: true),
            OptionSpec(name: "url", value: "URL", summary: "change your pages; may be repeated", repeats: true),
            .value("picture", "FILE", "publish this picture (PNG, JPEG, GIF or WebP, at most 128 KiB)"),
            .flag("no-picture", "take your picture back"),
            .value("save-picture", "FILE", "write the picture there; a file that is there is not replaced"),
        ], discussion: "An empty value takes the old one out."
    ) { context in
        let line = context.line
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        if line.has("no-picture") {
            try await context.client.setPicture(PictureRequest(account: context.account))
        } else if let file = line.options["picture"] {
            let picture = try await FilePlace.data(of: file)
            try await context.client.setPicture(PictureRequest(account: context.account, data: picture))
        }
        let change = ProfileChange(
            account: context.account, fullName: line.options["name"], nickname: line.options["nickname"],
            birthday: line.options["birthday"], emails: line.lists["email"], urls: line.lists["url"],
            note: line.options["note"])
        let profile: PersonProfile
        if change == ProfileChange(account: context.account) {
            let address = line.arguments.first
            profile = try await context.client.profile(ProfileRequest(account: context.account, address: address))
        } else {
            guard line.arguments.isEmpty else {
                throw CommandError.usage("only your own profile can be changed", help: "apus profile --help")
            }
            profile = try await context.client.changeProfile(change)
        }
        if let place = line.options["save-picture"] {
            guard let hash = profile.picture, let picture = try await context.client.picture(hash: hash) else {
                throw ChatAPIError(
                    .notFound, "no picture of \(profile.address) is known", hint: "it comes with their presence")
            }
            try await FilePlace.write(Array(picture.data), to: FilePlace.absolute(place))
        }
        if context.output.isJSON { return try await context.output.json("profile", profile) }
        for (name, value) in rows(profile) where !value.isEmpty {
            try await context.output.line("\(name): \(Plain.line(value))")
        }
    }

    private static func rows(_ profile: PersonProfile) -> [(String, String)] {
        [
            ("address", profile.address), ("name", profile.fullName ?? ""), ("nickname", profile.nickname ?? ""),
            ("birthday", profile.birthday ?? ""), ("email", profile.emails.joined(separator: ", ")),
            ("phone", profile.phones.joined(separator: ", ")), ("pages", profile.urls.joined(separator: ", ")),
            ("organization", profile.organization ?? ""), ("title", profile.title ?? ""), ("note", profile.note ?? ""),
            ("picture", profile.picture ?? ""),
        ]
    }
}
