// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// What the library's callbacks may touch of a session, at a fixed address for as long as the session lives.
///
/// Owner: the session. `input` and `output` are set only while one of its methods runs.
struct TLSWire {
    let configuration: TLSConfiguration
    var input: UnsafePointer<UInt8>?
    var inputCount = 0
    var output: Unmanaged<TLSBuffer>?
    /// Why the certificate or the application protocol was refused, for the error that the handshake ends with.
    var refusal: TLSError?
    /// What was decided about the certificate that `refusal` is about.
    var decision: Bool?
    var controlMessages = ControlMessageBudget()

    init(_ configuration: TLSConfiguration) {
        self.configuration = configuration
    }

    /// The wire of the session that `ssl` belongs to.
    static func of(_ ssl: OpaquePointer?) -> UnsafeMutablePointer<TLSWire>? {
        SSL_get_ex_data(ssl, 0)?.assumingMemoryBound(to: TLSWire.self)
    }

    /// The library's description of a byte stream that reads from and writes to a wire.
    // nonisolated(unsafe): made once, then only read; the library counts its references itself.
    nonisolated(unsafe) static let method: OpaquePointer? = {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "Apus")
        BIO_meth_set_read(method, readFromWire)
        BIO_meth_set_write(method, writeToWire)
        BIO_meth_set_ctrl(method, controlWire)
        BIO_meth_set_create(method, createWireStream)
        return method
    }()
}

/// Handshake messages that a server may send while no handshake of ours is running.
///
/// Each costs us work and perhaps an answer without carrying data, so they are limited: 64 at once, then one for each
/// second that has passed (key updates and tickets of honest servers are far below).
struct ControlMessageBudget {
    static let burst = 64

    private(set) var isExceeded = false
    private var left = burst
    private var last: ContinuousClock.Instant?

    mutating func spend(now: ContinuousClock.Instant = .now) {
        if let last, last < now {
            let earned = (now - last).components.seconds
            if earned > 0 {
                left = min(Self.burst, left + Int(clamping: min(earned, Int64(Self.burst))))
                self.last = now
            }
        } else {
            last = now
        }
        left -= 1
        if left < 0 { isExceeded = true }
    }
}

private func createWireStream(_ bio: OpaquePointer?) -> Int32 {
    BIO_set_init(bio, 1)
    return 1
}

private func readFromWire(_ bio: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32) -> Int32 {
    BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY)
    guard let wire = BIO_get_data(bio)?.assumingMemoryBound(to: TLSWire.self), let buffer, size > 0,
        !wire.pointee.controlMessages.isExceeded
    else { return -1 }
    guard let input = wire.pointee.input, wire.pointee.inputCount > 0 else {
        BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
    }
    let count = min(wire.pointee.inputCount, Int(size))
    UnsafeMutableRawPointer(buffer).copyMemory(from: input, byteCount: count)
    wire.pointee.input = input + count
    wire.pointee.inputCount -= count
    return Int32(truncatingIfNeeded: count)
}

private func writeToWire(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ size: Int32) -> Int32 {
    BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY)
    guard let wire = BIO_get_data(bio)?.assumingMemoryBound(to: TLSWire.self), let bytes, size >= 0,
        let output = wire.pointee.output, !wire.pointee.controlMessages.isExceeded
    else { return -1 }
    output.takeUnretainedValue().append(UnsafeRawBufferPointer(start: bytes, count: Int(size)))
    return size
}

private func controlWire(_: OpaquePointer?, _ command: Int32, _: Int, _: UnsafeMutableRawPointer?) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}

/// Called by the library for each extension in the server's answer, if application protocols were offered.
///
/// The library refuses an answer that was not offered by itself, but calls it no more than a bad extension.
func noteExtension(
    _ ssl: OpaquePointer?, _: Int32, _ kind: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int32,
    _: UnsafeMutableRawPointer?
) {
    // Two bytes for the length of the list, one for that of its only name (RFC 7301 §3.1).
    guard kind == TLSEXT_TYPE_application_layer_protocol_negotiation, count > 3, let bytes, let wire = TLSWire.of(ssl)
    else { return }
    let answer = String(decoding: UnsafeBufferPointer(start: bytes + 3, count: Int(count) - 3), as: UTF8.self)
    guard !wire.pointee.configuration.applicationProtocols.contains(answer) else { return }
    wire.pointee.refusal = .foreignProtocol(answer, wire.pointee.configuration)
}

/// Called by the library at each step of a handshake, and once per handshake message afterwards.
func noteHandshakeStep(_ ssl: OpaquePointer?, _ event: Int32, _: Int32) {
    guard event == SSL_CB_CONNECT_LOOP, let ssl, SSL_in_before(ssl) == 0, let wire = TLSWire.of(ssl) else { return }
    wire.pointee.controlMessages.spend()
}
