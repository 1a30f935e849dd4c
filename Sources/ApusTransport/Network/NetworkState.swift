// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What decides how packets leave this machine: the addresses of its interfaces and its default routes.
///
/// Lifetimes, statistics and addresses that lead nowhere are left out, since they change all the time.
package struct NetworkState: Hashable, Sendable {
    /// As `interface address`.
    var addresses: Set<String> = []
    /// As `interface gateway`, in the hexadecimal digits of the kernel.
    var defaultRoutes: Set<String> = []

    package init() {}

    /// Reads the present state; a part that cannot be read is empty.
    package static func current() -> NetworkState {
        var state = NetworkState()
        state.readAddresses()
        state.addRoutes(version4: text(of: "/proc/net/route"), version6: text(of: "/proc/net/ipv6_route"))
        return state
    }

    private mutating func readAddresses() {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return }
        defer { freeifaddrs(first) }
        var entry = first
        while let item = entry?.pointee {
            entry = item.ifa_next
            let isUsable =
                item.ifa_flags & UInt32(IFF_UP) != 0 && item.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            guard isUsable, let address = item.ifa_addr, let text = Self.numeric(address) else { continue }
            // Link-local addresses say nothing about the way out.
            guard !text.hasPrefix("fe80:") else { continue }
            addresses.insert("\(String(cString: item.ifa_name)) \(text)")
        }
    }

    private static func numeric(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
        let length: Int
        // The family comes first; which C module owns struct sockaddr depends on the build.
        switch Int32(UnsafeRawPointer(address).load(as: UInt16.self)) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, socklen_t(length), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Takes the default routes out of the kernel's tables (proc(5)).
    mutating func addRoutes(version4: String, version6: String) {
        for line in version4.split(separator: "\n").dropFirst() {
            let fields = line.split(whereSeparator: \.isWhitespace)
            // Interface, destination, gateway, …, mask in the eighth.
            guard fields.count >= 8, fields[1] == "00000000", fields[7] == "00000000" else { continue }
            defaultRoutes.insert("\(fields[0]) \(fields[2])")
        }
        for line in version6.split(separator: "\n") {
            let fields = line.split(whereSeparator: \.isWhitespace)
            // Destination, its length, source, its length, next hop, metric, …, interface in the tenth.
            guard fields.count >= 10, fields[1] == "00", fields[0].allSatisfy({ $0 == "0" }), fields[9] != "lo"
            else { continue }
            defaultRoutes.insert("\(fields[9]) \(fields[4])")
        }
    }

    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while bytes.count < 1 << 20 {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
