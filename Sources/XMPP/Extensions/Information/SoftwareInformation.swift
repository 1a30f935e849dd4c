// SPDX-License-Identifier: Apache-2.0

/// What software an entity runs, in its description of itself (XEP-0232).
public struct SoftwareInformation: TypedForm {
    /// `urn:xmpp:dataforms:softwareinfo`.
    public static let formType = "urn:xmpp:dataforms:softwareinfo"

    /// The program.
    public var program: String?
    /// The program's version.
    public var version: String?
    /// The operating system.
    public var system: String?
    /// The operating system's version.
    public var systemVersion: String?

    /// Makes a description; say no more than strangers may know.
    public init(
        program: String? = nil, version: String? = nil, system: String? = nil, systemVersion: String? = nil
    ) {
        self.program = program
        self.version = version
        self.system = system
        self.systemVersion = systemVersion
    }

    /// Reads the fields; those that are missing are nil.
    public init?(_ form: DataForm) {
        self.init(
            program: form["software"]?.text, version: form["software_version"]?.text, system: form["os"]?.text,
            systemVersion: form["os_version"]?.text)
    }

    /// The fields that are there.
    public var fields: [DataForm.Field] {
        [("software", program), ("software_version", version), ("os", system), ("os_version", systemVersion)]
            .compactMap { name, value in value.map { DataForm.Field(name, text: $0) } }
    }
}

extension DiscoInfo {
    /// What software the entity runs, where it says so (XEP-0232).
    public var software: SoftwareInformation? { forms.lazy.compactMap { $0.typed(SoftwareInformation.self) }.first }

    /// Whom to write to about a server, where it says so (XEP-0157).
    public var contactAddresses: ContactAddresses? { forms.lazy.compactMap { $0.typed(ContactAddresses.self) }.first }
}
