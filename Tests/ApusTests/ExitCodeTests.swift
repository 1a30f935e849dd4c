// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation
import Testing

@testable import apus

@Suite struct ExitCodeTests {
    private static let table: [(ChatAPIError.Code, Int32)] = [
        (ChatAPIError.Code.invalidArgument, 2), (.notFound, 3), (.unknownAccount, 3), (.authentication, 4),
        (.network, 5),
        (.timeout, 6), (.certificate, 7), (.busy, 8), (.connectionLost, 8), (.refused, 9), (.conflict, 9),
        (.cancelled, 130), (.storage, 1), (.fault, 1), (ChatAPIError.Code(rawValue: "from-the-future"), 1),
    ]

    @Test(arguments: table)
    func `every kind of failure has its exit status`(code: ChatAPIError.Code, status: Int32) {
        #expect(ExitCode(code).rawValue == status)
    }

    @Test func `the manual has the same table, with every code in it`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let manual = try String(contentsOf: root.appendingPathComponent("docs/CLI.md"), encoding: .utf8)
        let section = try #require(manual.components(separatedBy: "## Exit statuses").dropFirst().first)
        var seen: Set<String> = []
        for row in section.components(separatedBy: "\n") where row.hasPrefix("| ") {
            let cells = row.components(separatedBy: "|")
            guard cells.count > 3, let status = Int32(cells[1].trimmingCharacters(in: .whitespaces)) else { continue }
            for match in cells[3].matches(of: /`([a-z-]+)`/) {
                seen.insert(String(match.1))
                #expect(ExitCode(ChatAPIError.Code(rawValue: String(match.1))).rawValue == status, "\(match.1)")
            }
        }
        let source = try String(
            contentsOf: root.appendingPathComponent("Sources/ChatAPI/Values/ChatAPIError.swift"), encoding: .utf8)
        let declared = Set(source.matches(of: /Code\(rawValue: "([a-z-]+)"\)/).map { String($0.1) })
        // A command that was interrupted ends with the signal's status.
        #expect(declared.subtracting(["cancelled"]) == seen)
    }
}
