// SPDX-License-Identifier: Apache-2.0

/// Which program somebody runs (XEP-0092 §2).
public struct SoftwareVersion: Sendable, Hashable {
    /// The name of the program.
    public var program: String
    /// Its version.
    public var version: String
    /// The operating system, nil when it is nobody's business.
    public var system: String?

    /// Makes a description.
    public init(program: String, version: String, system: String? = nil) {
        self.program = program
        self.version = version
        self.system = system
    }

    /// This library, where a program does not name itself.
    public static let library = SoftwareVersion(program: "Apus", version: "0.1.0")
}

extension SoftwareVersion: StanzaPayload {
    package static let namespace = "jabber:iq:version"
    package static let name = XMLName("query", namespace)
    private static let programName = XMLName("name", namespace)
    private static let versionName = XMLName("version", namespace)
    private static let systemName = XMLName("os", namespace)

    /// XEP-0092 §2: name and version are required; they may be empty.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let program = element.child(Self.programName),
            let version = element.child(Self.versionName)
        else { return nil }
        self.init(program: program.text, version: version.text, system: element.childText(Self.systemName))
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.child(Self.programName, text: program)
            builder.child(Self.versionName, text: version)
            if let system { builder.child(Self.systemName, text: system) }
        }
    }
}

/// Tells whoever asks which program this is (XEP-0092).
public struct VersionModule: SessionModule {
    private let version: SoftwareVersion

    /// Makes the module; unless told otherwise it names this library, and no operating system.
    public init(_ version: SoftwareVersion = .library) { self.version = version }

    /// `jabber:iq:version`.
    public var features: [String] { [SoftwareVersion.namespace] }
    /// `<query/>`.
    public var requests: [XMLName] { [SoftwareVersion.name] }
    /// The version; it cannot be set.
    public func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        request.kind == .get ? .result(version.element) : .error(StanzaError(.notAllowed))
    }
}

extension XMPPSession {
    /// Asks which program somebody runs (XEP-0092 §2).
    ///
    /// Throws ``XMPPError``, with a ``StanzaError`` when the other side does not tell. Cancelling ends the wait.
    /// - Parameter jid: A full address, or that of a server; for a bare one the server answers for itself.
    public func softwareVersion(of jid: JID) async throws -> SoftwareVersion {
        let reply = try await get(Element(SoftwareVersion.name), to: jid)
        guard let version = reply.payload.flatMap({ SoftwareVersion($0) }) else {
            throw XMPPError(.invalidReply, "\(jid) did not say which program it is")
        }
        return version
    }
}
