// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("What entities say about themselves (XEP-0232, XEP-0157)")
struct SoftwareInformationTests {
    @Test("the software is told and read")
    func software() throws {
        let software = SoftwareInformation(program: "Apus", version: "0.1", system: "Linux")
        let info = DiscoInfo(forms: [software.form(.result)])
        let read = try #require(DiscoInfo(try received(info.element.xml)))
        #expect(read.software == software && read.contactAddresses == nil)
        #expect(software.fields.map(\.name) == ["software", "software_version", "os"])
    }

    @Test("the addresses of a server are told by purpose")
    func addresses() throws {
        let reply = try receivedIQ(try Fixture.named("xep-0157/info.xml").xml)
        let fixture = try #require(reply.payload.flatMap { DiscoInfo($0) })
        let addresses = try #require(fixture.contactAddresses)
        #expect(addresses[.abuse] == ["mailto:abuse@shakespeare.lit", "xmpp:abuse@shakespeare.lit"])
        #expect(addresses[.status] == ["https://status.shakespeare.lit"])
        #expect(ContactAddresses([.sales: []]).addresses.isEmpty)
        let form = try #require(DataForm(try received(addresses.form(.result).element.xml)))
        #expect(form.typed(ContactAddresses.self) == addresses)
    }
}
