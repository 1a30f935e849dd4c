// SPDX-License-Identifier: Apache-2.0

/// Who may see what an account publishes about its owner (XEP-0060 §4.5).
public enum Audience: String, Sendable, Hashable, CaseIterable {
    /// Everybody who asks, as people in the same room.
    case everybody = "open"
    /// Those who see one's presence.
    case contacts = "presence"
    /// Nobody but one's own devices.
    case nobody = "whitelist"
}
