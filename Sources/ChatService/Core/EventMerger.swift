// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI

/// Brings events of several sources to one reader.
///
/// Lasting events keep their order and make their source wait when the reader is slow; of passing ones only the newest
/// of each subject is kept, in the place of the oldest.
final class EventMerger: Sendable {
    /// Lasting events that may wait.
    static let capacity = 64

    private struct State {
        var lasting: [ChatEvent] = []
        var taken = 0
        // Slices, so that taking the first of ten thousand moves none of the others.
        var passing: ArraySlice<ChatEvent.Kind> = []
        var places: [String: Int] = [:]
        var keys: ArraySlice<String> = []
        var passed = 0
        var ending: ChatAPIError?
        var reader: CheckedContinuation<Result<ChatEvent, ChatAPIError>, Never>?
        var writer: CheckedContinuation<Bool, Never>?

        var hasRoom: Bool { lasting.count - taken < EventMerger.capacity }
    }

    private let state = Locked(State())

    /// Adds a lasting event; waits for room.
    ///
    /// False when nobody reads any more.
    func put(_ event: ChatEvent) async -> Bool {
        await withTaskCancellationHandler {
            while true {
                let isDone = state.withLock { state -> Bool? in
                    if state.ending != nil { return false }
                    guard state.hasRoom else { return nil }
                    state.lasting.append(event)
                    return true
                }
                wakeReader()
                if let isDone { return isDone }
                let goesOn = await withCheckedContinuation { continuation in
                    let answer = state.withLock { state -> Bool? in
                        if state.ending != nil { return false }
                        if state.hasRoom { return true }
                        state.writer = continuation
                        return nil
                    }
                    if let answer { continuation.resume(returning: answer) }
                }
                if !goesOn { return false }
            }
        } onCancel: {
            end(.cancelled)
        }
    }

    /// Adds a passing event; it takes the place of an older one with the same key.
    func post(_ key: String, _ kind: ChatEvent.Kind) {
        state.withLock { state in
            if let place = state.places[key] {
                state.passing[state.passing.startIndex + place - state.passed] = kind
            } else {
                state.places[key] = state.passed + state.passing.count
                state.passing.append(kind)
                state.keys.append(key)
            }
        }
        wakeReader()
    }

    /// Ends the stream; what waits is still given out.
    func end(_ error: ChatAPIError) {
        let writer = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if state.ending == nil { state.ending = error }
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume(returning: false)
        wakeReader()
    }

    /// The next event; one reader at a time.
    ///
    /// Cancelling ends the stream.
    func next() async throws(ChatAPIError) -> ChatEvent {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.reader = continuation }
                wakeReader()
            }
        } onCancel: {
            end(.cancelled)
        }
        return try result.get()
    }

    private func wakeReader() {
        let wake = state.withLock {
            state -> (
                CheckedContinuation<Result<ChatEvent, ChatAPIError>, Never>, Result<ChatEvent, ChatAPIError>,
                CheckedContinuation<Bool, Never>?
            )? in
            guard let reader = state.reader, let result = Self.take(&state) else { return nil }
            state.reader = nil
            guard state.hasRoom, let writer = state.writer else { return (reader, result, nil) }
            state.writer = nil
            return (reader, result, writer)
        }
        guard let (reader, result, writer) = wake else { return }
        reader.resume(returning: result)
        writer?.resume(returning: true)
    }

    private static func take(_ state: inout State) -> Result<ChatEvent, ChatAPIError>? {
        if let kind = state.passing.popFirst() {
            if let key = state.keys.popFirst() { state.places[key] = nil }
            state.passed += 1
            if state.passing.isEmpty { (state.passing, state.keys) = ([], []) }
            return .success(ChatEvent(kind))
        }
        if state.taken < state.lasting.count {
            let event = state.lasting[state.taken]
            state.taken += 1
            if state.taken == state.lasting.count { (state.lasting, state.taken) = ([], 0) }
            return .success(event)
        }
        return state.ending.map { .failure($0) }
    }
}
