// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatKit
import XMPP

extension LocalChatClient {
    /// What people do in rooms from now on.
    static func readActivities(_ core: ChatCore, into merger: EventMerger) async {
        do throws(ChatError) {
            var known: [RoomActivity.ID: RoomActivity]?
            for try await changes in core.roomActivityUpdates() {
                let news = known == nil ? [] : changes.inserted + changes.updated
                for activity in news {
                    merger.post("activity \(activity.id)", .roomActivity(RoomActivityItem(activity)))
                }
                for id in changes.removed {
                    // Its people came and went: nothing is left of it.
                    guard let gone = known?[id] else { continue }
                    var item = RoomActivityItem(gone)
                    (item.people, item.others) = ([], nil)
                    merger.post("activity \(id)", .roomActivity(item))
                }
                known = Dictionary(changes.rows.map { ($0.id, $0) }) { $1 }
            }
        } catch {
            merger.end(ChatAPIError(error))
        }
    }
}

extension RoomActivityItem {
    init(_ activity: RoomActivity) {
        self.init(
            id: activity.id.description, account: activity.account.description, room: activity.room.description,
            position: activity.position, began: Timestamp(activity.began), ended: Timestamp(activity.ended),
            people: activity.people.map { Person($0) }, others: activity.others)
    }
}

extension RoomActivityItem.Person {
    fileprivate init(_ person: RoomActivity.Person) {
        switch person.change {
        case .came: self.init(name: person.name, change: .came)
        case .left: self.init(name: person.name, change: .left)
        case .renamed(let former): self.init(name: person.name, change: .renamed, former: former)
        case .kicked(let reason): self.init(name: person.name, change: .kicked, reason: reason)
        case .banned(let reason): self.init(name: person.name, change: .banned, reason: reason)
        case .excluded: self.init(name: person.name, change: .excluded)
        }
    }
}
