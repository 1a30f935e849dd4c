// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import XMPP

@Suite("Media servers")
struct MediaServerTests {
    @Test("a file gets a name that nobody guesses, with its ending")
    func names() throws {
        let server = try #require(MediaServer(baseURL: "http://192.168.1.5:8080/imfileserver/Upload/Image/"))
        let url = server.url(for: "Tea Time.JPEG")
        #expect(url.hasPrefix("http://192.168.1.5:8080/imfileserver/Upload/Image/") && url.hasSuffix(".jpeg"))
        #expect(url != server.url(for: "Tea Time.JPEG"))
        #expect(HTTPLocation(url) != nil)
        for name in ["", "a", "a.../../", "a.\u{202E}", "a.%2e"] {
            #expect(HTTPLocation(server.url(for: name))?.path.split(separator: "/").count == 4, "\(name)")
        }
    }

    @Test("the server is trusted by being named, and unencrypted only if it is")
    func trust() throws {
        let plain = try #require(MediaServer(baseURL: "http://192.168.1.5:8080/up"))
        _ = try plain.trusted(in: HTTPAccess()).location("http://192.168.1.5:8080/up/x")
        let access = try #require(MediaServer(baseURL: "https://192.168.1.5/up")).trusted(in: HTTPAccess())
        _ = try access.location("https://192.168.1.5/up/x")
        #expect(throws: XMPPError.self) { try access.location("http://192.168.1.5/up/x") }
        #expect(throws: XMPPError.self) { try access.location("https://192.168.1.6/up/x") }
    }

    @Test(
        "what is no base address is refused",
        arguments: ["ftp://a.test/", "https://a.test/?x", "a.test", "https://a@b.test/"])
    func refused(_ url: String) { #expect(MediaServer(baseURL: url) == nil) }
}
