// SPDX-License-Identifier: Apache-2.0
import Glibc

extension SocketChatClient {
    static var again: Int32 { EAGAIN }
    static var notOurs: Int32 { EPERM }

    static func closeDescriptor(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    static func explain(_ failure: UnixSocket.Failure, _ path: String) -> ChatAPIError {
        switch failure.number {
        case ENOENT, ECONNREFUSED, ENOTDIR:
            return ChatAPIError(.notFound, "nobody listens on \(path)", isRetryable: true)
        case EPERM where failure.call == "peer":
            return ChatAPIError(
                .storage, "the process that listens on \(path) belongs to another user",
                hint: "set XDG_RUNTIME_DIR to a directory of your own")
        case EAGAIN:
            return ChatAPIError(
                .busy, "the process that listens on \(path) takes no connection", hint: "try again later",
                isRetryable: true)
        default: return ChatAPIError(.storage, "cannot use the socket \(path): \(failure)")
        }
    }
}
