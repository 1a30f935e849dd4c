// SPDX-License-Identifier: Apache-2.0
import Dispatch

extension SocketChatClient {
    package func events(since cursor: String?) -> ChatEventStream { stream(EventsMethod(since: cursor)) }
    package func announcements() -> ChatEventStream { stream(.announcements) }

    private func stream(_ method: EventsMethod) -> ChatEventStream {
        let id = nextID()
        let stream = PendingStream()
        var header = Wire.Header(.call, id: id)
        header.method = EventsMethod.name
        header.credit = Wire.credit
        let frame: [UInt8]
        do throws(ChatAPIError) {
            frame = try Wire.encode(header, params: method)
        } catch {
            return .failing(error)
        }
        FrameChannel.queue.async { self.begin(id, stream, frame) }
        return ChatEventStream(
            next: { () async throws(ChatAPIError) -> ChatEvent? in try await self.next(id, stream) },
            finish: { FrameChannel.queue.async { self.finish(id, stream) } })
    }

    private func next(_ id: UInt64, _ stream: PendingStream) async throws(ChatAPIError) -> ChatEvent? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                FrameChannel.queue.async {
                    stream.next(continuation)
                    self.giveCredit(id, stream)
                }
            }
        } onCancel: {
            FrameChannel.queue.async { self.finish(id, stream) }
        }
        guard let line = try result.get() else {
            if Task.isCancelled { throw .cancelled }
            return nil
        }
        return try Wire.event(line)
    }

    private func giveCredit(_ id: UInt64, _ stream: PendingStream) {
        guard let credit = stream.takeOwedCredit() else { return }
        var header = Wire.Header(.credit, id: id)
        header.credit = credit
        if let frame = try? Wire.encode(header) { channel.post(frame) }
    }
}
