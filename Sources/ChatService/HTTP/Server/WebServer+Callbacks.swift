// SPDX-License-Identifier: Apache-2.0
import ApusCMicrohttpd
import Glibc

// What the library calls, all on its thread, with the server as context.

extension WebServer {
    private typealias TargetCallback =
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer?
    private typealias UnescapeCallback =
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int

    private static func server(_ context: UnsafeMutableRawPointer?) -> WebServer? {
        context.map { Unmanaged<WebServer>.fromOpaque($0).takeUnretainedValue() }
    }

    static func callbacks(_ context: UnsafeMutableRawPointer) -> [MHD_OptionItem] {
        // The first line has come: the target as it is, before the library decodes it. What is returned goes with the
        // request until `completed`.
        let target: TargetCallback = { _, text, _ in
            let bytes = text.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
            return Unmanaged.passRetained(WebExchange(target: bytes)).toOpaque()
        }
        // Nothing is decoded by the library.
        let unescape: UnescapeCallback = { _, _, text in text.map { strlen($0) } ?? 0 }
        let completed: MHD_RequestCompletedCallback = { context, connection, slot, _ in
            guard let pointer = slot?.pointee else { return }
            slot?.pointee = nil
            let exchange = Unmanaged<WebExchange>.fromOpaque(pointer).takeRetainedValue()
            WebServer.server(context)?.completed(exchange, connection)
        }
        let changed: MHD_NotifyConnectionCallback = { context, connection, slot, code in
            guard let server = WebServer.server(context), let connection, let slot else { return }
            if code == .CONNECTION_NOTIFY_STARTED {
                slot.pointee = Unmanaged.passRetained(server.opened(apus_http_socket(connection))).toOpaque()
            } else if let pointer = slot.pointee {
                slot.pointee = nil
                server.closed(Unmanaged<WebConnectionRecord>.fromOpaque(pointer).takeRetainedValue())
            }
        }
        // The option's two arguments are a function pointer as a number, and its context.
        return [
            // A C function pointer has the size of a number.
            MHD_OptionItem(option: .URI_LOG_CALLBACK, value: unsafeBitCast(target, to: Int.self), ptr_value: context),
            // As above.
            MHD_OptionItem(option: .UNESCAPE_CALLBACK, value: unsafeBitCast(unescape, to: Int.self), ptr_value: nil),
            MHD_OptionItem(
                // As above.
                option: .NOTIFY_COMPLETED, value: unsafeBitCast(completed, to: Int.self), ptr_value: context),
            MHD_OptionItem(
                // As above.
                option: .NOTIFY_CONNECTION, value: unsafeBitCast(changed, to: Int.self), ptr_value: context),
        ]
    }

    static let accessHandler: MHD_AccessHandlerCallback = { context, connection, _, method, version, data, size, slot in
        guard let server = WebServer.server(context), let connection, let size, let pointer = slot?.pointee else {
            return .NO
        }
        let exchange = Unmanaged<WebExchange>.fromOpaque(pointer).takeUnretainedValue()
        let count = size.pointee
        if count > 0, let data {
            let isTaken = server.received(exchange, connection, UnsafeRawBufferPointer(start: data, count: count))
            size.pointee = 0
            return isTaken ? .YES : .NO
        }
        let text = { (pointer: UnsafePointer<CChar>?) in pointer.map { String(cString: $0) } ?? "" }
        return server.step(exchange, connection, method: text(method), version: text(version))
    }

    static let contentReader: MHD_ContentReaderCallback = { context, _, buffer, limit in
        guard let context, let buffer else { return apus_http_end_of_stream() }
        let feed = Unmanaged<EventFeed>.fromOpaque(context).takeUnretainedValue()
        return feed.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: limit))
    }

    static let contentReleaser: MHD_ContentReaderFreeCallback = { context in
        guard let context else { return }
        Unmanaged<EventFeed>.fromOpaque(context).takeRetainedValue().close()
    }

    /// The head of a request as the library took it apart.
    static func head(
        _ exchange: WebExchange, _ connection: OpaquePointer, method: String, version: String
    ) -> WebHead.Raw {
        var raw = WebHead.Raw(method: method, target: exchange.target, version: version)
        raw.size = apus_http_head_size(connection)
        withUnsafeMutablePointer(to: &raw) { raw in
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameCount, value, valueCount in
                    guard let raw = context?.assumingMemoryBound(to: WebHead.Raw.self) else { return .NO }
                    raw.pointee.headers.append(
                        (
                            name: Array(UnsafeRawBufferPointer(start: name, count: nameCount)),
                            value: Array(UnsafeRawBufferPointer(start: value, count: valueCount))
                        ))
                    return raw.pointee.headers.count > WebHead.headerLimit ? .NO : .YES
                }, raw)
        }
        return raw
    }
}
