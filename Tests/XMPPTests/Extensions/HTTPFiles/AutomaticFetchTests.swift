// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("Fetching without asking")
struct AutomaticFetchTests {
    func file(_ url: String = "https://e.org/a.png", size: Int? = 1000) -> SharedFile {
        SharedFile(metadata: FileMetadata(byteCount: size), urls: [url])
    }

    @Test("T149 nothing is fetched without asking unless the user wants it, and then not from strangers and rooms")
    func senders() {
        var rules = AutomaticFetch()
        for sender in AutomaticFetch.Sender.allCases { #expect(!rules.permits(file(), from: sender)) }
        rules.isEnabled = true
        #expect(rules.permits(file(), from: .contact) && rules.permits(file(), from: .ownAccount))
        #expect(!rules.permits(file(), from: .stranger) && !rules.permits(file(), from: .room))
        rules.senders.insert(.room)
        #expect(rules.permits(file(), from: .room))
    }

    @Test(
        "T149 what is too large, of unknown size, or leads to this machine is not fetched without asking",
        arguments: [
            ("https://e.org/a", 6_000_000), ("https://e.org/a", nil), ("https://e.org/a", 0),
            ("http://e.org/a", 10), ("https://127.0.0.1/a", 10), ("xmpp:a@b", 10),
        ] as [(String, Int?)])
    func files(_ url: String, _ size: Int?) {
        var rules = AutomaticFetch()
        rules.isEnabled = true
        #expect(!rules.permits(file(url, size: size), from: .contact))
        #expect(!rules.permits(SharedFile(metadata: FileMetadata(byteCount: 5)), from: .contact))
    }
}
