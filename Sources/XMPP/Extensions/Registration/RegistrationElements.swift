// SPDX-License-Identifier: Apache-2.0

/// The elements of XEP-0077.
package enum Registration {
    package static let namespace = "jabber:iq:register"
    package static let query = XMLName("query", namespace)
    static let registered = XMLName("registered", namespace)
    static let instructions = XMLName("instructions", namespace)
    static let username = XMLName("username", namespace)
    static let password = XMLName("password", namespace)
    /// XEP-0066 §3: an address elsewhere.
    static let elsewhere = XMLName("x", "jabber:x:oob")
    static let url = XMLName("url", "jabber:x:oob")

    /// §3.1.
    static let request = Element(query)
    /// §3.2: the only child, or it is no removal.
    static let removal = Element(query, children: [Element(XMLName("remove", namespace))])

    /// §3.3.
    static func passwordChange(username: String, password: String) -> Element {
        Element(
            query,
            children: [Element(Self.username, text: username), Element(Self.password, text: password)])
    }

    /// What people call the fields of the schema (§14.1), which have no labels of their own.
    static let fieldTitles: [(name: String, title: String)] = [
        ("username", "User name"), ("password", "Password"), ("nick", "Nickname"), ("name", "Full name"),
        ("first", "First name"), ("last", "Family name"), ("email", "Email"), ("address", "Street"),
        ("city", "City"), ("state", "State"), ("zip", "Postal code"), ("phone", "Telephone"), ("url", "Web page"),
        ("date", "Date"), ("misc", "Other"), ("text", "Text"), ("key", "Key"),
    ]
}
