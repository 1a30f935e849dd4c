// SPDX-License-Identifier: Apache-2.0

/// One line of input, edited key by key: bytes from the terminal in, what they mean out.
struct LineEditor: Sendable {
    enum Action: Hashable, Sendable {
        /// The text or the cursor changed.
        case changed
        /// Return was pressed; the text is the line.
        case submitted(String)
        /// Ctrl-D on an empty line.
        case ended
        /// Ctrl-L.
        case redraw
    }

    private(set) var text: [Character] = []
    /// The place of the cursor: how many characters are before it.
    private(set) var cursor = 0
    private var pending: [UInt8] = []
    private var isPasting = false

    var string: String { String(text) }

    /// Takes bytes in any portions; a key that is not complete waits for its rest.
    mutating func feed(_ bytes: [UInt8]) -> [Action] {
        pending += bytes
        var actions: [Action] = []
        while let (key, length) = Self.key(pending[...]) {
            pending.removeFirst(length)
            if let action = press(key) { actions.append(action) }
        }
        return actions
    }

    private enum Key: Hashable {
        case character(Character)
        case control(UInt8)
        case sequence(String)
        case nothing
    }

    /// The longest sequence that is waited for; anything longer is thrown away.
    private static let sequenceBytes = 32

    private static func key(_ bytes: ArraySlice<UInt8>) -> (Key, Int)? {
        guard let first = bytes.first else { return nil }
        if first == 0x1B { return escape(bytes) }
        if first < 0x20 || first == 0x7F { return (.control(first), 1) }
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
        guard bytes.count >= length else { return nil }
        guard let text = String(validating: bytes.prefix(length), as: UTF8.self), let character = text.first else {
            return (.nothing, 1)
        }
        return (.character(character), length)
    }

    private static func escape(_ bytes: ArraySlice<UInt8>) -> (Key, Int)? {
        guard bytes.count >= 2 else { return nil }
        let second = bytes[bytes.startIndex + 1]
        if second == 0x4F {
            guard bytes.count >= 3 else { return nil }
            return (.sequence(String(decoding: bytes.dropFirst(2).prefix(1), as: UTF8.self)), 3)
        }
        guard second == 0x5B else { return (.nothing, 2) }
        guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            return bytes.count > sequenceBytes ? (.nothing, bytes.count) : nil
        }
        let name = String(decoding: bytes[(bytes.startIndex + 2)...end], as: UTF8.self)
        return (.sequence(name), end - bytes.startIndex + 1)
    }

    private mutating func press(_ key: Key) -> Action? {
        switch key {
        case .nothing: return nil
        case .character(let character): return insert(character)
        case .sequence("200~"): isPasting = true
        case .sequence("201~"): isPasting = false
        case .control(let code) where isPasting:
            switch code {
            case 0x0A, 0x0D: return insert("\n")
            case 0x09: return insert(" ")
            default: return nil
            }
        case .control(0x0A), .control(0x0D):
            let line = string
            (text, cursor) = ([], 0)
            return .submitted(line)
        case .control(0x04) where text.isEmpty: return .ended
        case .control(0x0C): return .redraw
        case .control(0x01), .sequence("H"), .sequence("1~"): return move(to: 0)
        case .control(0x05), .sequence("F"), .sequence("4~"): return move(to: text.count)
        case .control(0x02), .sequence("D"): return move(to: cursor - 1)
        case .control(0x06), .sequence("C"): return move(to: cursor + 1)
        case .control(0x7F), .control(0x08): return remove(cursor - 1..<cursor)
        case .control(0x04), .sequence("3~"): return remove(cursor..<cursor + 1)
        case .control(0x15): return remove(0..<cursor)
        case .control(0x0B): return remove(cursor..<text.count)
        case .control(0x17):
            let kept = text[..<cursor].reversed().drop { $0 == " " }.drop { $0 != " " }
            return remove(kept.count..<cursor)
        default: break
        }
        return nil
    }

    private mutating func insert(_ character: Character) -> Action {
        // A combining character joins what stands before it.
        let before = text[..<cursor].last.map { String($0) + String(character) }
        if let before, before.count == 1, let joined = before.first {
            text[cursor - 1] = joined
        } else {
            text.insert(character, at: cursor)
            cursor += 1
        }
        return .changed
    }

    private mutating func move(to place: Int) -> Action? {
        guard (0...text.count).contains(place), place != cursor else { return nil }
        cursor = place
        return .changed
    }

    private mutating func remove(_ range: Range<Int>) -> Action? {
        guard range.lowerBound >= 0, range.upperBound <= text.count, !range.isEmpty else { return nil }
        text.removeSubrange(range)
        cursor = range.lowerBound
        return .changed
    }
}
