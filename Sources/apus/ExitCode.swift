// SPDX-License-Identifier: Apache-2.0
import ChatAPI

/// What the program's exit status tells a script; `docs/CLI.md` lists them.
enum ExitCode: Int32, CaseIterable {
    case success = 0
    case failure = 1
    case usage = 2
    case notFound = 3
    case authentication = 4
    case network = 5
    case timeout = 6
    case certificate = 7
    case busy = 8
    case refused = 9
    case hungUp = 129
    case interrupted = 130
    case brokenPipe = 141
    case terminated = 143

    init(_ code: ChatAPIError.Code) {
        switch code {
        case .invalidArgument: self = .usage
        case .notFound, .unknownAccount: self = .notFound
        case .authentication: self = .authentication
        case .network: self = .network
        case .timeout: self = .timeout
        case .certificate: self = .certificate
        case .busy, .leaving, .connectionLost, .protocolMismatch: self = .busy
        case .refused, .conflict, .registrationFields: self = .refused
        case .cancelled: self = .interrupted
        default: self = .failure
        }
    }
}

/// Why a command ends early.
enum CommandError: Error {
    /// The core's answer.
    case chat(ChatAPIError)
    /// The command line is wrong; `help` is the command to ask for help.
    case usage(String, help: String)
    /// Nobody reads our output any more.
    case brokenPipe

    var exitCode: ExitCode {
        switch self {
        case .chat(let error): ExitCode(error.code)
        case .usage: .usage
        case .brokenPipe: .brokenPipe
        }
    }

    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as ChatAPIError: self = .chat(error)
        case is CancellationError: self = .chat(.cancelled)
        default: self = .chat(ChatAPIError(.fault, String(describing: error)))
        }
    }
}
