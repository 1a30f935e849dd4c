// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import XMPP
import XMPPTesting

@Suite("Places for files (XEP-0363)")
struct UploadElementsTests {
    func slot(_ put: String, namespace: String = "urn:xmpp:http:upload:0") throws -> UploadSlot? {
        UploadSlot(try received("<slot xmlns='\(namespace)'>\(put)<get url='https://g.test/x'/></slot>"))
    }

    @Test("a place is written and read, its addresses byte for byte")
    func roundTrips() throws {
        try roundTrip(
            UploadSlot(
                putURL: "https://p.test/tr%C3%A8s%20cool.jpg?a=1&b=2", getURL: "https://g.test/x",
                fields: [.init(name: "Authorization", value: "Basic x=="), .init(name: "Cookie", value: "a=b; c=d")]))
    }

    @Test(
        "what lacks an address or has one twice is no place",
        arguments: ["", "<put/>", "<put url=''/>", "<put url='https://p.test/'/><put url='https://q.test/'/>"])
    func refusal(_ put: String) throws {
        #expect(try slot(put) == nil)
        #expect(
            UploadSlot(try received("<slot xmlns='urn:xmpp:http:upload:1'><put url='a'/><get url='b'/></slot>")) == nil)
    }

    @Test("T146 of the fields only three are taken, in their order, without line ends, and not without end")
    func fields() throws {
        let found = try #require(
            try slot(
                """
                <put url='https://p.test/'><header name='X'>a&#13;&#10;Host: b</header><header name='Content-Length'>5</header>\
                <header name='Host'>evil</header><header name='eXpires'>1</header><header name='Cookie'>a</header>\
                <header name='Coo&#10;kie'>b&#13;&#10;Host: evil</header><header>x</header>\
                <header xmlns='urn:other' name='Cookie'>z</header></put>
                """))
        #expect(found.fields.map(\.name) == ["eXpires", "Cookie", "Cookie"])
        #expect(found.fields.map(\.value) == ["1", "a", "bHost: evil"])
        let many = String(repeating: "<header name='Cookie'>a</header>", count: 1000)
        #expect(try slot("<put url='https://p.test/'>\(many)</put>")?.fields.count == 64)
        let long = String(repeating: "a", count: 9000)
        #expect(
            try slot("<put url='https://p.test/'><header name='Cookie'>\(long)</header></put>")?.fields.isEmpty == true)
    }

    @Test("the form of before has addresses as text")
    func legacy() throws {
        let xml = "<slot xmlns='urn:xmpp:http:upload'><put>https://p.test/a</put><get> https://g.test/b </get></slot>"
        let found = UploadSlot(try received(xml))
        #expect(found?.putURL == "https://p.test/a" && found?.getURL == "https://g.test/b")
    }

    func service(_ features: Set<String>, _ form: [DataForm.Field] = [], type: String? = nil) throws -> UploadService? {
        let fields = (type.map { [DataForm.Field("FORM_TYPE", kind: .hidden, values: [$0])] } ?? []) + form
        return UploadService(
            try JID("upload.example.org"),
            DiscoInfo(features: features, forms: form.isEmpty ? [] : [DataForm(.result, fields: fields)]))
    }

    @Test("OF51 a service is known by either namespace, and tells its limit in a form")
    func services() throws {
        let limit = [DataForm.Field("max-file-size", values: ["5242880"])]
        let modern = try #require(
            try service(["urn:xmpp:http:upload:0", "urn:xmpp:http:upload"], limit, type: "urn:xmpp:http:upload:0"))
        #expect(modern.maximumBytes == 5_242_880 && !modern.isLegacy)
        let old = try #require(try service(["urn:xmpp:http:upload"], limit))
        #expect(old.maximumBytes == 5_242_880 && old.isLegacy)
        #expect(try service(["urn:xmpp:ping"]) == nil)
        for number in ["-1", "0", "x", "99999999999999999999", ""] {
            let strange = try service(
                ["urn:xmpp:http:upload:0"], [DataForm.Field("max-file-size", values: [number])],
                type: "urn:xmpp:http:upload:0")
            #expect(strange?.maximumBytes == nil, "\(number)")
        }
    }

    @Test("requests are written for either namespace, the purpose only where it is known")
    func requests() throws {
        let modern = try #require(
            try service(["urn:xmpp:http:upload:0", "urn:xmpp:http:upload:purpose:0#ephemeral"]))
        let purpose = UploadPurpose.ephemeral(until: DateTime(seconds: 0))
        #expect(modern.supports(purpose) && !modern.supports(.profile))
        let request = Upload.request(
            modern, name: "б1 été.jpg", byteCount: 5, mediaType: "image/jpeg", purpose: purpose)
        #expect(
            request["filename"] == "б1 été.jpg" && request["size"] == "5" && request["content-type"] == "image/jpeg")
        #expect(
            request.child(XMLName("ephemeral", "urn:xmpp:http:upload:purpose:0"))?["expire-before"]
                == "1970-01-01T00:00:00Z")
        let old = try #require(try service(["urn:xmpp:http:upload"]))
        let before = Upload.request(old, name: "a", byteCount: 5, mediaType: nil, purpose: nil)
        #expect(before.namespace == "urn:xmpp:http:upload" && before.children.map(\.text) == ["a", "5"])
    }

    @Test("B161 a refusal tells the limit, or when to come back, wherever it stands in the error")
    func refusals() throws {
        let service = try #require(try service(["urn:xmpp:http:upload:0"]))
        func error(_ xml: String) throws -> XMPPError {
            let iq = try receivedIQ(
                "<iq type='error' id='a'><error type='modify'>"
                    + "<not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\(xml)</error></iq>")
            return XMPPError.upload(.request(try #require(iq.error)), service: service)
        }
        let large = try error(
            "<text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>x</text><file-too-large xmlns='urn:xmpp:http:upload:0'>"
                + "<max-file-size>26214400</max-file-size></file-too-large>")
        #expect(large.code == .fileTooLarge && large.uploadLimit == 26_214_400)
        #expect(large.description.contains("26214400 bytes") && !large.isRetryable)
        let later = try error("<retry xmlns='urn:xmpp:http:upload:0' stamp='2017-12-03T23:42:05Z'/>")
        #expect(later.isRetryable && later.uploadRetryDate == DateTime("2017-12-03T23:42:05Z"))
        #expect(later.description.contains("2017-12-03T23:42:05Z"))
        #expect(try error("").code == .requestFailed)
    }
}
