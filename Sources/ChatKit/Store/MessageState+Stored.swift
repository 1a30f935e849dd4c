// SPDX-License-Identifier: Apache-2.0

extension MessageState {
    /// The numbers of the column `message.state`; never change one.
    enum Stored {
        static let queued: Int64 = 0
        static let written: Int64 = 1
        static let acknowledged: Int64 = 2
        static let delivered: Int64 = 3
        static let displayed: Int64 = 4
        static let failed: Int64 = 5
        static let needsConfirmation: Int64 = 6
        static let received: Int64 = 10
    }

    init(stored: Int64, failure: String?, text: String?) {
        switch stored {
        case Stored.queued: self = .queued
        case Stored.written: self = .written
        case Stored.acknowledged: self = .acknowledged
        case Stored.delivered: self = .delivered
        case Stored.displayed: self = .displayed
        case Stored.failed: self = .failed(MessageFailure(.init(rawValue: failure ?? "undefined"), text: text))
        case Stored.needsConfirmation: self = .needsConfirmation
        default: self = .received
        }
    }
}
