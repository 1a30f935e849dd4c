// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import XMPP

/// Where and how an account connects; the password is kept elsewhere.
public struct AccountSettings: Hashable, Sendable, Codable {
    /// The resource to ask for, nil to let the server choose.
    ///
    /// Defaults to nil.
    public var resource: String?
    /// A host name or IP address to connect to, nil to find the server by DNS (RFC 6120 §3.2).
    public var host: String?
    /// The port; nil takes 5222, or 5223 with direct TLS.
    public var port: UInt16?
    /// TLS from the first byte (XEP-0368) instead of STARTTLS.
    ///
    /// Defaults to false.
    public var usesDirectTLS = false
    /// The URL of the server's WebSocket (`wss://…`) to connect to, in the place of a host (RFC 7395).
    public var webSocket: String?
    /// A proxy to connect through, nil for none.
    public var proxy: ProxySettings?
    /// Paths of PEM files with authorities that are trusted besides those of the system.
    public var authorityFiles: [String] = []
    /// SHA-256 digests of certificates that are accepted as they are, and no others then.
    public var pinnedCertificates: Set<[UInt8]> = []
    /// SHA-256 digests of public keys of which a valid certificate must have one, itself or by its issuers.
    public var pinnedKeys: Set<[UInt8]> = []
    /// Whether the certificate authorities of the system count.
    ///
    /// Defaults to true.
    public var usesSystemRoots = true
    /// The path of a PEM file with a certificate to log in with (SASL EXTERNAL), nil for none.
    public var clientCertificateFile: String?
    /// The path of a PEM file with its key; nil when it stands in the same file.
    public var clientKeyFile: String?
    /// The password itself may be shown to the server, inside TLS, and is then kept.
    ///
    /// Defaults to false.
    public var allowsPlain = false
    /// The password itself is kept, where secrets are kept, and not only keys that were derived from it.
    ///
    /// For servers that keep passwords in clear and salt them anew for each login: keys of an earlier one do not log in there,
    /// see ``ChatCore/logsInByItself(_:)``. It is not shown to the server for that. Defaults to false.
    public var keepsPassword = false
    /// The priority of this device, -128 to 127 (RFC 6121 §4.7.2.3).
    ///
    /// Defaults to 0.
    public var priority: Int8 = 0
    /// A login that is not bound to its TLS channel is refused, also where none can be, as inside a WebSocket.
    ///
    /// Defaults to false. That earlier logins were bound is remembered apart from this (RFC 5802 §6).
    public var requiresChannelBinding = false

    /// Whether others are told what the user has read, where they ask (XEP-0333).
    ///
    /// Defaults to true.
    public var tellsReading = true

    /// Hosts that files may come from and go to although they are on this machine or in a private network: the account's
    /// own media servers, by name or address.
    ///
    /// Defaults to none.
    public var mediaHosts: [String] = []
    /// A Web server of one's own that takes files by PUT, as `http://192.168.1.5:8080/files`; its host counts as one of
    /// ``mediaHosts``.
    ///
    /// Defaults to nil. Used where the server has no upload service.
    public var mediaServer: String?
    /// Whether files go to ``mediaServer`` also where the server has an upload service.
    ///
    /// Defaults to false.
    public var prefersMediaServer = false
    /// Whether pictures carry what the programs of a well-known chat tutorial look for; see `BodyType` of `XMPP`.
    ///
    /// Defaults to false.
    public var sendsBodyType = false
    /// The largest file of a contact that is fetched without asking, in bytes; 0 fetches none.
    ///
    /// Rooms and strangers make nobody fetch anything. Defaults to 5 MiB.
    public var fetchesFilesUpTo = AccountSettings.fetchedFileBytes

    static let fetchedFileBytes = 5 << 20

    /// Makes settings with the defaults.
    public init() {}

