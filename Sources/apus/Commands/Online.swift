// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Glibc

/// Getting accounts online for commands that can also do without.
enum Online {
    /// Connects; what goes wrong is said on standard error and the command goes on with what is stored.
    static func tryToConnect(_ context: Context) async {
        do throws(ChatAPIError) {
            let request = ConnectRequest(account: context.account, timeout: .seconds(10))
            let accounts = try await context.client.connect(request)
            let now = Int64(time(nil)) * 1000
            // Contacts answer a fresh login one by one; a moment of patience shows them all.
            if accounts.contains(where: { now - ($0.connection.since?.milliseconds ?? 0) < 2000 }) {
                try? await Task.sleep(for: .milliseconds(700))
            }
        } catch {
            guard error.code != .cancelled, error.code != .unknownAccount else { return }
            await context.output.warn(error.description + "; showing what is stored")
        }
    }
}
