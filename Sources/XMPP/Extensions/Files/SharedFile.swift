// SPDX-License-Identifier: Apache-2.0

/// A file that a message shares: what is known of it, and where it can be had (XEP-0447 §3).
///
/// Nothing is fetched unasked.
public struct SharedFile: Sendable, Hashable {
    /// How the sender wants it shown.
    public enum Disposition: String, Sendable, Hashable, CaseIterable {
        /// In the conversation.
        case inline
        /// Only by its name.
        case attachment
    }

    /// What is known of it.
    public var metadata: FileMetadata
    /// Where it can be had; without any, the sender tells later.
    public var urls: [String]
    /// How the sender wants it shown, nil when that does not matter.
    public var disposition: Disposition?
    /// The identifier, for sources that follow.
    public var id: String?

    /// Makes a description.
    public init(
        metadata: FileMetadata, urls: [String] = [], disposition: Disposition? = nil, id: String? = nil
    ) {
        self.metadata = metadata
        self.urls = urls
        self.disposition = disposition
        self.id = id
    }
}

extension SharedFile: StanzaPayload {
    package static let namespace = "urn:xmpp:sfs:0"
    package static let name = XMLName("file-sharing", namespace)
    private static let sources = XMLName("sources", namespace)
    private static let url = XMLName("url-data", "http://jabber.org/protocol/url-data")

    /// §3.1: the description is required; sources of kinds that are not known are left out.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let metadata = element.child(FileMetadata.name).flatMap({ FileMetadata($0) })
        else { return nil }
        self.init(
            metadata: metadata,
            urls: element.child(Self.sources)?.children(Self.url).prefix(64).compactMap { $0.filled("target") } ?? [],
            disposition: element["disposition"].flatMap(Disposition.init(rawValue:)), id: element.filled("id"))
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.attribute("disposition", disposition?.rawValue)
            builder.attribute("id", id)
            builder.child(metadata.element)
            guard !urls.isEmpty else { return }
            builder.child(
                Element(Self.sources, children: urls.map { Element(Self.url, attributes: ["target": $0]) }))
        }
    }

    private static let mediaSharing = XMLName("media-sharing", "urn:xmpp:sims:1")
    private static let mediaSources = XMLName("sources", "urn:xmpp:sims:1")

    /// The form of before, inside a reference (XEP-0385 §3); read only.
    init?(reference: Element) {
        guard reference.matches(Reference.name), let sharing = reference.child(Self.mediaSharing),
            let metadata = sharing.child(FileMetadata.jingleName).flatMap({ FileMetadata($0) })
        else { return nil }
        let sources = sharing.child(Self.mediaSources)?.children(Reference.name) ?? []
        self.init(
            metadata: metadata,
            urls: sources.prefix(64).compactMap { $0.filled("uri") }.filter { !$0.lowercased().hasPrefix("xmpp:") })
    }
}

extension Message {
    /// The files that the message shares (XEP-0447 §3); those of the form of before only when there are no others
    /// (XEP-0385).
    public var sharedFiles: [SharedFile] {
        guard kind != .error else { return [] }
        let files = payloads(SharedFile.name).compactMap { SharedFile($0) }
        return files.isEmpty ? payloads(Reference.name).compactMap { SharedFile(reference: $0) } : files
    }

    /// Shares a file, with its first address as the text for programs that know no files (XEP-0447 §3.1, XEP-0066).
    public static func file(_ file: SharedFile, to address: JID, kind: Kind = .chat, id: String? = nil) -> Message {
        var message = Message(to: address, kind: kind, id: id, body: file.urls.first, payloads: [file.element])
        if let url = file.urls.first {
            message.links = [OutOfBandLink(url: url)]
            message.fallbacks = [Fallback(for: SharedFile.namespace, body: [.whole])]
        } else {
            message.hints = .store
        }
        return message
    }
}
