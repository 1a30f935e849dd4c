// SPDX-License-Identifier: Apache-2.0
import ApusCAres
import Glibc

/// Carries a completion through c-ares, which calls back exactly once for each query.
final class ResolverQuery {
    private let completion: (Int32, UnsafeBufferPointer<UInt8>) -> Void

    init(_ completion: @escaping (Int32, UnsafeBufferPointer<UInt8>) -> Void) {
        self.completion = completion
    }

    func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    fileprivate func answered(_ status: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard !resolverIsGone(status) else { return }
        completion(status, bytes)
    }
}

/// The same for addresses.
final class ResolverAddressQuery {
    private let completion: (AddressAnswer) -> Void

    init(_ completion: @escaping (AddressAnswer) -> Void) {
        self.completion = completion
    }

    func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    fileprivate func answered(_ status: Int32, _ result: UnsafeMutablePointer<ares_addrinfo>?) {
        guard !resolverIsGone(status) else { return }
        completion(AddressAnswer(status: status, result: result))
    }
}

extension ServiceAnswer {
    /// More records than any domain has; further ones are not looked at.
    private static let recordLimit = 10_000

    init(status: Int32, bytes: UnsafeBufferPointer<UInt8>, directTLS: Bool) {
        guard status == ARES_SUCCESS else {
            self = resolverFoundNothing(status) ? .none : .failed(resolverMessage(status))
            return
        }
        var first: UnsafeMutablePointer<ares_srv_reply>?
        let parsed = ares_parse_srv_reply(bytes.baseAddress, Int32(clamping: bytes.count), &first)
        defer { if let first { ares_free_data(first) } }
        guard parsed == ARES_SUCCESS else {
            self = resolverFoundNothing(parsed) ? .none : .failed(resolverMessage(parsed))
            return
        }
        var records: [ServiceRecord] = []
        var refusals = 0
        var next = first
        while let reply = next?.pointee, records.count < ServiceAnswer.recordLimit {
            next = reply.next
            guard let name = reply.host else { continue }
            let host = String(cString: name)
            // c-ares gives the root, ".", as an empty name.
            if host.isEmpty || host == "." {
                refusals += 1
            } else if reply.port != 0 {
                let endpoint = Endpoint(host: host.lowercased(), port: reply.port, usesDirectTLS: directTLS)
                records.append(ServiceRecord(priority: reply.priority, weight: reply.weight, endpoint: endpoint))
            }
        }
        if !records.isEmpty {
            self = .records(records)
        } else {
            self = refusals > 0 ? .notOffered : .none
        }
    }
}

extension AddressAnswer {
    /// More addresses than any host has; further ones are not looked at.
    private static let addressLimit = 64

    init(status: Int32, result: UnsafeMutablePointer<ares_addrinfo>?) {
        defer { if let result { ares_freeaddrinfo(result) } }
        guard status == ARES_SUCCESS, let result else {
            self = resolverFoundNothing(status) ? .none : .failed(resolverMessage(status))
            return
        }
        var addresses: [IPAddress] = []
        var next = result.pointee.nodes
        while let node = next?.pointee, addresses.count < AddressAnswer.addressLimit {
            next = node.ai_next
            guard let address = IPAddress(node.ai_addr, length: Int(node.ai_addrlen)) else { continue }
            if !addresses.contains(address) { addresses.append(address) }
        }
        self = addresses.isEmpty ? .none : .addresses(addresses)
    }
}

extension IPAddress {
    init?(_ address: UnsafePointer<sockaddr>?, length: Int) {
        guard let address else { return nil }
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let ip = raw.loadUnaligned(as: sockaddr_in.self)
            self.init(bytes: withUnsafeBytes(of: ip.sin_addr) { Array($0) })
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let ip = raw.loadUnaligned(as: sockaddr_in6.self)
            self.init(bytes: withUnsafeBytes(of: ip.sin6_addr) { Array($0) }, scope: ip.sin6_scope_id)
        default: return nil
        }
    }
}

/// The answers that are no failure: the name or the record does not exist, or cannot.
private func resolverFoundNothing(_ status: Int32) -> Bool {
    status == ARES_ENODATA || status == ARES_ENOTFOUND || status == ARES_EBADNAME
}

private func resolverIsGone(_ status: Int32) -> Bool {
    status == ARES_EDESTRUCTION || status == ARES_ECANCELLED
}

private func resolverMessage(_ status: Int32) -> String {
    switch status {
    case ARES_ETIMEOUT: "the name server does not answer"
    case ARES_ECONNREFUSED: "no name server could be asked"
    case ARES_ESERVFAIL: "the name server failed"
    case ARES_EREFUSED: "the name server refused"
    default: ares_strerror(status).map { String(cString: $0) } ?? "name look-up failed"
    }
}

func resolverAnswered(
    _ context: UnsafeMutableRawPointer?, _ status: Int32, _ timeouts: Int32, _ bytes: UnsafeMutablePointer<UInt8>?,
    _ count: Int32
) {
    guard let context else { return }
    Unmanaged<ResolverQuery>.fromOpaque(context).takeRetainedValue()
        .answered(status, UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : max(0, Int(count))))
}

func resolverFoundAddresses(
    _ context: UnsafeMutableRawPointer?, _ status: Int32, _ timeouts: Int32,
    _ result: UnsafeMutablePointer<ares_addrinfo>?
) {
    guard let context else { return }
    Unmanaged<ResolverAddressQuery>.fromOpaque(context).takeRetainedValue().answered(status, result)
}
