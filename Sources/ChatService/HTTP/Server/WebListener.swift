// SPDX-License-Identifier: Apache-2.0
import ApusCMicrohttpd
package import ChatAPI
import Glibc

/// A listening TCP socket, bound to exactly the address that was asked for, or not at all.
package struct WebListener: Sendable {
    package let descriptor: Int32
    package let port: UInt16

    /// Binds and listens.
    ///
    /// A port that is taken is an error and never exchanged for another one: whoever sits there could be after the
    /// sessions of our browsers.
    package init(address: WebAddress, port: UInt16) throws(ChatAPIError) {
        let descriptor = socket(
            address.isVersion6 ? AF_INET6 : AF_INET,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failed(address, port, errno) }
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // A connection of a server that stopped a moment ago does not stand in the way; a listening socket does.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
        if address.isVersion6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, size) }
        let bound = address.withSocketAddress(port: port) { bind(descriptor, $0, $1) }
        guard bound == 0, listen(descriptor, 128) == 0 else {
            let number = errno
            close(descriptor)
            throw Self.failed(address, port, number)
        }
        self.descriptor = descriptor
        self.port = WebAddress.port(of: descriptor) ?? port
    }

    private static func failed(_ address: WebAddress, _ port: UInt16, _ number: Int32) -> ChatAPIError {
        let cause = String(cString: strerror(number))
        let isTaken = number == EADDRINUSE
        return ChatAPIError(
            isTaken ? .busy : .invalidArgument, "cannot listen on \(address.text) port \(port): \(cause)",
            hint: isTaken
                ? "another program has that port: stop it, or choose another one with --port"
                : "give an address of this machine with --address, and a port that you may use with --port")
    }
}

/// An IP address of this machine to listen on.
package struct WebAddress: Hashable, Sendable {
    package let text: String
    private let bytes: [UInt8]

    package static let loopback = WebAddress("127.0.0.1", [127, 0, 0, 1])

    private init(_ text: String, _ bytes: [UInt8]) {
        self.text = text
        self.bytes = bytes
    }

    /// Reads an IPv4 or IPv6 address, with brackets or without.
    package init?(_ text: String) {
        let plain = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, plain, &four) == 1 {
            self.init(plain, withUnsafeBytes(of: &four) { Array($0) })
        } else if inet_pton(AF_INET6, plain, &six) == 1 {
            self.init(plain, withUnsafeBytes(of: &six) { Array($0) })
        } else {
            return nil
        }
    }

    package var isVersion6: Bool { bytes.count == 16 }

    /// Nobody but this machine can reach it.
    package var isLoopback: Bool {
        isVersion6 ? bytes == [UInt8](repeating: 0, count: 15) + [1] : bytes.first == 127
    }

    /// Every address of this machine is meant.
    package var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// As it stands in a URL.
    package var inURL: String { isVersion6 ? "[\(text)]" : text }

    func withSocketAddress<Result>(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        let size: Int
        if isVersion6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            size = MemoryLayout<sockaddr_in6>.size
            withUnsafeMutableBytes(of: &storage) { store in
                withUnsafeBytes(of: address) { store.copyMemory(from: $0) }
            }
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
            size = MemoryLayout<sockaddr_in>.size
            withUnsafeMutableBytes(of: &storage) { store in
                withUnsafeBytes(of: address) { store.copyMemory(from: $0) }
            }
        }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }

    static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard found == 0 else { return nil }
        // The port has the same place in both kinds of address.
        return withUnsafeBytes(of: &storage) { bytes in
            UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        }
    }
}
