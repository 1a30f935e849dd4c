// SPDX-License-Identifier: Apache-2.0

/// An immutable table of the names that a program works with.
///
/// A name found here is stored in an element as a small number. Names that are not found keep their bytes in the
/// stanza: the table never grows, so a peer can neither fill it nor, as the set of keys is fixed, make look-ups slow.
package final class XMLNameTable: Sendable {
    /// A namespace and the local names of its elements.
    package typealias Group = (namespace: String, locals: [String])

    /// The numbers of the namespaces that XML itself defines; others follow.
    static let noNamespace: UInt32 = 0
    static let xml: UInt32 = 1
    static let xmlns: UInt32 = 2
    static let notFound = UInt32.max

    let names: [XMLName]
    let namespaces: [String]
    // The slots below are written once, in `init`, and never again; they live as long as the process does.
    nonisolated(unsafe) private let nameSlots: UnsafePointer<NameSlot>
    // As above.
    nonisolated(unsafe) private let namespaceSlots: UnsafePointer<NamespaceSlot>
    private let nameMask: UInt64
    private let namespaceMask: UInt64

    /// Builds a table; a namespace or name that is listed twice is taken once.
    package init(_ groups: [Group]) {
        var namespaces = ["", "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"]
        var names: [XMLName] = []
        var nameNamespaces: [UInt32] = []
        var seen: Set<String> = []
        for group in groups {
            let number: Int
            if let found = namespaces.firstIndex(of: group.namespace) {
                number = found
            } else {
                number = namespaces.count
                namespaces.append(group.namespace)
            }
            for local in group.locals where seen.insert("\(number) \(local)").inserted {
                names.append(XMLName(local: local, namespace: namespaces[number], id: UInt32(names.count)))
                nameNamespaces.append(UInt32(number))
            }
        }
        (namespaceSlots, namespaceMask) = XMLNameTable.slots(for: namespaces)
        (nameSlots, nameMask) = XMLNameTable.slots(for: names, in: nameNamespaces)
        self.names = names
        self.namespaces = namespaces
    }

    /// The number of a name, or `XMLName.unknownID`.
    func id(local: String, namespace: String) -> UInt32 {
        var namespace = namespace
        let number = namespace.withUTF8 { bytes in
            bytes.baseAddress.map { namespaceNumber(UnsafePointer($0), bytes.count) } ?? XMLNameTable.noNamespace
        }
        guard number != XMLNameTable.notFound else { return XMLName.unknownID }
        var local = local
        return local.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return XMLName.unknownID }
            return nameNumber(namespace: number, key: xmlKey(start, bytes.count), start, bytes.count)
        }
    }
}

// MARK: Look-up

extension XMLNameTable {
    struct NameSlot {
        var key: UInt64
        var namespace: UInt32
        var length: UInt32
        var id: UInt32
        var bytes: UnsafePointer<UInt8>
    }

    struct NamespaceSlot {
        var key: UInt64
        var length: UInt32
        var number: UInt32
        var bytes: UnsafePointer<UInt8>
    }

    /// Finds a name by the first eight bytes of its local part (`key`), its length and its namespace's number.
    @inline(__always)
    func nameNumber(namespace: UInt32, key: UInt64, _ bytes: UnsafePointer<UInt8>, _ length: Int) -> UInt32 {
        var slot = XMLNameTable.hash(key, UInt64(truncatingIfNeeded: length) &+ UInt64(namespace) &<< 16) & nameMask
        while true {
            let candidate = nameSlots + Int(truncatingIfNeeded: slot)
            if candidate.pointee.id == XMLNameTable.notFound { return XMLName.unknownID }
            if candidate.pointee.key == key, candidate.pointee.namespace == namespace,
                Int(candidate.pointee.length) == length,
                length <= 8 || xmlEqual(candidate.pointee.bytes + 8, bytes + 8, length &- 8)
            {
                return candidate.pointee.id
            }
            slot = (slot &+ 1) & nameMask
        }
    }

