// SPDX-License-Identifier: Apache-2.0
import ApusDesktop
import ChatAPI
import Testing

@testable import apus

/// What `apus notify` shows of an announcement; `Tests/Interop/notify.py` has it on a desktop's bus.
@Suite struct NotifyTests {
    private func announcement(_ reason: Announcement.Reason = .message) -> Announcement {
        Announcement(id: "x", reason: reason, account: "ann@example.org", address: "bo@example.org")
    }

    @Test func `a message has its sender as the title, and how many wait below`() {
        var announced = announcement()
        (announced.title, announced.body, announced.count) = ("Bo", "cups\u{1B}[2J\nof tea", 3)
        let note = Commands.note(announced)
        #expect(note.title == "Bo" && note.body.hasSuffix("of tea\n3 messages"))
        #expect(!note.body.contains("\u{1B}") && note.canBeRead && !note.isUrgent && !note.isSilent)
    }

    @Test func `in a room the one who wrote stands before the text, and a mention is urgent`() {
        var announced = announcement(.mention)
        (announced.title, announced.sender, announced.body) = ("Tea", "eli", "ann?")
        let note = Commands.note(announced)
        #expect(note.title == "Tea" && note.body == "eli: ann?" && note.isUrgent)
    }

    @Test func `what the rules hide is not shown`() {
        let note = Commands.note(announcement())
        #expect(note.title == "A message" && note.body.isEmpty)
        let request = Commands.note(announcement(.request))
        #expect(request.title == "A request" && request.body == "asks to see your presence" && !request.canBeRead)
    }
}
