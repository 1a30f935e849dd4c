// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// Asks a proxy, on a channel that leads to it, to go on to the target.
///
/// Confined to the loop's thread; it holds itself until the completion has been called, unless the channel is aborted.
final class ProxyHandshake: ByteChannelDelegate {
    private enum Machine {
        case socks5(SOCKS5StateMachine)
        case http(HTTPConnectStateMachine)
    }

    private let channel: TCPChannel
    private let proxy: Proxy
    private var machine: Machine
    private var completion: ((TransportError?) -> Void)?

    init(
        _ channel: TCPChannel, _ proxy: Proxy, to endpoint: Endpoint, _ completion: @escaping (TransportError?) -> Void
    ) {
        self.channel = channel
        self.proxy = proxy
        self.completion = completion
        machine =
            switch proxy.kind {
            case .socks5:
                .socks5(
                    SOCKS5StateMachine(
                        host: endpoint.host, port: endpoint.port, user: proxy.user, password: proxy.password))
            case .http:
                .http(
                    HTTPConnectStateMachine(
                        host: endpoint.host, port: endpoint.port, user: proxy.user, password: proxy.password))
            }
    }

    func start() {
        channel.delegate = self
        perform { machine in
            switch machine {
            case .socks5(var socks):
                defer { machine = .socks5(socks) }
                return socks.start()
            case .http(var http):
                defer { machine = .http(http) }
                return http.start()
            }
        }
    }

    func channelDidRead(_ bytes: UnsafeRawBufferPointer) {
        perform { machine in
            switch machine {
            case .socks5(var socks):
                defer { machine = .socks5(socks) }
                return socks.received(bytes)
            case .http(var http):
                defer { machine = .http(http) }
                return http.received(bytes)
            }
        }
    }

    func channelDidSecure(_ information: TLSInformation) {}
    func channelDidDrain() {}

    func channelDidClose(_ error: TransportError?) {
        finish(error ?? TransportError(proxy, .malformed("it closed the connection")))
    }

    private func perform(_ step: (inout Machine) -> ProxyAction) {
        switch step(&machine) {
        case .wait: break
        case .send(let bytes): bytes.withUnsafeBytes { channel.write($0) }
        case .connected: finish(nil)
        case .fail(let failure): finish(TransportError(proxy, failure))
        }
    }

    private func finish(_ error: TransportError?) {
        guard let completion else { return }
        self.completion = nil
        channel.delegate = nil
        if error == nil { channel.updateInterest() } else { channel.abort() }
        completion(error)
    }
}

extension TransportError {
    init(_ proxy: Proxy, _ failure: ProxyFailure) {
        self.init(.proxy(failure), "The proxy \(Endpoint(host: proxy.host, port: proxy.port)) \(failure.summary).")
    }
}
