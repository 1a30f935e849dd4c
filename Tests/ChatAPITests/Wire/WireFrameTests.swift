// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Foundation
import Testing

@Suite struct WireFrameTests {
    @Test func `a call carries its header and its parameters on one line`() throws {
        var header = Wire.Header(.call, id: 7)
        header.method = ChatMethods.Send.name
        let request = SendRequest(conversation: "bo@example.org", body: "two\nlines \u{2028}", key: "k")
        let frame = try Wire.encode(header, params: ChatMethods.Send(request))
        #expect(frame.last == 0x0A)
        #expect(frame.filter { $0 == 0x0A }.count == 1)
        let line = Array(frame.dropLast())
        #expect(try Wire.header(line) == header)
        #expect(try Wire.params(ChatMethods.Send.self, line).request == request)
    }

    @Test func `members that are not known are skipped`() throws {
        let line = Array(#"{"type":"reply","id":1,"later":{"x":[1]},"result":{"also":true}}"#.utf8)
        #expect(try Wire.header(line).type == .reply)
        #expect(try Wire.result(Done.self, line) == Done())
    }

    @Test(arguments: [
        "", "{", "null", "[]", "\"call\"", "{}", #"{"type":"dance"}"#, #"{"type":"call","id":-1}"#,
        #"{"type":"call","id":"1"}"#, #"{"type":"call","id":18446744073709551616}"#, "{\"type\":\"call\u{0}\"}",
    ])
    func `garbage is refused with an error that says what to do`(text: String) throws {
        let error = #expect(throws: ChatAPIError.self) { try Wire.header(Array(text.utf8)) }
        #expect(error?.code == .protocolMismatch)
        #expect(error?.hint != nil)
    }

    @Test func `a frame cut at any byte is refused`() throws {
        var header = Wire.Header(.call, id: 1)
        header.method = EventsMethod.name
        let frame = try Wire.encode(header, params: EventsMethod(since: "5"))
        for length in 0..<frame.count - 1 {
            #expect(throws: ChatAPIError.self) { try Wire.header(Array(frame[..<length])) }
        }
    }

    @Test func `every method has a name of its own`() {
        let names = ChatMethods.all.map { $0.name } + [EventsMethod.name]
        #expect(Set(names).count == names.count)
    }
}
