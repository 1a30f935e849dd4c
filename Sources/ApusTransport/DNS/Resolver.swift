// SPDX-License-Identifier: Apache-2.0
import ApusCAres
import ApusCLinux
import Glibc

/// Asks name servers through c-ares, driven by an event loop. One is made for each connection attempt, so that
/// `/etc/resolv.conf` is always read afresh. Everything here belongs to the loop's thread.
// Unchecked: confined to the loop's thread; it is Sendable so that the loop can carry calls to it.
final class Resolver: @unchecked Sendable {
    let loop: EventLoop
    private var channel: ares_channel?
    private var sockets: [Int32: ResolverSocket] = [:]
    private var timer: (any LoopTimer)?
    private var isClosed = false

    /// `searches` lets the system's search list complete names; only for a domain without a dot.
    init?(loop: EventLoop, configuration: ResolverConfiguration, searches: Bool) {
        self.loop = loop
        var options = ares_options()
        options.flags = searches ? 0 : ARES_FLAG_NOSEARCH
        options.timeout = Int32(clamping: configuration.timeout.wholeNanoseconds / 1_000_000)
        options.tries = Int32(clamping: configuration.tries)
        options.sock_state_cb = resolverSocketChanged
        options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
        let mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS
        let status = (configuration.servers == nil ? "fb" : "b").withCString { lookups in
            options.lookups = UnsafeMutablePointer(mutating: lookups)
            return ares_init_options(&channel, &options, mask)
        }
        guard status == ARES_SUCCESS else { return nil }
        if let servers = configuration.servers {
            guard ares_set_servers_ports_csv(channel, servers) == ARES_SUCCESS else { return nil }
        }
    }

    deinit {
        if let channel { ares_destroy(channel) }
    }

    /// Looks up `_service._tcp.domain`.
    func services(
        _ service: String, of domain: String, directTLS: Bool, _ completion: @escaping (ServiceAnswer) -> Void
    ) {
        let query = ResolverQuery { status, bytes in
            completion(ServiceAnswer(status: status, bytes: bytes, directTLS: directTLS))
        }
        ares_query(channel, "_\(service)._tcp.\(domain)", Int32(1), Int32(33), resolverAnswered, query.retained())
        updateTimer()
    }

    /// Looks up a host's addresses of one family, in the order that RFC 6724 gives them.
    func addresses(of host: String, isIPv6: Bool, _ completion: @escaping (AddressAnswer) -> Void) {
        let query = ResolverAddressQuery(completion)
        var hints = ares_addrinfo_hints()
        hints.ai_family = isIPv6 ? AF_INET6 : AF_INET
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        ares_getaddrinfo(channel, host, nil, &hints, resolverFoundAddresses, query.retained())
        updateTimer()
    }

    /// Ends all look-ups without a further answer.
    ///
    /// c-ares must not be destroyed inside one of its callbacks, so that happens on the loop's next turn.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        timer?.cancel()
        timer = nil
        loop.execute { [self] in destroy() }
    }

    private func destroy() {
        if let channel { ares_destroy(channel) }
        channel = nil
        for socket in sockets.values { loop.unregister(socket.registration) }
        sockets.removeAll()
    }

    func process(reading: Int32, writing: Int32) {
        guard !isClosed, channel != nil else { return }
        ares_process_fd(channel, reading, writing)
        updateTimer()
    }

    fileprivate func socketChanged(_ descriptor: Int32, readable: Bool, writable: Bool) {
        let interest = (readable ? EPOLLIN.rawValue : 0) | (writable ? EPOLLOUT.rawValue : 0)
        if let socket = sockets[descriptor] {
            if interest == 0 {
                loop.unregister(socket.registration)
                sockets[descriptor] = nil
            } else {
                loop.modify(socket.registration, interest)
            }
        } else if interest != 0 {
            let socket = ResolverSocket(resolver: self, descriptor: descriptor)
            guard let registration = loop.register(descriptor, interest, socket) else { return }
            socket.registration = registration
            sockets[descriptor] = socket
        }
    }

    private func updateTimer() {
        timer?.cancel()
        timer = nil
        guard !isClosed else { return }
        let microseconds = apus_ares_timeout(channel)
        guard microseconds >= 0 else { return }
        // A millisecond more: c-ares looks at its own clock and would find nothing due.
        let delay = Duration.microseconds(microseconds + 1000)
        timer = loop.schedule(after: delay) { [weak self] in
            self?.process(reading: -1, writing: -1)
        }
    }
}

/// Tells c-ares that one of its sockets is ready.
private final class ResolverSocket: LoopEventHandler {
    private weak var resolver: Resolver?
    private let descriptor: Int32
    var registration = LoopRegistration(slot: .max, generation: 0, descriptor: -1)

    init(resolver: Resolver, descriptor: Int32) {
        self.resolver = resolver
        self.descriptor = descriptor
    }

    func handleEvents(_ events: UInt32) {
        let failed = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        let reads = failed || events & EPOLLIN.rawValue != 0
        let writes = failed || events & EPOLLOUT.rawValue != 0
        resolver?.process(reading: reads ? descriptor : -1, writing: writes ? descriptor : -1)
    }
}

private func resolverSocketChanged(
    _ context: UnsafeMutableRawPointer?, _ descriptor: Int32, _ readable: Int32, _ writable: Int32
) {
    guard let context else { return }
    Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue()
        .socketChanged(descriptor, readable: readable != 0, writable: writable != 0)
}
