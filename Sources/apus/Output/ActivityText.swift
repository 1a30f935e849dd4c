// SPDX-License-Identifier: Apache-2.0
import ChatAPI

/// What people did in a room, in words.
enum ActivityText {
    /// So many names stand in one part of a line.
    private static let names = 3

    /// One line: who came, who went, who has another name, who was put out.
    static func line(_ people: [RoomActivityItem.Person], others: Int) -> String {
        var parts: [String] = []
        func put(_ change: RoomActivityItem.Person.Change, _ word: String) {
            let found = people.filter { $0.change == change }.map { Plain.line($0.name) }
            guard !found.isEmpty else { return }
            let more = found.count - names
            let shown = found.prefix(names).joined(separator: ", ")
            parts.append(shown + (more > 0 ? " and \(more) more" : "") + " " + word)
        }
        put(.came, "came")
        put(.left, "left")
        put(.excluded, "left as no member any more")
        for person in people {
            let reason = person.reason.map { " (\(Plain.line($0)))" } ?? ""
            switch person.change {
            case .renamed: parts.append("\(Plain.line(person.former ?? "")) is \(Plain.line(person.name)) now")
            case .kicked: parts.append("\(Plain.line(person.name)) was put out\(reason)")
            case .banned: parts.append("\(Plain.line(person.name)) was banned\(reason)")
            case .came, .left, .excluded: break
            }
        }
        if others > 0 { parts.append("\(others) more came or went") }
        return parts.isEmpty ? "nobody came or went" : parts.joined(separator: "; ")
    }
}
