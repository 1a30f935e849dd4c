// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Testing

@Suite struct LocalAuthorityTests {
    @Test("A server's certificate is for its names and addresses, for about a year")
    func server() throws {
        let authority = try #require(LocalAuthority.make(name: "Apus of this machine"))
        let server = try #require(
            LocalAuthority.makeServer(
                names: ["localhost", "box.lan"], addresses: ["127.0.0.1", "::1"], authority: authority))
        let isGood = { (days: Int, names: [String], addresses: [String]) in
            LocalAuthority.isGood(server.certificate, days: days, names: names, addresses: addresses)
        }
        #expect(isGood(390, ["localhost", "box.lan"], ["127.0.0.1", "::1"]))
        #expect(!isGood(398, [], []))
        #expect(!isGood(1, ["other.lan"], []))
        #expect(!isGood(1, [], ["10.0.0.1"]))
        #expect(!LocalAuthority.isGood("", days: 0, names: [], addresses: []))
        #expect(LocalAuthority.fingerprint(server.certificate)?.count == 64)
        #expect(LocalAuthority.fingerprint(server.certificate) != LocalAuthority.fingerprint(authority.certificate))
    }

    @Test("A name that could add to the certificate is refused", arguments: ["a,DNS:bank.example", "a b", "", "é"])
    func injection(_ name: String) throws {
        let authority = try #require(LocalAuthority.make(name: "Apus"))
        #expect(LocalAuthority.makeServer(names: [name], addresses: [], authority: authority) == nil)
        #expect(LocalAuthority.makeServer(names: [], addresses: [], authority: authority) == nil)
    }
}
