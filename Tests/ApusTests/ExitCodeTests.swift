// SPDX-License-Identifier: Apache-2.0
import ChatAPI
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
}
