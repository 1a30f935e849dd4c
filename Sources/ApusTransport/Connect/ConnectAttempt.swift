// SPDX-License-Identifier: Apache-2.0
import ApusCLinux
import ApusCrypto
import Glibc

/// One address being dialled, and what follows until the endpoint is ready: the proxy, TLS from the first byte, the
/// upgrade to WebSocket, as far as each is asked for.
///
/// Confined to the loop's thread.
final class ConnectAttempt: LoopEventHandler {
    let endpoint: Endpoint
    let address: IPAddress
    let started: MonotonicTime
    private unowned let race: ConnectRace
    private var descriptor: Int32 = -1
    private var registration: LoopRegistration?
    private var channel: TCPChannel?
    private var proxyHandshake: ProxyHandshake?
    private var webSocket: WebSocketChannel?

    init(race: ConnectRace, endpoint: Endpoint, address: IPAddress) {
        self.race = race
        self.endpoint = endpoint
        self.address = address
        started = race.loop.now
    }

    /// Starts; returns why it failed at once, if it did.
    func start() -> TransportError? {
        switch TCPSocket.connect(address, port: race.dialled(endpoint).port) {
        case .failed(let number): return error(number)
        case .started(let descriptor):
            registration = race.loop.register(descriptor, EPOLLOUT.rawValue, self)
            guard registration != nil else {
                let number = errno
                _ = close(descriptor)
                return error(number)
            }
            self.descriptor = descriptor
            return nil
        }
    }

    /// Gives up without a report.
    func stop() {
        if let registration { race.loop.unregister(registration) }
        registration = nil
        if descriptor >= 0 { _ = close(descriptor) }
        descriptor = -1
        webSocket?.abort()
        webSocket = nil
        channel?.abort()
        channel = nil
        proxyHandshake = nil
    }

    func handleEvents(_ events: UInt32) {
        let number = TCPSocket.error(descriptor)
        guard number == 0 else {
            stop()
            return race.attemptEnded(self, .failure(error(number)))
        }
        if let registration { race.loop.unregister(registration) }
        registration = nil
        let channel = TCPChannel(loop: race.loop, descriptor: descriptor, endpoint: endpoint)
        descriptor = -1
        self.channel = channel
        guard let proxy = race.target.proxy else {
            if endpoint.usesDirectTLS { race.attemptConnected(self) }
            return secure(channel)
        }
        race.attemptConnected(self)
        let handshake = ProxyHandshake(channel, proxy, to: endpoint) { [self] failure in
            proxyHandshake = nil
            if let failure { ended(.failure(failure)) } else { secure(channel) }
        }
        proxyHandshake = handshake
        handshake.start()
    }

    private func secure(_ channel: TCPChannel) {
        guard endpoint.usesDirectTLS else { return ended(.success(channel)) }
        channel.onTrustQuestion = { [unowned race] in race.attemptAsks($0) }
        channel.startDirectTLS(race.target.tlsConfiguration(for: endpoint)) { [self] failure in
            channel.onTrustQuestion = nil
            if let failure { ended(.failure(failure)) } else { upgrade(channel) }
        }
    }

    private func upgrade(_ channel: TCPChannel) {
        guard let path = endpoint.webSocketPath else { return ended(.success(channel)) }
        guard let options = race.target.webSocket else {
            return ended(.failure(TransportError(.serviceNotOffered, "\(endpoint) is a WebSocket, which is not used.")))
        }
        let socket = WebSocketChannel(loop: race.loop, lower: channel, path: path, options: options)
        webSocket = socket
        socket.open { [self] failure in ended(failure.map { .failure($0) } ?? .success(socket)) }
    }

    private func ended(_ outcome: ConnectRace.Outcome) {
        if case .failure = outcome { stop() }
        channel = nil
        webSocket = nil
        race.attemptEnded(self, outcome)
    }

    private func error(_ number: Int32) -> TransportError {
        guard let proxy = race.target.proxy else { return TransportError(number, "\(endpoint) (\(address))") }
        return TransportError(number, "the proxy \(Endpoint(host: proxy.host, port: proxy.port)) (\(address))")
    }
}
