// SPDX-License-Identifier: Apache-2.0
internal import ApusCSystemd
internal import Dispatch
internal import Glibc

/// Shows notifications on the desktop (the Desktop Notifications Specification, over D-Bus), takes them away, and tells
/// what is clicked.
// Its state is confined to its queue, on which the bus is read as well.
package final class DesktopNotifier: @unchecked Sendable {
    /// What is shown.
    package struct Note: Sendable, Hashable {
        /// Shown in the place of one with the same name.
        package var name: String
        package var title: String
        package var body: String
        package var isUrgent = false
        /// No sound: it only puts right what was shown before.
        package var isSilent = false
        /// A file with a picture that this program made itself; see ``NotificationPictures``.
        package var picture: String?
        /// Whether it can be marked as read without being opened.
        package var canBeRead = false

        package init(_ name: String, title: String, body: String) {
            self.name = name
            self.title = title
            self.body = body
        }
    }

    /// What somebody did to a notification, by its name.
    package enum Click: Sendable, Hashable {
        case opened(String)
        case read(String)
    }

    /// What is clicked, for one reader; ends when the desktop's bus goes away, and with ``close()``.
    package let clicks: AsyncStream<Click>

    /// Calls wait for the desktop here, on no thread of the shared pool.
    private let queue: DispatchQueue
    private let bus: Bus
    private let capabilities: Int32
    private let feed: AsyncStream<Click>.Continuation
    private var source: (any DispatchSourceRead)?
    /// The numbers of what is shown, by name.
    private var numbers: [String: UInt32] = [:]

    /// Connects to the bus of the session; nil when there is none, or nothing on it shows notifications.
    ///
    /// - Parameters:
    ///   - address: Another bus, such as `unix:path=/run/bus`.
    ///   - patience: The longest that all of this, and each call afterwards, may take. Defaults to five seconds.
    package static func open(
        address: String? = nil, patience: Duration = .seconds(5)
    ) async -> DesktopNotifier? {
        let queue = DispatchQueue(label: "apus.notifications")
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: DesktopNotifier(queue, address, patience)) }
        }
    }

    /// On the queue.
    private init?(_ queue: DispatchQueue, _ address: String?, _ patience: Duration) {
        self.queue = queue
        let (seconds, attoseconds) = patience.components
        let limit = UInt64(max(0, seconds)) * 1_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000_000)
        let end = apus_bus_now() + limit
        var opened: OpaquePointer?
        guard apus_bus_open(address, end, &opened) >= 0, let opened else { return nil }
        // 0 would be as long as the library likes.
        sd_bus_set_method_call_timeout(opened, max(1, end - min(end, apus_bus_now())))
        capabilities = apus_bus_capabilities(opened)
        bus = Bus(pointer: opened)
        (clicks, feed) = AsyncStream.makeStream()
        guard capabilities >= 0 else {
            sd_bus_close_unref(opened)
            return nil
        }
        let data = Unmanaged.passUnretained(self).toOpaque()
        _ = apus_bus_watch(opened, "ActionInvoked", clicked, data)
        _ = apus_bus_watch(opened, "NotificationClosed", closed, data)
        sd_bus_set_method_call_timeout(opened, max(1, limit))
        let source = DispatchSource.makeReadSource(fileDescriptor: sd_bus_get_fd(opened), queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        // Only then is the socket no longer watched. Every call has had its answer: nothing is left to be flushed, which
        // would wait for a bus that takes nothing.
        source.setCancelHandler { [bus] in sd_bus_close_unref(bus.pointer) }
        self.source = source
        source.activate()
        queue.async { [weak self] in self?.read() }
    }

    deinit { end() }

    /// Whether this desktop shows pictures beside the text.
    package var showsPictures: Bool { capabilities & Int32(APUS_BUS_PICTURES) != 0 }

    /// Ends, after the calls that are under way; what is shown stays.
    ///
    /// Returns at once.
    package func close() {
        feed.finish()
        queue.async { [self] in end() }
    }

    /// Shows a notification; false when the desktop does not take it.
    ///
    /// Texts are shown as they are, whatever markup they seem to hold.
    @discardableResult
    package func show(_ note: Note) async -> Bool {
        await onQueue { [self] in
            let picture = showsPictures ? note.picture.map(Self.uri) : nil
            let hasActions = capabilities & Int32(APUS_BUS_ACTIONS) != 0
            let number = apus_bus_notify(
                bus.pointer, numbers[note.name] ?? 0, Self.plain(note.title), text(note.body),
                hasActions ? "Open" : nil, hasActions && note.canBeRead ? "Mark as read" : nil, note.isUrgent ? 2 : 1,
                note.isSilent ? 1 : 0, picture)
            read()
            guard let number = UInt32(exactly: number), number > 0 else { return false }
            numbers[note.name] = number
            return true
        }
    }

    /// Takes a notification away; one that is not shown changes nothing.
    package func withdraw(_ name: String) async {
        _ = await onQueue { [self] in
            guard let number = numbers.removeValue(forKey: name) else { return false }
            let isGone = apus_bus_withdraw(bus.pointer, number) >= 0
            read()
            return isGone
        }
    }

    private func onQueue(_ body: @escaping @Sendable () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: source == nil ? false : body()) }
        }
    }

    private func read() {
        guard source != nil else { return }
        var result: Int32
        repeat { result = sd_bus_process(bus.pointer, nil) } while result > 0
        if result < 0 { end() }
    }

    private func end() {
        source?.cancel()
        source = nil
        feed.finish()
    }

    fileprivate func wasClicked(_ number: UInt32, _ action: String) {
        guard let name = numbers.first(where: { $0.value == number })?.key else { return }
        feed.yield(action == "read" ? .read(name) : .opened(name))
    }

    fileprivate func wasClosed(_ number: UInt32) {
        guard let name = numbers.first(where: { $0.value == number })?.key else { return }
        numbers[name] = nil
    }

    /// Where bodies may hold markup (§ Markup), that of others is none.
    private func text(_ body: String) -> String {
        let plain = Self.plain(body)
        guard capabilities & Int32(APUS_BUS_MARKUP) != 0 else { return plain }
        return plain.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// § Icons and Images: no other kind of URI is known there.
    private static func uri(_ path: String) -> String {
        path.utf8.reduce(into: "file://") { uri, byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "/-._~".utf8.contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            uri += isPlain ? String(UnicodeScalar(byte)) : byte < 16 ? "%0" + digits : "%" + digits
        }
    }

    private static func plain(_ text: String) -> String { text.replacing("\0", with: " ") }

    // Used by the queue alone, and after it by the handler that closes it.
    private struct Bus: @unchecked Sendable {
        let pointer: OpaquePointer
    }
}

private func clicked(
    _ signal: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let signal, let data else { return 0 }
    let number = apus_bus_number(signal)
    guard let action = apus_bus_action(signal) else { return 0 }
    Unmanaged<DesktopNotifier>.fromOpaque(data).takeUnretainedValue().wasClicked(number, String(cString: action))
    return 0
}

private func closed(
    _ signal: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let signal, let data else { return 0 }
    Unmanaged<DesktopNotifier>.fromOpaque(data).takeUnretainedValue().wasClosed(apus_bus_number(signal))
    return 0
}
