// SPDX-License-Identifier: Apache-2.0

/// The name of an element or attribute: a namespace and a local name.
///
/// Names are compared by both parts; a prefix is only a way of writing them down and never part of a name
/// (Namespaces in XML 1.0 §3). An empty namespace means "in no namespace".
///
/// Keep the names you compare with as `static let` constants: a name that the library knows gets its number when
/// it is made, and comparing it with an element is then a comparison of two integers.
public struct XMLName: Sendable {
    /// The local part, without a prefix.
    public let local: String
    /// The namespace name, or an empty string for no namespace.
    public let namespace: String
    /// The number in the table of known names, or `unknownID`.
    let id: UInt32

    static let unknownID = UInt32.max

    /// Makes a name from a local part and a namespace.
    public init(_ local: String, _ namespace: String) {
        self.init(local: local, namespace: namespace, id: XMLNameTable.known.id(local: local, namespace: namespace))
    }

    init(local: String, namespace: String, id: UInt32) {
        self.local = local
        self.namespace = namespace
        self.id = id
    }
}

extension XMLName: Hashable {
    /// Returns whether both names have the same local part and namespace.
    public static func == (left: XMLName, right: XMLName) -> Bool {
        guard left.id == right.id else { return false }
        return left.id != unknownID || (left.local == right.local && left.namespace == right.namespace)
    }

    /// Feeds the name into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        if id == XMLName.unknownID {
            hasher.combine(local)
            hasher.combine(namespace)
        }
    }
}

extension XMLName: CustomStringConvertible {
    /// The name as `{namespace}local`, or just the local part when there is no namespace.
    public var description: String {
        namespace.isEmpty ? local : "{\(namespace)}\(local)"
    }
}
