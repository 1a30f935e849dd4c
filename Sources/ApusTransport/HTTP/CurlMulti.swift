// SPDX-License-Identifier: Apache-2.0
import ApusCCurl
import Glibc

/// libcurl's set of transfers under way.
// Unchecked: used on the client's thread only, but for `wake`, which libcurl allows from any.
final class CurlMulti: @unchecked Sendable {
    private let handle: UnsafeMutableRawPointer
    private var transfers:
        [UnsafeMutableRawPointer: (transfer: HTTPTransfer, headers: UnsafeMutablePointer<curl_slist>?)] =
            [:]

    init?() {
        guard let handle = curl_multi_init() else { return nil }
        self.handle = handle
    }

    deinit {
        curl_multi_cleanup(handle)
    }

    var isEmpty: Bool { transfers.isEmpty }

    func wake() {
        curl_multi_wakeup(handle)
    }

    func begin(_ transfer: HTTPTransfer) {
        guard let easy = curl_easy_init() else {
            return transfer.finish(.failure(TransportError(.system(ENOMEM), "There is no memory for a transfer.")))
        }
        guard let headers = CurlMulti.list(transfer.request.headers) else {
            curl_easy_cleanup(easy)
            return transfer.finish(
                .failure(TransportError(.http(.header), "A field for \(transfer.request.url) cannot be sent.")))
        }
        guard CurlOptions.apply(transfer, headers.list, to: easy), curl_multi_add_handle(handle, easy) == CURLM_OK
        else {
            curl_easy_cleanup(easy)
            curl_slist_free_all(headers.list)
            curl_slist_free_all(transfer.connectTo)
            return transfer.finish(
                .failure(TransportError(.system(EINVAL), "\(transfer.request.url) cannot be fetched.")))
        }
        transfers[easy] = (transfer, headers.list)
    }

    func cancel(_ transfer: HTTPTransfer) {
        guard let easy = transfers.first(where: { $0.value.transfer === transfer })?.key else { return }
        remove(easy)
        transfer.finish(.failure(TransportError(.cancelled, "The transfer was given up.")))
    }

    /// Does what can be done now, and reports what is finished.
    func perform() {
        var running: Int32 = 0
        curl_multi_perform(handle, &running)
        var code = CURLE_OK
        while let easy = apus_curl_next_done(handle, &code) {
            guard let transfer = transfers[easy]?.transfer else { continue }
            let outcome = CurlMulti.outcome(transfer, easy, code)
            remove(easy)
            transfer.finish(outcome)
        }
    }

    /// Waits for the network, a time limit, or `wake`.
    func wait() {
        curl_multi_poll(handle, nil, 0, 10_000, nil)
    }

    private func remove(_ easy: UnsafeMutableRawPointer) {
        curl_multi_remove_handle(handle, easy)
        curl_easy_cleanup(easy)
        guard let entry = transfers.removeValue(forKey: easy) else { return }
        curl_slist_free_all(entry.headers)
        curl_slist_free_all(entry.transfer.connectTo)
        entry.transfer.connectTo = nil
    }

    /// Nil when a name is no name, or a value could be read as another field (RFC 9110 §5.5).
    private static func list(
        _ headers: [(name: String, value: String)]
    ) -> (list: UnsafeMutablePointer<curl_slist>?, count: Int)? {
        guard headers.allSatisfy({ isFieldName($0.name) && isFieldValue($0.value) }) else { return nil }
        var list: UnsafeMutablePointer<curl_slist>?
        for (name, value) in headers {
            // An empty value is written with a semicolon, a colon would leave the field out.
            list = curl_slist_append(list, value.isEmpty ? "\(name);" : "\(name): \(value)") ?? list
        }
        return (list, headers.count)
    }

    private static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(HTTPHead.isToken)
    }

    private static func isFieldValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    private static func outcome(
        _ transfer: HTTPTransfer, _ easy: UnsafeMutableRawPointer, _ code: CURLcode
    ) -> HTTPClient.Outcome {
        guard code == CURLE_OK else { return .failure(failure(transfer, code)) }
        return .success(
            HTTPResponse(
                status: apus_curl_response_code(easy),
                contentType: apus_curl_content_type(easy).map { String(cString: $0) }, body: transfer.body,
                fields: transfer.head.fields, redirect: apus_curl_redirect_url(easy).map { String(cString: $0) }))
    }

    private static func failure(_ transfer: HTTPTransfer, _ code: CURLcode) -> TransportError {
        let url = transfer.request.url
        if transfer.isTooLarge || code == CURLE_FILESIZE_EXCEEDED {
            return TransportError(.http(.tooLarge), "\(url) is larger than \(transfer.request.maximumBytes) bytes.")
        }
        if transfer.isForbidden {
            return TransportError(.http(.forbiddenAddress), "\(url) leads to an address that may not be used.")
        }
        if transfer.isLocalFailure {
            return TransportError(.http(.local), "The file for \(url) cannot be read or written.")
        }
        let reason = String(cString: curl_easy_strerror(code))
        let kind: TransportError.Code =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST: .nameNotFound
            case CURLE_COULDNT_CONNECT: .refused
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PEER_FAILED_VERIFICATION: .http(.certificate)
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: .http(.notHTTPS)
            case CURLE_TOO_MANY_REDIRECTS: .http(.redirects)
            default: .http(.failed)
            }
        return TransportError(kind, "\(url) could not be fetched: \(reason).")
    }
}

/// Why a transfer failed that was no failure of the network.
package enum HTTPFailure: Sendable, Hashable {
    case tooLarge
    case forbiddenAddress
    case certificate
    /// The URL, or one that it leads to, is not `https`.
    case notHTTPS
    case redirects
    /// A field of the request cannot be sent as it is.
    case header
    /// What is sent could not be read, or what came could not be kept.
    case local
    case failed
}
