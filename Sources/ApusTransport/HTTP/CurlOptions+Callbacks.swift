// SPDX-License-Identifier: Apache-2.0
import ApusCCurl
import Glibc

// What libcurl calls, always on the thread of the client that drives it.

private func transfer(_ context: UnsafeMutableRawPointer?) -> HTTPTransfer? {
    context.map { Unmanaged<HTTPTransfer>.fromOpaque($0).takeUnretainedValue() }
}

func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = transfer(context), let bytes else { return 0 }
    let length = size &* count
    guard length <= transfer.request.maximumBytes - transfer.received else {
        transfer.isTooLarge = true
        return 0
    }
    transfer.received += length
    let piece = UnsafeRawBufferPointer(start: bytes, count: length)
    guard let receive = transfer.request.receive, transfer.head.isSuccess else {
        // Of what explains a failure the beginning is enough where files are expected.
        if transfer.request.receive == nil || transfer.body.count < 64 * 1024 { transfer.body += piece }
        return length
    }
    guard receive(transfer.head, piece) else {
        transfer.isLocalFailure = true
        return 0
    }
    return length
}

/// One line of a head; a head follows the other when there is a redirect or an interim answer.
func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = transfer(context), let bytes else { return 0 }
    let length = size &* count
    transfer.headBytes += length
    guard transfer.headBytes <= 256 * 1024 else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: length)
    if line.starts(with: "HTTP/".utf8) {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        transfer.head = HTTPResponse(status: words.count > 1 ? Int(words[1].prefix(3)) ?? 0 : 0, body: [])
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), transfer.head.fields.count < 128 {
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        let value = HTTPHead.trimmed(line[(colon + 1)...].filter { $0 != 0x0D && $0 != 0x0A })
        if name == "content-type" { transfer.head.contentType = value }
        transfer.head.fields.append(.init(name: name, value: value))
    }
    return length
}

func sendBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = transfer(context), let bytes, let body = transfer.requestBody else {
        return Int(CURL_READFUNC_ABORT)
    }
    let room = Int(min(Int64(size &* count), body.byteCount - transfer.sendOffset))
    guard room > 0 else { return 0 }
    let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: room)
    guard let length = body.read(transfer.sendOffset, buffer), (1...room).contains(length) else {
        transfer.isLocalFailure = true
        return Int(CURL_READFUNC_ABORT)
    }
    transfer.sendOffset += Int64(length)
    return length
}

func seekBody(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    guard let transfer = transfer(context), let body = transfer.requestBody, origin == SEEK_SET, offset >= 0,
        Int64(offset) <= body.byteCount
    else { return Int32(CURL_SEEKFUNC_FAIL) }
    transfer.sendOffset = Int64(offset)
    return Int32(CURL_SEEKFUNC_OK)
}

func progressed(
    _ context: UnsafeMutableRawPointer?, _ total: curl_off_t, _ received: curl_off_t, _ toSend: curl_off_t,
    _ sent: curl_off_t
) -> Int32 {
    guard let transfer = transfer(context) else { return 0 }
    transfer.request.progress?(Int64(received), total > 0 ? Int64(total) : nil)
    if let body = transfer.requestBody { transfer.request.sendProgress?(Int64(sent), body.byteCount) }
    return 0
}

/// Opens the socket to an address that may be connected to: the very one that is connected to then.
func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let transfer = transfer(context), let address else { return -1 }
    if let allows = transfer.request.checkedAddresses {
        let length = Int(address.pointee.addrlen)
        // The address is as long as its length says; the structure only shows its beginning.
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        let start = (UnsafeRawPointer(address) + offset).assumingMemoryBound(to: sockaddr.self)
        let allowed = IPAddress(start, length: length).map(allows)
        guard allowed == true else {
            transfer.isForbidden = true
            return -1
        }
    }
    return apus_curl_socket(address)
}

/// The connection is up, and the request would go out now: also on a connection that was there before.
func aboutToRequest(
    _ context: UnsafeMutableRawPointer?, _ address: UnsafeMutablePointer<CChar>?,
    _ ownAddress: UnsafeMutablePointer<CChar>?, _ port: Int32, _ ownPort: Int32
) -> Int32 {
    guard let transfer = transfer(context) else { return Int32(CURL_PREREQFUNC_ABORT) }
    guard let allows = transfer.request.checkedAddresses else { return Int32(CURL_PREREQFUNC_OK) }
    guard let address, IPAddress(String(cString: address)).map(allows) == true else {
        transfer.isForbidden = true
        return Int32(CURL_PREREQFUNC_ABORT)
    }
    return Int32(CURL_PREREQFUNC_OK)
}

extension HTTPTransfer {
    var requestBody: HTTPBody? {
        switch request.method {
        case .get: nil
        case .put(let body), .post(let body): body
        }
    }
}

extension HTTPRequest {
    /// The check of addresses, where there are any to check.
    var checkedAddresses: (@Sendable (IPAddress) -> Bool)? { proxy == nil ? allowsAddress : nil }
}
