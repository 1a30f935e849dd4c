// SPDX-License-Identifier: Apache-2.0

/// Where and how an account's server is reached, when that is not left to the DNS.
package struct ServerSettings: Hashable, Codable, Sendable {
    /// A host name or address to connect to; nil looks the domain up (SRV, then A and AAAA).
    package var host: String?
    /// A port; nil takes 5222, or 5223 with direct TLS.
    package var port: UInt16?
    /// TLS from the first byte instead of STARTTLS; used with `host`.
    package var usesDirectTLS: Bool
    /// The URL of the server's WebSocket, in the place of a host.
    package var webSocket: String?
    /// The URL of a proxy, without user and password.
    package var proxy: String?
    package var proxyUser: String?
    package var proxyPassword: String?
    /// A PEM file with authorities that are trusted for this account besides those of the system.
    package var authorityFile: String?
    /// The password may be sent in the clear inside TLS (SASL PLAIN) when the server offers nothing better.
    package var allowsPlain: Bool
    /// The SHA-256 digest of the one certificate that is accepted, in hexadecimal digits.
    package var pinnedCertificate: String?
    /// A PEM file with a certificate of the user's own, and its key in the same or another one.
    package var clientCertificateFile: String?
    package var clientKeyFile: String?

    package init(
        host: String? = nil, port: UInt16? = nil, usesDirectTLS: Bool = false, webSocket: String? = nil,
        proxy: String? = nil, proxyUser: String? = nil, proxyPassword: String? = nil, authorityFile: String? = nil,
        allowsPlain: Bool = false, pinnedCertificate: String? = nil, clientCertificateFile: String? = nil,
        clientKeyFile: String? = nil
    ) {
        self.pinnedCertificate = pinnedCertificate
        self.clientCertificateFile = clientCertificateFile
        self.clientKeyFile = clientKeyFile
        self.host = host
        self.port = port
        self.usesDirectTLS = usesDirectTLS
        self.webSocket = webSocket
        self.proxy = proxy
        self.proxyUser = proxyUser
        self.proxyPassword = proxyPassword
        self.authorityFile = authorityFile
        self.allowsPlain = allowsPlain
    }
}

/// Adds an existing account to the profile after a successful login.
package struct AddAccountRequest: Hashable, Codable, Sendable {
    package var address: String
    package var password: String
    package var server: ServerSettings
    /// How long the login may take.
    package var timeout: Duration
    /// The token of an invitation to the server, for an account that is still to be made.
    package var invitation: String?
    /// The password itself is kept, where secrets are; absent, only keys that were derived from it.
    package var keepsPassword: Bool?

    package init(
        address: String, password: String, server: ServerSettings = .init(), timeout: Duration = .seconds(30),
        invitation: String? = nil, keepsPassword: Bool? = nil
    ) {
        self.keepsPassword = keepsPassword
        self.address = address
        self.password = password
        self.server = server
        self.timeout = timeout
        self.invitation = invitation
    }
}

/// Creates an account on its server and adds it to the profile.
package struct RegisterAccountRequest: Hashable, Codable, Sendable {
    package var account: AddAccountRequest
    /// Answers to the fields that the server asks for besides name and password, by the field's name.
    package var fields: [String: String]
    /// `RegistrationForm.id`; nil connects anew.
    package var form: String?

    package init(account: AddAccountRequest, fields: [String: String] = [:], form: String? = nil) {
        self.account = account
        self.fields = fields
        self.form = form
    }
}

/// What a server asks for before it makes an account.
package struct RegistrationForm: Hashable, Codable, Sendable {
    package struct Field: Hashable, Codable, Sendable {
        package var name: String
        package var label: String?
        package var isRequired: Bool
        package var isSecret: Bool
        /// The server's proposal.
        package var value: String?
        /// Values to choose from; empty when any text goes.
        package var options: [String]
        /// A picture that belongs to the question.
        package var picture: PictureData?

        package init(
            name: String, label: String? = nil, isRequired: Bool = true, isSecret: Bool = false,
            value: String? = nil, options: [String] = [], picture: PictureData? = nil
        ) {
            self.picture = picture
            self.name = name
            self.label = label
            self.isRequired = isRequired
            self.isSecret = isSecret
            self.value = value
            self.options = options
        }
    }

    /// The server waits for the answer on the connection that the form came on: give this with it, within ten minutes.
    ///
    /// Nil when any connection will do.
    package var id: String?
    package var instructions: String?
    /// The fields besides name and password.
    package var fields: [Field]
    /// Where the server wants the registration to happen instead.
    package var webAddress: String?

    package init(instructions: String? = nil, fields: [Field] = [], webAddress: String? = nil) {
        self.instructions = instructions
        self.fields = fields
        self.webAddress = webAddress
    }
}

/// Says whether an account is kept connected.
package struct EnableRequest: Hashable, Codable, Sendable {
    package var address: String
    package var isEnabled: Bool

    package init(address: String, isEnabled: Bool) {
        self.address = address
        self.isEnabled = isEnabled
    }
}

/// Takes an account out of the profile.
package struct RemoveAccountRequest: Hashable, Codable, Sendable {
    package var address: String
    /// The account is also cancelled on its server, with all that is kept there.
    package var deletesOnServer: Bool

    package init(address: String, deletesOnServer: Bool = false) {
        self.address = address
        self.deletesOnServer = deletesOnServer
    }
}

/// Changes the password of an account.
package struct ChangePasswordRequest: Hashable, Codable, Sendable {
    package var address: String
    package var password: String
    /// The password is changed on the server too; otherwise the profile only learns what it is.
    package var changesOnServer: Bool
    /// Whether the password itself is kept from now on; absent, as before.
    package var keepsPassword: Bool?

    package init(address: String, password: String, changesOnServer: Bool = true, keepsPassword: Bool? = nil) {
        self.keepsPassword = keepsPassword
        self.address = address
        self.password = password
        self.changesOnServer = changesOnServer
    }
}

/// Asks for a connection.
package struct ConnectRequest: Hashable, Codable, Sendable {
    /// A bare address; nil means every enabled account.
    package var account: String?
    /// Tries again and again from now on, however the first attempt ends; otherwise that decides.
    package var persists: Bool
    /// How long to wait until the account is online; with `persists`, zero does not wait at all.
    package var timeout: Duration

    package init(account: String? = nil, persists: Bool = false, timeout: Duration = .seconds(30)) {
        self.account = account
        self.persists = persists
        self.timeout = timeout
    }
}
