// SPDX-License-Identifier: Apache-2.0

/// Notices that the same places come again and again, whatever the length of the circle, while it remembers one of them
/// (Brent's way).
struct CircleCheck {
    private var milestone: String?
    private var steps = 0
    private var reach = 1

    /// Takes the next place; true when it was the milestone.
    mutating func isClosed(by place: String) -> Bool {
        if place == milestone { return true }
        steps += 1
        if steps == reach {
            milestone = place
            steps = 0
            reach *= 2
        }
        return false
    }
}
