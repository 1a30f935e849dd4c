// SPDX-License-Identifier: Apache-2.0

/// Which part of a long list is wanted (XEP-0059 §2).
///
/// The names of items are those that the other side gave them: opaque, and of use only in the list that they came from.
public struct PageRequest: Sendable, Hashable {
    /// Where the page lies in the list.
    public enum Position: Sendable, Hashable {
        /// At the beginning (§2.1).
        case first
        /// At the end (§2.5).
        case last
        /// Just after an item, towards the end (§2.2).
        case after(String)
        /// Just before an item, towards the beginning (§2.3).
        case before(String)
        /// From the item of that number on, counted from 0 (§2.6); not every list can do that.
        case index(Int)
    }

    /// Where the page lies in the list.
    public var position: Position
    /// How many items it holds at most; 0 asks only how long the list is (§2.7), nil leaves it to the other side.
    public var limit: Int?

    /// Makes a request.
    public init(_ position: Position = .first, limit: Int? = 50) {
        self.position = position
        self.limit = limit
    }

    /// Whether following pages lie nearer to the beginning of the list.
    public var goesBackward: Bool {
        switch position {
        case .last, .before: true
        case .first, .after, .index: false
        }
    }
}

/// Which part of a long list a page is (XEP-0059 §2).
public struct PageInfo: Sendable, Hashable {
    /// The name of the first item, nil for an empty page.
    public var first: String?
    /// The name of the last item, nil for an empty page.
    public var last: String?
    /// The number of the first item, counted from 0; about right, nil when nobody says.
    public var index: Int?
    /// How long the whole list is; about right, nil when nobody says.
    public var count: Int?

    /// Makes a description.
    public init(first: String? = nil, last: String? = nil, index: Int? = nil, count: Int? = nil) {
        self.first = first
        self.last = last
        self.index = index
        self.count = count
    }
}

/// The names of XEP-0059.
package enum ResultSet {
    package static let namespace = "http://jabber.org/protocol/rsm"
    package static let set = XMLName("set", namespace)
    static let max = XMLName("max", namespace)
    static let after = XMLName("after", namespace)
    static let before = XMLName("before", namespace)
    static let index = XMLName("index", namespace)
    static let first = XMLName("first", namespace)
    static let last = XMLName("last", namespace)
    static let count = XMLName("count", namespace)

    /// A number that may come from anybody: nothing but digits, and never below zero (T085).
    static func number(_ text: String?) -> Int? {
        guard let text = text?.trimmingXMLSpace, let value = Int(text), value >= 0 else { return nil }
        return value
    }
}

extension PageRequest: StanzaPayload {
    package static let name = ResultSet.set

    /// §2: of several positions, which nothing defines, the first in the order of this list counts.
    package init?(_ element: Element) {
        guard element.matches(ResultSet.set) else { return nil }
        var position = Position.first
        if let after = element.childText(ResultSet.after) {
            position = .after(after)
        } else if let before = element.child(ResultSet.before) {
            let id = before.text.trimmingXMLSpace
            position = id.isEmpty ? .last : .before(id)
        } else if let index = ResultSet.number(element.childText(ResultSet.index)) {
            position = .index(index)
        }
        self.init(position, limit: ResultSet.number(element.childText(ResultSet.max)))
    }

    package var element: Element {
        Element(ResultSet.set) { builder in
            if let limit { builder.child(ResultSet.max, text: String(max(limit, 0))) }
            switch position {
            case .first: break
            case .last: builder.child(Element(ResultSet.before))
            case .after(let id): builder.child(ResultSet.after, text: id)
            case .before(let id): builder.child(ResultSet.before, text: id)
            case .index(let number): builder.child(ResultSet.index, text: String(max(number, 0)))
            }
        }
    }
}

extension PageInfo: StanzaPayload {
    package static let name = ResultSet.set

    /// §2.2: names that are empty are none; numbers that are none are left out.
    package init?(_ element: Element) {
        guard element.matches(ResultSet.set) else { return nil }
        let first = element.childText(ResultSet.first)
        self.init(
            first: first, last: element.childText(ResultSet.last),
            index: first == nil ? nil : ResultSet.number(element.child(ResultSet.first)?["index"]),
            count: ResultSet.number(element.childText(ResultSet.count)))
    }

    package var element: Element {
        Element(ResultSet.set) { builder in
            if let first {
                builder.child(Element(ResultSet.first, attributes: ["index": index.map(String.init)], text: first))
            }
            if let last { builder.child(ResultSet.last, text: last) }
            if let count { builder.child(ResultSet.count, text: String(count)) }
        }
    }
}
