// SPDX-License-Identifier: Apache-2.0
import ApusCLinux
import ApusCrypto
import Glibc

/// One address being dialled.
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

    init(race: ConnectRace, endpoint: Endpoint, address: IPAddress) {
        self.race = race
        self.endpoint = endpoint
        self.address = address
        started = race.loop.now
    }

    /// Starts; returns why it failed at once, if it did.
    func start() -> TransportError? {
        switch TCPSocket.connect(address, port: endpoint.port) {
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
        channel?.abort()
        channel = nil
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
        guard endpoint.usesDirectTLS else {
            return race.attemptEnded(self, .success(channel))
        }
        self.channel = channel
        race.attemptConnected(self)
        channel.startDirectTLS(race.target.directTLSConfiguration) { [self] failure in
            self.channel = nil
            race.attemptEnded(self, failure.map { .failure($0) } ?? .success(channel))
        }
    }

    private func error(_ number: Int32) -> TransportError {
        TransportError(number, "\(endpoint) (\(address))")
    }
}
