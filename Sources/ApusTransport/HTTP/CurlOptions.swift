// SPDX-License-Identifier: Apache-2.0
import ApusCCurl
import ApusCrypto
import Foundation
import Glibc

/// Sets up a transfer of libcurl.
enum CurlOptions {
    /// Whether everything could be set.
    static func apply(
        _ transfer: HTTPTransfer, _ headers: UnsafeMutablePointer<curl_slist>?, to easy: UnsafeMutableRawPointer
    ) -> Bool {
        let request = transfer.request
        // The transfer is held by `CurlMulti` for as long as the handle exists.
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        var codes = [
            string(easy, CURLOPT_URL, request.url),
            string(easy, CURLOPT_PROTOCOLS_STR, request.permitsUnencrypted ? "http,https" : "https"),
            string(easy, CURLOPT_REDIR_PROTOCOLS_STR, "https"),
            // A path counts byte by byte, dots included.
            number(easy, CURLOPT_PATH_AS_IS, 1),
            // No connection outlives its transfer or serves two: an address is checked for the one who asks.
            number(easy, CURLOPT_FORBID_REUSE, 1),
            number(easy, CURLOPT_FRESH_CONNECT, 1),
            number(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            number(easy, CURLOPT_FOLLOWLOCATION, request.maximumRedirects > 0 ? 1 : 0),
            number(easy, CURLOPT_MAXREDIRS, request.maximumRedirects),
            number(easy, CURLOPT_NOSIGNAL, 1),
            number(easy, CURLOPT_TIMEOUT_MS, milliseconds(request.deadline)),
            number(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            // An empty name switches off what the environment says.
            string(easy, CURLOPT_PROXY, request.proxy.map { proxyURL($0) } ?? ""),
            apus_curl_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(request.maximumBytes)),
            apus_curl_set_write(easy, receiveBody, context),
            apus_curl_set_header(easy, receiveHeader, context),
            apus_curl_set_open_socket(easy, openSocket, context),
            apus_curl_set_pre_request(easy, aboutToRequest, context),
            apus_curl_set_list(easy, CURLOPT_HTTPHEADER, headers),
        ]
        if let proxy = request.proxy {
            if let user = proxy.user { codes.append(string(easy, CURLOPT_PROXYUSERNAME, user)) }
            if let password = proxy.password { codes.append(string(easy, CURLOPT_PROXYPASSWORD, password)) }
        }
        if let span = request.connectDeadline {
            codes.append(number(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(span)))
        }
        if let span = request.stall {
            codes.append(number(easy, CURLOPT_LOW_SPEED_LIMIT, request.slowest))
            codes.append(number(easy, CURLOPT_LOW_SPEED_TIME, max(1, milliseconds(span) / 1000)))
        }
        codes += send(request.method, easy, context)
        if request.progress != nil || request.sendProgress != nil {
            codes.append(apus_curl_set_progress(easy, progressed, context))
        }
        return codes.allSatisfy { $0 == CURLE_OK } && trust(easy, request.trust)
            && connect(easy, request.server, transfer)
    }

    private static func milliseconds(_ span: Duration) -> Int { max(1, Int(span.wholeNanoseconds / 1_000_000)) }

    private static func send(
        _ method: HTTPRequest.Method, _ easy: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer
    ) -> [CURLcode] {
        switch method {
        case .get: return []
        case .put(let body):
            return [
                number(easy, CURLOPT_UPLOAD, 1),
                apus_curl_set_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(body.byteCount)),
                apus_curl_set_read(easy, sendBody, context), apus_curl_set_seek(easy, seekBody, context),
            ]
        case .post(let body):
            return [
                number(easy, CURLOPT_POST, 1),
                apus_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.byteCount)),
                apus_curl_set_read(easy, sendBody, context), apus_curl_set_seek(easy, seekBody, context),
            ]
        }
    }

    private static func string(
        _ easy: UnsafeMutableRawPointer, _ option: CURLoption, _ value: String
    ) -> CURLcode {
        // libcurl copies it; a zero inside would cut it.
        value.utf8.contains(0) ? CURLE_BAD_FUNCTION_ARGUMENT : apus_curl_set_string(easy, option, value)
    }

    private static func number(_ easy: UnsafeMutableRawPointer, _ option: CURLoption, _ value: Int) -> CURLcode {
        apus_curl_set_long(easy, option, value)
    }

    /// With names resolved by the proxy.
    private static func proxyURL(_ proxy: Proxy) -> String {
        let scheme = proxy.kind == .socks5 ? "socks5h" : "http"
        return "\(scheme)://\(Endpoint(host: proxy.host, port: proxy.port))"
    }

    /// The account's authorities, beside the system's or in their place.
    private static func trust(_ easy: UnsafeMutableRawPointer, _ trust: TLSTrust) -> Bool {
        if !trust.usesSystemRoots {
            guard apus_curl_set_string(easy, CURLOPT_CAPATH, nil) == CURLE_OK,
                apus_curl_set_string(easy, CURLOPT_CAINFO, nil) == CURLE_OK
            else { return false }
            // Nobody may vouch for anybody.
            guard !trust.authorityFiles.isEmpty else { return false }
        }
        guard !trust.authorityFiles.isEmpty else { return true }
        var bundle = Data()
        for file in trust.authorityFiles {
            guard let text = FileManager.default.contents(atPath: file) else { return false }
            bundle += text
            bundle.append(UInt8(ascii: "\n"))
        }
        return bundle.withUnsafeBytes {
            apus_curl_set_blob(easy, CURLOPT_CAINFO_BLOB, $0.baseAddress, $0.count) == CURLE_OK
        }
    }

    private static func connect(
        _ easy: UnsafeMutableRawPointer, _ server: Endpoint?, _ transfer: HTTPTransfer
    ) -> Bool {
        guard let server else { return true }
        transfer.connectTo = curl_slist_append(nil, "::\(server)")
        return apus_curl_set_list(easy, CURLOPT_CONNECT_TO, transfer.connectTo) == CURLE_OK
    }
}