    init(json: String) {
        self = (try? JSONDecoder().decode(AccountSettings.self, from: Data(json.utf8))) ?? AccountSettings()
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// Whether the password itself is stored.
    var storesPassword: Bool { allowsPlain || keepsPassword }

    var trust: Trust {
        Trust(
            usesSystemRoots: usesSystemRoots, authorityFiles: authorityFiles, pinnedCertificates: pinnedCertificates,
            pinnedKeys: pinnedKeys)
    }

    /// The settings as the protocol library wants them.
    package func account(_ jid: JID, _ credentials: Credentials) throws -> Account {
        var address = jid.bare
        if let resource, address.local != nil { address = try address.with(resource: resource) }
        var server = host.map { host in
            ServerAddress(
                host: host, port: port ?? (usesDirectTLS ? 5223 : 5222),
                security: usesDirectTLS ? .directTLS : .startTLS)
        }
        if let webSocket {
            guard let address = ServerAddress(webSocket: webSocket) else {
                throw XMPPError(.invalidArgument, "\(webSocket) is no secure WebSocket; it begins with wss://")
            }
            server = address
        }
        return Account(
            jid: address, credentials: credentials,
            trust: trust, server: server, proxy: try proxy?.server(), permitsPlain: allowsPlain,
            requiresChannelBinding: requiresChannelBinding,
            clientCertificate: clientCertificateFile.map {
                ClientCertificate(certificateFile: $0, keyFile: clientKeyFile ?? $0)
            })
    }
}

extension AccountSettings {
    private enum CodingKeys: String, CodingKey {
        case resource, host, port, usesDirectTLS, webSocket, proxy, authorityFiles, pinnedCertificates, allowsPlain,
            keepsPassword, priority
        case requiresChannelBinding, pinnedKeys, usesSystemRoots, clientCertificateFile, clientKeyFile, tellsReading
        case mediaHosts, mediaServer, prefersMediaServer, sendsBodyType, fetchesFilesUpTo
    }

    /// Reads settings; a key that is missing has its default.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        resource = try values.decodeIfPresent(String.self, forKey: .resource)
        host = try values.decodeIfPresent(String.self, forKey: .host)
        port = try values.decodeIfPresent(UInt16.self, forKey: .port)
        usesDirectTLS = try values.decodeIfPresent(Bool.self, forKey: .usesDirectTLS) ?? false
        webSocket = try values.decodeIfPresent(String.self, forKey: .webSocket)
        proxy = try values.decodeIfPresent(ProxySettings.self, forKey: .proxy)
        authorityFiles = try values.decodeIfPresent([String].self, forKey: .authorityFiles) ?? []
        pinnedCertificates = try values.decodeIfPresent(Set<[UInt8]>.self, forKey: .pinnedCertificates) ?? []
        pinnedKeys = try values.decodeIfPresent(Set<[UInt8]>.self, forKey: .pinnedKeys) ?? []
        usesSystemRoots = try values.decodeIfPresent(Bool.self, forKey: .usesSystemRoots) ?? true
        clientCertificateFile = try values.decodeIfPresent(String.self, forKey: .clientCertificateFile)
        clientKeyFile = try values.decodeIfPresent(String.self, forKey: .clientKeyFile)
        tellsReading = try values.decodeIfPresent(Bool.self, forKey: .tellsReading) ?? true
        mediaHosts = try values.decodeIfPresent([String].self, forKey: .mediaHosts) ?? []
        mediaServer = try values.decodeIfPresent(String.self, forKey: .mediaServer)
        prefersMediaServer = try values.decodeIfPresent(Bool.self, forKey: .prefersMediaServer) ?? false
        sendsBodyType = try values.decodeIfPresent(Bool.self, forKey: .sendsBodyType) ?? false
        fetchesFilesUpTo =
            try values.decodeIfPresent(Int.self, forKey: .fetchesFilesUpTo) ?? Self.fetchedFileBytes
        allowsPlain = try values.decodeIfPresent(Bool.self, forKey: .allowsPlain) ?? false
        keepsPassword = try values.decodeIfPresent(Bool.self, forKey: .keepsPassword) ?? false
        priority = try values.decodeIfPresent(Int8.self, forKey: .priority) ?? 0
        requiresChannelBinding = try values.decodeIfPresent(Bool.self, forKey: .requiresChannelBinding) ?? false
    }
}