    /// Finds a namespace by its bytes; the last eight are the key, as many begin alike.
    @inline(__always)
    func namespaceNumber(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> UInt32 {
        if length == 0 { return XMLNameTable.noNamespace }
        let key = XMLNameTable.namespaceKey(bytes, length)
        var slot = XMLNameTable.hash(key, UInt64(truncatingIfNeeded: length)) & namespaceMask
        while true {
            let candidate = namespaceSlots + Int(truncatingIfNeeded: slot)
            if candidate.pointee.number == XMLNameTable.notFound { return XMLNameTable.notFound }
            if candidate.pointee.key == key, Int(candidate.pointee.length) == length,
                xmlEqual(candidate.pointee.bytes, bytes, length)
            {
                return candidate.pointee.number
            }
            slot = (slot &+ 1) & namespaceMask
        }
    }

    @inline(__always)
    private static func namespaceKey(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> UInt64 {
        length >= 8 ? xmlLoad(bytes + (length &- 8)) : xmlKey(bytes, length)
    }

    @inline(__always)
    private static func hash(_ key: UInt64, _ other: UInt64) -> UInt64 {
        let mixed = (key ^ (other &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ (mixed &>> 32)
    }
}

// MARK: Building

extension XMLNameTable {
    /// Copies text into memory that is never given back; the table is made once in a process.
    private static func keep(_ text: String) -> UnsafePointer<UInt8> {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: text.utf8.count + 8)
        bytes.initialize(repeating: 0, count: text.utf8.count + 8)
        for (offset, byte) in text.utf8.enumerated() { bytes[offset] = byte }
        return UnsafePointer(bytes)
    }

    private static func size(for count: Int) -> Int {
        var size = 16
        while size < count * 4 { size *= 2 }
        return size
    }

    private static func slots(for namespaces: [String]) -> (UnsafePointer<NamespaceSlot>, UInt64) {
        let size = size(for: namespaces.count)
        let slots = UnsafeMutablePointer<NamespaceSlot>.allocate(capacity: size)
        slots.initialize(
            repeating: NamespaceSlot(key: 0, length: 0, number: notFound, bytes: keep("")), count: size)
        for (number, name) in namespaces.enumerated() where !name.isEmpty {
            let bytes = keep(name)
            let length = name.utf8.count
            let key = namespaceKey(bytes, length)
            var slot = Int(hash(key, UInt64(length)) & UInt64(size - 1))
            while slots[slot].number != notFound { slot = (slot + 1) & (size - 1) }
            slots[slot] = NamespaceSlot(key: key, length: UInt32(length), number: UInt32(number), bytes: bytes)
        }
        return (UnsafePointer(slots), UInt64(size - 1))
    }

    private static func slots(for names: [XMLName], in namespaces: [UInt32]) -> (UnsafePointer<NameSlot>, UInt64) {
        let size = size(for: names.count)
        let slots = UnsafeMutablePointer<NameSlot>.allocate(capacity: size)
        slots.initialize(
            repeating: NameSlot(key: 0, namespace: 0, length: 0, id: notFound, bytes: keep("")), count: size)
        for (name, namespace) in zip(names, namespaces) {
            let bytes = keep(name.local)
            let length = name.local.utf8.count
            let key = xmlKey(bytes, length)
            var slot = Int(hash(key, UInt64(length) &+ UInt64(namespace) &<< 16) & UInt64(size - 1))
            while slots[slot].id != notFound { slot = (slot + 1) & (size - 1) }
            slots[slot] = NameSlot(
                key: key, namespace: namespace, length: UInt32(length), id: name.id, bytes: bytes)
        }
        return (UnsafePointer(slots), UInt64(size - 1))
    }
}

extension XMLNameTable {
    /// The number of a namespace, or `notFound`.
    func number(ofNamespace namespace: String) -> UInt32 {
        var namespace = namespace
        return namespace.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return XMLNameTable.noNamespace }
            return namespaceNumber(start, bytes.count)
        }
    }
}
