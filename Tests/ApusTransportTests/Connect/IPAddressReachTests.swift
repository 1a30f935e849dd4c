// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing

@Suite("Where an address reaches")
struct IPAddressReachTests {
    @Test(
        "T150 addresses of this machine, of private networks and of no host are not public, however they are written",
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.0.9", "169.254.169.254", "172.16.0.1",
            "172.31.9.9",
            "192.168.1.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.7", "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::1", "2002:c0a8:101::1",
            "2001::1", "2001:db8::1", "3fff::1", "100::1", "5f00::1",
        ])
    func notPublic(_ text: String) throws {
        #expect(try !#require(IPAddress(text)).isPublic)
    }

    @Test(
        "addresses of hosts on the Internet are public",
        arguments: [
            "1.1.1.1", "100.63.0.1", "172.32.0.1", "192.169.0.1", "198.17.0.1", "223.255.255.1", "2606:4700::1",
            "2a00:1450::1", "2001:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
        ])
    func isPublic(_ text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }
}
