// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

@Suite struct XMLNameTests {
    @Test func `names are equal when both parts are`() {
        let names = [
            XMLName("message", "jabber:client"), XMLName("message", "jabber:server"),
            XMLName("messages", "jabber:client"),
            XMLName("unknown", "jabber:client"), XMLName("unknown", "urn:unknown"), XMLName("message", ""),
            XMLName("", ""),
        ]
        for (i, left) in names.enumerated() {
            for (j, right) in names.enumerated() { #expect((left == right) == (i == j)) }
            #expect(left == XMLName(left.local, left.namespace))
            #expect(left.hashValue == XMLName(left.local, left.namespace).hashValue)
        }
        #expect(names[0].description == "{jabber:client}message")
        #expect(names[5].description == "message")
    }

    @Test func `every name of the table is found and no other`() {
        let table = XMLNameTable.known
        for name in table.names {
            #expect(table.id(local: name.local, namespace: name.namespace) == name.id)
            #expect(table.id(local: name.local + "x", namespace: name.namespace) == XMLName.unknownID)
            #expect(table.id(local: name.local, namespace: name.namespace + "x") == XMLName.unknownID)
        }
        #expect(Set(table.names).count == table.names.count)
        #expect(table.namespaces.count > 20)
    }

    @Test func `a table takes a name that is listed twice once`() {
        let table = XMLNameTable([("urn:a", ["b", "c", "b"]), ("urn:a", ["c", "d"]), ("urn:e", ["b"])])
        #expect(table.names.map(\.local) == ["b", "c", "d", "b"])
        #expect(table.id(local: "b", namespace: "urn:e") == 3)
        #expect(table.id(local: "d", namespace: "urn:e") == XMLName.unknownID)
    }
}
