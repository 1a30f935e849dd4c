// SPDX-License-Identifier: Apache-2.0
import ApusTransport
package import ChatKit
import XMPP

/// What the process that holds a profile does differently than usual.
package struct CoreOptions: Sendable {
    /// Gets a redacted log of all streams, a line at a time, on the thread of the connections: it must not block.
    package var trace: (@Sendable (_ line: String) -> Void)?
    /// Whether that log has the texts of messages too.
    package var tracesText = false
    /// Name servers to ask instead of those of the system, as `address[:port],…`.
    package var nameServers: String?

    /// Decodes pictures in a process of its own; nil leaves them as they are.
    package var pictureWorker: (any PictureWorker)?
    /// Gives the keyring of the desktop when a profile is opened, if there is one.
    package var secretKeeper: (@Sendable () -> (any SecretKeeper)?)?

    package init() {}

    var core: ChatCore.Configuration {
        var configuration = ChatCore.Configuration()
        configuration.pictureWorker = pictureWorker
        configuration.ownPorts = { OwnPorts.all }
        configuration.secretKeeper = secretKeeper
        if let trace {
            configuration.session.trace = StreamTrace(showsText: tracesText) { line in
                trace("\(line.account) \(line.direction.rawValue) \(line.text)")
            }
        }
        if let nameServers {
            configuration.session.connector = TCPConnector(resolver: ResolverConfiguration(servers: nameServers))
        }
        return configuration
    }
}
