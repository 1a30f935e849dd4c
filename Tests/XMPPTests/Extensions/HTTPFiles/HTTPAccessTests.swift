// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
@testable import XMPP

@Suite("Rules for files of the Web")
struct HTTPAccessTests {
    func code(_ access: HTTPAccess, _ url: String) -> XMPPError.Code? {
        do throws(XMPPError) {
            _ = try access.location(url)
            return nil
        } catch { return error.code }
    }

    @Test("addresses of the Web are read, and kept byte for byte")
    func reads() throws {
        let url = "HTTPS://Media.Example.org:8443/a%2Fb/c%20d.jpg?x=1#y"
        let location = try #require(HTTPLocation(url))
        #expect(location.url == url && location.host == "media.example.org" && location.port == 8443)
        #expect(location.path == "/a%2Fb/c%20d.jpg" && location.isEncrypted)
        #expect(location.fileName == "c d.jpg")
        let bare = try #require(HTTPLocation("http://[2001:DB8::1]"))
        #expect(bare.host == "2001:db8::1" && bare.port == 80 && bare.path.isEmpty && bare.fileName == nil)
    }

    @Test("B159 names are shown decoded, and nothing of them leads elsewhere")
    func names() {
        #expect(HTTPLocation("https://e.org/u/%D0%B11%20%C3%A9t%C3%A9.jpg")?.fileName == "б1 été.jpg")
        #expect(HTTPLocation("https://e.org/u/..%2F..%2Fpasswd")?.fileName == "passwd")
        #expect(HTTPLocation("https://e.org/u/%zz.jpg")?.fileName == "%zz.jpg")
    }

    @Test(
        "T150 what two readers could understand in two ways is refused",
        arguments: [
            "https://good.test@evil.test/", "https://good.test\\@evil.test/", "https://good.test:443:1/", "https:///x",
            "https://good.test:443@evil.test/", "https://[::1]@evil.test/", "https://[::1]:443@evil.test/",
            "https://good.test /", "https://good.test/\u{7f}", "https://gö.test/", "https://2130706433/",
            "https://0x7f.1/",
            "https://127.1/", "https://010.0.0.1/", "https://127.0.0.1.1/", "https://[::1/", "https://[1.2.3.4]/",
            "https://good.test:99999/", "https://good.test:0/", "ftp://good.test/", "file:///etc/passwd",
            "javascript:alert(1)", "https://good.test/<", "https://a..b/", "https://%31/",
        ])
    func refused(_ url: String) {
        #expect(HTTPLocation(url) == nil, "\(url)")
    }

    @Test("an address without end is refused")
    func long() {
        #expect(HTTPLocation("https://e.org/" + String(repeating: "a", count: 5000)) == nil)
    }

    @Test(
        "T150 numbers of this machine and of private networks are refused before anything is sent",
        arguments: [
            "https://127.0.0.1:8443/", "https://[::1]/", "https://169.254.169.254/latest/meta-data",
            "https://10.0.0.1/",
            "https://[::ffff:192.168.1.1]/", "https://[fe80::1]/",
        ])
    func numbers(_ url: String) throws {
        #expect(code(HTTPAccess(), url) == .forbiddenAddress)
        var trusting = HTTPAccess()
        trusting.trustedHosts = ["127.0.0.1", "[::1]", "169.254.169.254", "10.0.0.1", "::ffff:192.168.1.1", "fe80::1"]
        #expect(code(trusting, url) == nil)
        let location = try #require(HTTPLocation(url))
        #expect(HTTPAccess().request(location).allowsAddress != nil && trusting.request(location).allowsAddress == nil)
    }

    @Test("T150 the program's own port is refused even where this machine is trusted")
    func ownPort() throws {
        var access = HTTPAccess()
        access.trustedHosts = ["127.0.0.1", "localhost"]
        access.ownPorts = [8443]
        #expect(code(access, "https://127.0.0.1:8443/") == .forbiddenAddress)
        #expect(code(access, "https://127.0.0.1:8444/") == nil)
        let named = try #require(HTTPLocation("https://localhost:8443/"))
        #expect(access.request(named).allowsAddress != nil)
        #expect(code(access, "https://example.org:8443/") == nil)
    }

    @Test("without encryption only hosts that are trusted, and only by consent")
    func unencrypted() {
        var access = HTTPAccess()
        #expect(code(access, "http://example.org/") == .badURL)
        access.permitsUnencrypted = true
        #expect(code(access, "http://example.org/") == .badURL)
        access.trustedHosts = ["Example.org"]
        #expect(code(access, "http://example.org/") == nil && code(access, "http://example.org./") == nil)
        access.permitsUnencrypted = false
        #expect(code(access, "http://example.org/") == .badURL)
    }

    @Test("behind a proxy, which looks names up by itself, names of local networks are refused")
    func proxy() {
        var access = HTTPAccess()
        access.proxy = ProxyServer(.socks5, host: "127.0.0.1", port: 9050)
        for host in ["localhost", "a.localhost", "printer.local", "router", "x.internal", "x.lan.", "10.0.0.1"] {
            #expect(code(access, "https://\(host)/") == .forbiddenAddress, "\(host)")
        }
        #expect(code(access, "https://example.org/") == nil && code(access, "https://1.1.1.1/") == nil)
    }
}
