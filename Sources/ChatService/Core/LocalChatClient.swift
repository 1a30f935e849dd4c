// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

/// The chat core of this process, over `ChatKit`.
package enum LocalChatClient {
    /// Opens a profile; throws `busy` when another process holds it.
    package static let open: CoreOpener = { (_: ProfilePaths) async throws(ChatAPIError) -> any LocalCore in
        throw ChatAPIError(.unsupported, "this build has no chat core")
    }
}
