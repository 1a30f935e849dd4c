// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import XMPP

@Suite("Deciding about uploads")
struct UploadStateMachineTests {
    let slot = UploadSlot(putURL: "https://p.test/", getURL: "https://g.test/", fields: [])
    let lost = XMPPError(.transferFailed, "cut", isRetryable: true)

    func sending() -> UploadStateMachine {
        var machine = UploadStateMachine()
        #expect(machine.start() == .requestSlot)
        #expect(machine.received(slot) == .put(slot))
        return machine
    }

    @Test("B162 a file is there when the server says so", arguments: [200, 201, 204])
    func success(_ status: Int) {
        var machine = sending()
        #expect(machine.answered(status, host: "p") == .finished(slot))
    }

    @Test(
        "T148 a failure on the way is followed by another place, three times in all",
        arguments: [500, 503, 403, 404, 408])
    func again(_ status: Int) {
        var machine = sending()
        #expect(machine.answered(status, host: "p") == .requestSlot)
        #expect(machine.received(slot) == .put(slot))
        #expect(machine.failed(lost) == .requestSlot)
        #expect(machine.received(slot) == .put(slot))
        guard case .fail(let error) = machine.answered(status, host: "p") else {
            Issue.record("it went on")
            return
        }
        #expect(error.code == .httpRefused)
    }

    @Test("T148 what another attempt cannot mend ends it at once", arguments: [413, 202, 206, 301, 400, 401, 415, 507])
    func final(_ status: Int) {
        var machine = sending()
        guard case .fail(let error) = machine.answered(status, host: "p") else {
            Issue.record("it went on")
            return
        }
        #expect(error.code == (status == 413 ? .fileTooLarge : .httpRefused))
        var unusable = sending()
        let gone = XMPPError(.fileUnusable, "gone")
        #expect(unusable.failed(gone) == .fail(gone))
    }

    @Test("no place is no reason to ask for another one at once")
    func refused() {
        var machine = UploadStateMachine()
        _ = machine.start()
        #expect(machine.failed(lost) == .fail(lost))
    }
}
