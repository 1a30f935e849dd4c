// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatService
import ChatTesting
import Foundation
import Testing

@Suite struct OpenAPITests {
    private let document: YAMLValue

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../..")
        document = try YAMLValue(
            parsing: String(contentsOf: root.appendingPathComponent("docs/openapi.yaml"), encoding: .utf8))
    }

    private static let methods = ["get", "post", "put", "patch", "delete"]

    private var operations: [(name: String, operation: YAMLValue)] {
        (document["paths"]?.entries ?? []).flatMap { path in
            path.value.entries.filter { Self.methods.contains($0.key) }.map { ("\($0.key) \(path.key)", $0.value) }
        }
    }

    @Test("What is served is exactly what is described")
    func sameOperations() {
        let described = operations.map(\.name)
        #expect(Set(described) == Set(WebInterface.operations))
        #expect(described.count == WebInterface.operations.count)
    }

    @Test("Every operation has a name of its own, and every reference leads somewhere")
    func wellFormed() {
        let names = operations.compactMap { $0.operation["operationId"]?.string }
        #expect(names.count == operations.count && Set(names).count == names.count)
        let check = SchemaCheck(document: document)
        for schema in document["components"]?["schemas"]?.entries ?? [] {
            #expect(!check.faults(0, schema.value).contains { $0.hasSuffix("no such schema") }, "\(schema.key)")
        }
    }

    @Test("Writes are described with an idempotency key, and wait for a session")
    func keys() {
        for (name, operation) in operations where !name.hasPrefix("get ") && name != "post /pair" {
            let references = operation["parameters"]?.items.compactMap { $0["$ref"]?.string } ?? []
            #expect(references.contains("#/components/parameters/Key"), "\(name)")
        }
    }

    /// One request for each operation, good enough to succeed with a core that knows everything.
    private static let samples: [(name: String, target: String, body: String?)] = [
        ("get /hello", "hello", nil), ("get /session", "session", nil), ("get /sessions", "sessions", nil),
        ("post /pairings", "pairings", nil), ("get /status", "status", nil), ("get /accounts", "accounts", nil),
        ("post /accounts", "accounts", #"{"address":"a@b","password":"p","server":{"host":"h","port":5222}}"#),
        ("post /accounts/form", "accounts/form", #"{"address":"b"}"#),
        ("post /accounts/register", "accounts/register", #"{"address":"a@b","password":"p","fields":{"email":"x"}}"#),
        ("delete /accounts/{account}", "accounts/ana%40example.org?on_server=true", nil),
        ("put /accounts/{account}/password", "accounts/ana%40example.org/password", #"{"password":"n"}"#),
        ("post /accounts/{account}/connect", "accounts/ana%40example.org/connect", #"{"timeout":1.5}"#),
        ("get /accounts/{account}/timeline", "accounts/ana%40example.org/timeline", nil),
        ("get /accounts/{account}/trust", "accounts/ana%40example.org/trust", nil),
        ("put /accounts/{account}/trust", "accounts/ana%40example.org/trust", #"{"pinned_keys":[]}"#),
        ("post /doctor", "doctor", #"{"address":"ana@example.org"}"#), ("get /contacts", "contacts", nil),
        ("post /contacts", "contacts", #"{"address":"bo@example.org","name":"Bo","groups":["x"]}"#),
        ("delete /contacts/{account}/{address}", "contacts/ana%40example.org/bo%40example.org", nil),
        ("get /requests", "requests?account=ana%40example.org", nil),
        ("post /requests/{account}/{address}", "requests/a%40b/c%40d", #"{"accept":true}"#),
        ("get /conversations", "conversations", nil),
        (
            "get /conversations/{account}/{conversation}/messages",
            "conversations/a%40b/bo%40example.org/messages?limit=2", nil
        ),
        ("post /conversations/{account}/{conversation}/messages", "conversations/a/b/messages", #"{"body":"hi"}"#),
        ("post /conversations/{account}/{conversation}/read", "conversations/a/b/read", "{}"),
        ("put /conversations/{account}/{conversation}/typing", "conversations/a/b/typing", #"{"typing":true}"#),
        ("put /conversations/{account}/{conversation}/draft", "conversations/a/b/draft", #"{"body":"beg"}"#),
        ("patch /conversations/{account}/{conversation}", "conversations/a/b", #"{"muted_until":null,"level":"none"}"#),
        ("put /messages/{message}/reactions", "messages/1/reactions", #"{"reactions":["+"]}"#),
        ("post /messages/{message}/correction", "messages/1/correction", #"{"body":"hi!"}"#),
        ("post /messages/{message}/retraction", "messages/1/retraction", "{}"),
        ("get /messages/{message}/info", "messages/1/info", nil), ("get /outbox", "outbox", nil),
        ("post /outbox/{message}", "outbox/4", #"{"verdict":"drop"}"#),
        ("post /resolve", "resolve", #"{"conversation":"Bo@example.org"}"#),
        ("get /accounts/{account}/blocked", "accounts/ana%40example.org/blocked", nil),
        (
            "put /accounts/{account}/blocked/{address}", "accounts/a%40b/blocked/c%40d",
            #"{"report":true,"reason":"spam"}"#
        ),
        ("delete /accounts/{account}/blocked/{address}", "accounts/a%40b/blocked/c%40d", nil),
        ("get /accounts/{account}/profile", "accounts/a%40b/profile", nil),
        ("put /accounts/{account}/profile", "accounts/a%40b/profile", #"{"name":"A"}"#),
        ("get /contacts/{account}/{address}/profile", "contacts/a%40b/c%40d/profile", nil),
        ("delete /accounts/{account}/avatar", "accounts/a%40b/avatar", nil),
        ("get /search", "search?q=hi&has=file", nil),
        ("patch /accounts/{account}", "accounts/a%40b", #"{"enabled":false}"#),
        (
            "patch /contacts/{account}/{address}", "contacts/ana%40example.org/bo%40example.org",
            #"{"name":"B","groups":["x"]}"#
        ),
        ("post /accounts/{account}/invitations", "accounts/a%40b/invitations", #"{"kind":"account"}"#),
        ("post /links", "links", #"{"link":"xmpp:ana@example.org?roster;preauth=T;name=Ana;ibr=y"}"#),
        ("post /rooms", "rooms", #"{"kind":"group","name":"Tea","invite":["c@d"]}"#),
        ("delete /invitations/{account}/{room}", "invitations/a%40b/r%40x", nil),
        ("get /rooms/{account}/{room}", "rooms/a%40b/r%40x", nil),
        ("put /rooms/{account}/{room}", "rooms/a%40b/r%40x", #"{"nick":"n"}"#),
        ("patch /rooms/{account}/{room}", "rooms/a%40b/r%40x", #"{"topic":"T"}"#),
        ("delete /rooms/{account}/{room}", "rooms/a%40b/r%40x?destroy=true", nil),
        ("delete /rooms/{account}/{room}/avatar", "rooms/a%40b/r%40x/avatar", nil),
        ("post /rooms/{account}/{room}/invitations", "rooms/a%40b/r%40x/invitations", #"{"addresses":["c@d"]}"#),
        (
            "patch /rooms/{account}/{room}/members/{member}", "rooms/a%40b/r%40x/members/Bo?nick=true",
            #"{"role":"none"}"#
        ),
        ("get /accounts/{account}/channels", "accounts/a%40b/channels?q=tea&where=rooms.x", nil),
        ("get /conversations/{account}/{conversation}/media", "conversations/a/b/media?limit=9", nil),
        ("post /messages/{message}/files", "messages/1/files", "{}"),
        ("delete /messages/{message}/files", "messages/1/files", nil),
        ("get /accounts/{account}/media", "accounts/a%40b/media", nil),
        ("patch /accounts/{account}/media", "accounts/a%40b/media", #"{"server":"https://x/","hosts":["h"]}"#),
        ("get /settings", "settings", nil),
        (
            "patch /settings", "settings",
            #"{"quiet_from":"22:00","quiet_until":"07:00","time_zone":"Asia/Taipei","browser":{"theme":"dark"}}"#
        ),
        ("get /uploads/{upload}", "uploads/UPLOAD", nil), ("delete /uploads/{upload}", "uploads/UPLOAD", nil),
        ("get /push", "push", nil), ("put /push", "push", WebSamples.subscription),
        ("delete /push", "push", nil),
        ("delete /sessions/{session}", "sessions/SESSION", nil), ("delete /session", "session", nil),
    ]

    /// Operations whose bodies are files.
    private static let files = [
        "post /scan", "post /uploads", "get /files/{message}/{index}",
        "put /accounts/{account}/avatar", "put /rooms/{account}/{room}/avatar", "get /avatars/{account}/{address}",
        "get /conversations/{account}/{conversation}/export",
    ]

    @Test("Every operation answers as it is described, member by member")
    func replies() async throws {
        let check = SchemaCheck(document: document)
        try await WebFixture.with(core: WebSamples.core()) { fixture in
            let browser = try await fixture.browser()
            _ = try await fixture.browser()
            let other = try #require(try fixture.access.read().sessions.last?.id)
            let upload = try await browser.upload("a.txt", "text")
            #expect(
                check.faults(
                    try JSONSerialization.jsonObject(with: Data(upload.body.utf8)),
                    document["components"]?["schemas"]?["Upload"]) == [])
            for (name, target, body) in Self.samples {
                let method = name.split(separator: " ")[0].uppercased()
                let path =
                    "/api/v1/"
                    + target.replacing("SESSION", with: other)
                    .replacing("UPLOAD", with: try WebFixture.member("id", upload.body))
                let reply =
                    method == "GET" ? try await browser.get(path) : try await browser.write(method, path, body)
                let responses = operations.first { $0.name == name }?.operation["responses"]
                let described = responses?["\(reply.status)"]
                #expect(
                    described != nil && (200...201).contains(reply.status), "\(name): \(reply.status) \(reply.body)")
                let schema = described?["content"]?["application/json"]?["schema"]
                let value = try JSONSerialization.jsonObject(with: Data(reply.body.utf8))
                #expect(check.faults(value, schema) == [], "\(name)")
            }
            let tested = Set(Self.samples.map(\.name)).union(["post /pair", "get /events", "post /push/test"]).union(
                Self.files)
            #expect(tested == Set(WebInterface.operations))
        }
    }

    @Test("Every event and every error is as it is described")
    func events() throws {
        let check = SchemaCheck(document: document)
        let schemas = document["components"]?["schemas"]
        for event in WebSamples.events {
            let value = try JSONSerialization.jsonObject(with: JSONEncoder().encode(event))
            #expect(check.faults(value, schemas?["Event"]) == [], "\(event.kind)")
        }
        let error = try JSONSerialization.jsonObject(with: JSONEncoder().encode(WebSamples.error))
        #expect(check.faults(error, schemas?["Error"]) == [])
    }

    @Test("The comparison finds what is missing, foreign, or of another kind")
    func comparison() throws {
        let check = SchemaCheck(document: document)
        let schema = document["components"]?["schemas"]?["Presence"]
        #expect(check.faults(["availability": "online", "resources": [String]()], schema) == [])
        #expect(check.faults(["availability": "gone", "resources": [String]()], schema).count == 1)
        #expect(check.faults(["resources": ["a"], "more": 1] as [String: Any], schema).count == 2)
        #expect(check.faults(["availability": "online", "resources": [1]] as [String: Any], schema).count == 1)
    }
}
