// SPDX-License-Identifier: Apache-2.0
public import XMPP

/// A registration that was begun: the server's form, and the connection that it came on.
///
/// An answer to a picture, or an invitation that was shown, counts on that connection alone. Register with
/// ``ChatCore/registerAccount(_:password:settings:fields:over:)``, or ``close()`` it.
public struct PendingRegistration: Sendable {
    /// What the server wants to know.
    public let form: RegistrationForm
    /// Pictures that belong to questions of the form, by the fields' names.
    public let pictures: [String: Picture]
    let connection: InBandRegistration

    /// Gives up; nothing was made.
    ///
    /// Waits until the connection is closed.
    public func close() async { await connection.close() }
}
