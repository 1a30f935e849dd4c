// SPDX-License-Identifier: Apache-2.0
import ApusCMicrohttpd
import ApusTransport
package import ChatAPI
import Dispatch
import Glibc

/// An HTTP/1.1 server over libmicrohttpd: one thread for all connections, answers from tasks.
///
/// Owner of the library's daemon, of the requests that are being answered, and of the deadlines of the sockets.
package final class WebServer: Sendable {
    package struct Configuration: Sendable {
        /// A certificate with its chain, and its key, as PEM; nil serves without TLS.
        package var tls: (certificate: String, key: String)?
        /// How long a whole head may take.
        package var headTime = Duration.seconds(10)
        /// How long a whole body may take.
        package var bodyTime = Duration.seconds(30)
        /// How long a connection may be silent when it is not its turn to wait.
        package var idleTime = Duration.seconds(30)
        /// Connections at once; streams of events count.
        package var connections = 512
        /// How often streams of events show that they live; this is also how it shows that their reader has gone.
        package var heartbeat = Duration.seconds(15)

        package init() {}
    }

    struct State {
        var daemon: Daemon?
        var isStopping = false
        var exchanges: [ObjectIdentifier: WebExchange] = [:]
        var records: [ObjectIdentifier: WebConnectionRecord] = [:]
        var feeds: [ObjectIdentifier: EventFeed] = [:]
    }

    /// The library's daemon with what has to live as long.
    // Unchecked: the library allows its calls from any thread, and the rest never changes.
    struct Daemon: @unchecked Sendable {
        let pointer: OpaquePointer
        let listener: Int32
        let strings: [UnsafeMutablePointer<CChar>]
    }

    /// Bytes of a head with everything that the library keeps for a connection; longer ones get 431.
    private static let connectionMemory = 48 * 1024

    package let port: UInt16
    let configuration: Configuration
    let handler: any WebHandler
    let state = Locked(State())
    private let timer = Locked<(any DispatchSourceTimer)?>(nil)

    /// Starts to serve on a listening socket, which it takes over.
    package init(
        _ listener: WebListener, handler: any WebHandler, configuration: Configuration = Configuration()
    ) throws(ChatAPIError) {
        port = listener.port
        OwnPorts.note(port)
        self.configuration = configuration
        self.handler = handler
        guard let daemon = start(listener.descriptor) else {
            close(listener.descriptor)
            throw ChatAPIError(
                .invalidArgument, "the HTTP server does not start",
                hint: configuration.tls == nil ? nil : "check that the certificate and the key belong together")
        }
        state.withLock { $0.daemon = daemon }
        watch()
    }

    private func start(_ descriptor: Int32) -> Daemon? {
        // Released when the daemon has stopped.
        let context = Unmanaged.passRetained(self).toOpaque()
        var strings: [UnsafeMutablePointer<CChar>] = []
        var flags = MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
        let idle = max(1, Int(clamping: configuration.idleTime.components.seconds))
        var options = [
            MHD_OptionItem(option: .LISTEN_SOCKET, value: Int(descriptor), ptr_value: nil),
            MHD_OptionItem(option: .CONNECTION_LIMIT, value: configuration.connections, ptr_value: nil),
            MHD_OptionItem(option: .CONNECTION_MEMORY_LIMIT, value: Self.connectionMemory, ptr_value: nil),
            MHD_OptionItem(option: .CONNECTION_TIMEOUT, value: idle, ptr_value: nil),
            MHD_OptionItem(option: .STRICT_FOR_CLIENT, value: 1, ptr_value: nil),
        ]
        options += Self.callbacks(context)
        if let tls = configuration.tls, let key = strdup(tls.key), let certificate = strdup(tls.certificate),
            let priorities = strdup("NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2")
        {
            flags |= MHD_USE_TLS.rawValue
            strings = [key, certificate, priorities]
            options.append(MHD_OptionItem(option: .HTTPS_PRIORITIES, value: 0, ptr_value: priorities))
            options.append(MHD_OptionItem(option: .HTTPS_MEM_KEY, value: 0, ptr_value: key))
            options.append(MHD_OptionItem(option: .HTTPS_MEM_CERT, value: 0, ptr_value: certificate))
        }
        options.append(MHD_OptionItem(option: .END, value: 0, ptr_value: nil))
        guard let pointer = apus_http_start(flags, Self.accessHandler, context, &options) else {
            Unmanaged<WebServer>.fromOpaque(context).release()
            for string in strings { free(string) }
            return nil
        }
        return Daemon(pointer: pointer, listener: descriptor, strings: strings)
    }

    /// Stops without loss for requests that are being answered: no new connection is taken, streams end, and what is
    /// not answered yet gets 503.
    ///
    /// The library aborts the process when a connection is suspended while it stops, so all are woken first, and none
    /// is suspended from then on.
    package func stop() async {
        let (daemon, exchanges, feeds) = state.withLock { state in
            state.isStopping = true
            defer { state.daemon = nil }
            return (state.daemon, Array(state.exchanges.values), Array(state.feeds.values))
        }
        guard let daemon else { return }
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
        MHD_quiesce_daemon(daemon.pointer)
        for feed in feeds { feed.end() }
        for exchange in exchanges { exchange.finish(stopping) }
        // The library cuts off what it has not written yet.
        for _ in 0..<100 where state.withLock({ !$0.exchanges.isEmpty || !$0.feeds.isEmpty }) {
            try? await Task.sleep(for: .milliseconds(5))
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async {
                MHD_stop_daemon(daemon.pointer)
                close(daemon.listener)
                for string in daemon.strings { free(string) }
                Unmanaged.passUnretained(self).release()
                continuation.resume()
            }
        }
    }

    /// How many streams of events are open.
    package var streams: Int { state.withLock { $0.feeds.count } }

    var stopping: WebReply {
        var reply = handler.refused(WebRefusal(503, "the service is stopping"))
        reply.set("Retry-After", "1")
        reply.set("Connection", "close")
        return reply
    }

    private func watch() {
        let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "apus.http.watch"))
        source.schedule(deadline: .now() + .milliseconds(250), repeating: .milliseconds(250))
        let beat = configuration.heartbeat.deadlineNanoseconds
        let next = Locked(WebConnectionRecord.now &+ beat)
        source.setEventHandler { [weak self] in
            guard let self else { return }
            let now = WebConnectionRecord.now
            let (records, feeds) = state.withLock { (Array($0.records.values), Array($0.feeds.values)) }
            for record in records { record.check(now) }
            let isDue = next.withLock { next in
                guard now >= next else { return false }
                next = now &+ beat
                return true
            }
            if isDue { for feed in feeds { feed.push(Array(": \n\n".utf8)) } }
        }
        source.activate()
        timer.withLock { $0 = source }
    }
}
