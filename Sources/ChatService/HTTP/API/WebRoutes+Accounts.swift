// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation

extension WebRoutes {
    /// The longest that a request about an account waits for a server, in seconds.
    private static let patience = 120.0

    static let accounts: [WebRoute] = [
        WebRoute(.get, "status") { (service, _) throws(ChatAPIError) in
            .json(200, try await service.client.status())
        },
        WebRoute(.get, "accounts") { (service, _) throws(ChatAPIError) in
            .list("accounts", try await service.client.status().accounts)
        },
        WebRoute(.post, "accounts", isRemembered: true) { (service, call) throws(ChatAPIError) in
            let account = try await service.client.addAccount(call.decode(AddAccountBody.self).request())
            return .json(201, account)
        },
        WebRoute(.post, "accounts/form") { (service, call) throws(ChatAPIError) in
            let form = try await service.client.registrationForm(call.decode(AddAccountBody.self).request())
            return .json(200, FormReply(form))
        },
        WebRoute(.post, "accounts/register", isRemembered: true) { (service, call) throws(ChatAPIError) in
            let body = try call.decode(AddAccountBody.self)
            let request = RegisterAccountRequest(
                account: try body.request(), fields: body.fields ?? [:], form: body.form)
            return .json(201, try await service.client.registerAccount(request))
        },
        WebRoute(.delete, "accounts/{account}", isRemembered: true) { (service, call) throws(ChatAPIError) in
            try await service.client.removeAccount(
                RemoveAccountRequest(address: call.account, deletesOnServer: try call.flag("on_server")))
            return .done
        },
        WebRoute(.patch, "accounts/{account}") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(EnableBody.self)
            let request = EnableRequest(address: call.account, isEnabled: body.enabled)
            return .json(200, try await service.client.setEnabled(request))
        },
        WebRoute(.put, "accounts/{account}/password", isRemembered: true) { (service, call) throws(ChatAPIError) in
            let body = try call.decode(PasswordBody.self)
            try await service.client.changePassword(
                ChangePasswordRequest(
                    address: call.account, password: body.password, changesOnServer: body.onServer ?? true))
            return .done
        },
        WebRoute(.post, "accounts/{account}/connect") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(TimeoutBody.self)
            let timeout = try Duration.given(body.timeout, default: 0, atMost: patience)
            let accounts = try await service.client.connect(
                ConnectRequest(account: call.account, persists: true, timeout: timeout))
            guard let account = accounts.first else { throw ChatAPIError(.unknownAccount, "there is no such account") }
            return .json(200, account)
        },
        WebRoute(.get, "accounts/{account}/timeline") { (service, call) throws(ChatAPIError) in
            guard let timeline = try await service.client.timeline(account: call.account).first else {
                throw ChatAPIError(.unknownAccount, "there is no such account")
            }
            return .json(200, timeline)
        },
        WebRoute(.get, "accounts/{account}/trust") { (service, call) throws(ChatAPIError) in
            .json(200, try await service.client.trust(TrustRequest(address: call.account)))
        },
        WebRoute(.put, "accounts/{account}/trust", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            let body = try call.decode(TrustBody.self)
            // Files are named on the command line alone: a page cannot know what they are.
            var settings = try await service.client.trust(TrustRequest(address: call.account))
            settings.pinnedCertificates = body.pinnedCertificates ?? settings.pinnedCertificates
            settings.pinnedKeys = body.pinnedKeys ?? settings.pinnedKeys
            return .json(200, try await service.client.trust(TrustRequest(address: call.account, settings: settings)))
        },
        WebRoute(.post, "doctor") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(AddAccountBody.self)
            let request = DiagnosisRequest(
                address: body.address, password: body.password, server: try body.server?.settings(),
                timeout: try .given(body.timeout, default: 10, atMost: patience))
            return .json(200, try await service.client.diagnose(request))
        },
    ]

    /// What bodies are read as.
    static var accountBodies: [any Decodable.Type] {
        [
            AddAccountBody.self, EnableBody.self, PasswordBody.self, TimeoutBody.self, TrustBody.self,
        ]
    }
}

/// How a server is reached, as far as a page may say: nothing that names a file of this machine.
private struct ServerBody: Decodable {
    var host: String?
    var port: Int?
    var directTLS: Bool?
    var webSocket: String?
    var allowsPlain: Bool?
    var pinnedCertificate: String?

    private enum CodingKeys: String, CodingKey {
        case host, port
        case directTLS = "direct_tls"
        case webSocket = "websocket"
        case allowsPlain = "allow_plain"
        case pinnedCertificate = "pinned_certificate"
    }

    func settings() throws(ChatAPIError) -> ServerSettings {
        let number = port.map { UInt16(exactly: $0) ?? 0 }
        guard number != 0 else { throw ChatAPIError(.invalidArgument, "port is a number from 1 to 65535") }
        if let webSocket, !webSocket.lowercased().hasPrefix("wss://") {
            throw ChatAPIError(.invalidArgument, "websocket begins with wss://")
        }
        return ServerSettings(
            host: host, port: number, usesDirectTLS: directTLS ?? false, webSocket: webSocket,
            allowsPlain: allowsPlain ?? false, pinnedCertificate: pinnedCertificate)
    }
}

private struct AddAccountBody: Decodable {
    var address: String
    var password: String?
    var server: ServerBody?
    var timeout: Double?
    var fields: [String: String]?
    var form: String?
    var invitation: String?

    func request() throws(ChatAPIError) -> AddAccountRequest {
        AddAccountRequest(
            address: address, password: password ?? "", server: try server?.settings() ?? ServerSettings(),
            timeout: try .given(timeout, default: 30, atMost: 120), invitation: invitation)
    }
}

private struct EnableBody: Decodable {
    var enabled: Bool
}

private struct PasswordBody: Decodable {
    var password: String
    var onServer: Bool?

    private enum CodingKeys: String, CodingKey {
        case password
        case onServer = "on_server"
    }
}

private struct TimeoutBody: Decodable {
    var timeout: Double?
}

private struct TrustBody: Decodable {
    var pinnedCertificates: [String]?
    var pinnedKeys: [String]?

    private enum CodingKeys: String, CodingKey {
        case pinnedCertificates = "pinned_certificates"
        case pinnedKeys = "pinned_keys"
    }
}

private struct FormReply: Encodable {
    struct Field: Encodable {
        let name: String
        let label: String?
        let required: Bool
        let secret: Bool
        let value: String?
        let options: [String]
        /// As a `data:` URL.
        let picture: String?
    }

    let id: String?
    let instructions: String?
    let fields: [Field]
    let webAddress: String?

    init(_ form: RegistrationForm) {
        id = form.id
        instructions = form.instructions
        fields = form.fields.map { field in
            Field(
                name: field.name, label: field.label, required: field.isRequired, secret: field.isSecret,
                value: field.value, options: field.options,
                picture: field.picture.map { "data:\($0.type);base64,\($0.data.base64EncodedString())" })
        }
        webAddress = form.webAddress
    }

    private enum CodingKeys: String, CodingKey {
        case id, instructions, fields
        case webAddress = "web_address"
    }
}
