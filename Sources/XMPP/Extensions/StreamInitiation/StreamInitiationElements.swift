// SPDX-License-Identifier: Apache-2.0

/// A file that is offered by the protocol before Jingle (XEP-0095 §4, XEP-0096 §3): Spark, Pidgin and others know no
/// other.
struct StreamInitiation: StanzaPayload {
    static let namespace = "http://jabber.org/protocol/si"
    static let profile = "http://jabber.org/protocol/si/profile/file-transfer"
    static let name = XMLName("si", namespace)
    static let file = XMLName("file", profile)
    static let feature = XMLName("feature", "http://jabber.org/protocol/feature-neg")

    var id: String
    var metadata: FileMetadata
    /// The ways that are offered to transfer it.
    var methods: [String]

    init(id: String, metadata: FileMetadata, methods: [String] = [InBand.namespace]) {
        self.id = id
        self.metadata = metadata
        self.methods = methods
    }

    /// XEP-0096 §3: name and size are required.
    ///
    /// A hash there is of MD5, which shows nothing.
    init?(_ element: Element) {
        guard element.matches(Self.name), element["profile"] == Self.profile, let id = element.filled("id"),
            id.utf8.count <= 256, let file = element.onlyChild(Self.file), let name = file.filled("name"),
            let size = ResultSet.number(file["size"])
        else { return nil }
        self.id = id
        metadata = FileMetadata(
            name: name, mediaType: element.filled("mime-type"), byteCount: size,
            date: file["date"].flatMap { DateTime($0) }, explanation: file.childText(XMLName("desc", Self.profile)))
        methods = Self.form(element).flatMap { $0["stream-method"] }?.options.map(\.value) ?? []
    }

    var element: Element {
        Element(Self.name) { builder in
            builder.attribute("id", id)
            builder.attribute("mime-type", metadata.mediaType)
            builder.attribute("profile", Self.profile)
            builder.open(Self.file)
            builder.attribute("name", metadata.name)
            builder.attribute("size", metadata.byteCount.map(String.init))
            builder.attribute("date", metadata.date?.description)
            if let text = metadata.explanation { builder.child(XMLName("desc", Self.profile), text: text) }
            builder.close()
            let field = DataForm.Field(
                "stream-method", kind: .choice, options: methods.map { DataForm.Field.Option(value: $0) })
            builder.child(Element(Self.feature, children: [DataForm(.form, fields: [field]).element]))
        }
    }

    /// The answer that chooses a way (XEP-0095 §4).
    static func accept(_ method: String) -> Element {
        let form = DataForm(.submit, fields: [DataForm.Field("stream-method", values: [method])])
        return Element(name, children: [Element(feature, children: [form.element])])
    }

    /// The way that an answer chooses.
    static func chosen(_ answer: Element?) -> String? {
        guard let answer, answer.matches(name) else { return nil }
        return form(answer)?["stream-method"]?.values.first
    }

    private static func form(_ element: Element) -> DataForm? {
        element.child(feature)?.child(DataForm.name).flatMap { DataForm($0) }
    }

    /// XEP-0095 §4: the offer is not wanted.
    static let declined = StanzaError(.forbidden, kind: .cancel, text: "Offer Declined")
    /// None of the ways that are offered can be gone: no connections are made to addresses that others name.
    static let noValidStreams = StanzaError(
        .badRequest, kind: .cancel, text: "only streams of bytes inside the stream are taken",
        application: Element(XMLName("no-valid-streams", namespace)))
    /// It is about something else than a file.
    static let badProfile = StanzaError(
        .badRequest, kind: .cancel, application: Element(XMLName("bad-profile", namespace)))
}
