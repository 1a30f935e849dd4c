// SPDX-License-Identifier: Apache-2.0

/// Whom to write to about a server: addresses as URIs, to be shown and not to be opened unasked (XEP-0157 §3).
public struct ContactAddresses: TypedForm {
    /// What an address is for.
    public enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// Complaints about people.
        case abuse
        /// Those who run the server.
        case admin
        /// Praise and wishes.
        case feedback
        /// Contracts.
        case sales
        /// Weaknesses that were found.
        case security
        /// How the server is doing.
        case status
        /// Help.
        case support
    }

    /// `http://jabber.org/network/serverinfo`.
    public static let formType = "http://jabber.org/network/serverinfo"

    /// The addresses by purpose; none is empty.
    public var addresses: [Purpose: [String]]

    /// Makes a list.
    public init(_ addresses: [Purpose: [String]]) { self.addresses = addresses.filter { !$0.value.isEmpty } }

    /// The addresses for one purpose.
    public subscript(purpose: Purpose) -> [String] { addresses[purpose] ?? [] }

    /// Reads the fields; addresses of purposes that are not known are left out.
    public init?(_ form: DataForm) {
        var addresses: [Purpose: [String]] = [:]
        for purpose in Purpose.allCases {
            let values = form[purpose.rawValue + "-addresses"]?.values ?? []
            addresses[purpose] = values.map(\.trimmingXMLSpace).filter { !$0.isEmpty }
        }
        self.init(addresses)
    }

    /// The fields that have addresses.
    public var fields: [DataForm.Field] {
        Purpose.allCases.compactMap { purpose in
            addresses[purpose].map { DataForm.Field(purpose.rawValue + "-addresses", kind: .choices, values: $0) }
        }
    }
}
