// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// When the library reported a failure.
enum TLSPhase {
    case handshake, records
}

extension TLSError {
    /// Takes the reports off the library's queue for this thread and says what they mean.
    init(queued phase: TLSPhase, name: String) {
        var reason: Int32 = 0
        var text = ""
        while case let report = ERR_get_error(), report != 0 {
            // The first report of the TLS part is the cause; later ones add where it was noticed.
            if reason == 0, ERR_GET_LIB(report) == ERR_LIB_SSL { reason = ERR_GET_REASON(report) }
            if text.isEmpty || ERR_GET_REASON(report) == reason, let words = ERR_reason_error_string(report) {
                text = String(cString: words)
            }
        }
        self = Self.meaning(of: reason, text, phase, name)
    }

    static func foreignProtocol(_ answer: String, _ configuration: TLSConfiguration) -> TLSError {
        TLSError(
            .applicationProtocol,
            "\(configuration.name) answers with the application protocol \"\(printable(answer))\", not XMPP")
    }

    private static func meaning(of reason: Int32, _ text: String, _ phase: TLSPhase, _ name: String) -> TLSError {
        switch reason {
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST,
            SSL_R_PACKET_LENGTH_TOO_LONG where phase == .handshake:
            return TLSError(.notTLS, "\(name) does not answer with TLS")
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_UNSUPPORTED_SSL_VERSION,
            SSL_R_WRONG_SSL_VERSION, SSL_R_NO_PROTOCOLS_AVAILABLE, SSL_R_VERSION_TOO_LOW:
            return TLSError(.protocolVersion, "\(name) offers no TLS version from 1.2 on")
        case SSL_AD_REASON_OFFSET + SSL_AD_NO_APPLICATION_PROTOCOL:
            return TLSError(.applicationProtocol, "\(name) does not speak XMPP on this port")
        case SSL_AD_REASON_OFFSET...(SSL_AD_REASON_OFFSET + 255):
            let alert = alertName(reason - SSL_AD_REASON_OFFSET)
            let what = phase == .handshake ? "refused the TLS handshake" : "ended the TLS connection"
            return TLSError(.alert(alert), "\(name) \(what) (alert: \(alert))")
        case SSL_R_RECORD_TOO_SMALL, SSL_R_TOO_MANY_WARN_ALERTS:
            return TLSError(.flood, "\(name) floods the TLS connection with empty records")
        default:
            let text = text.isEmpty ? "no reason given" : text
            switch phase {
            case .handshake: return TLSError(.handshake(text), "TLS handshake with \(name) failed: \(text)")
            case .records: return TLSError(.brokenRecord(text), "TLS connection with \(name) broke: \(text)")
            }
        }
    }

    private static func alertName(_ number: Int32) -> String {
        guard let words = SSL_alert_desc_string_long(number) else { return "\(number)" }
        let name = String(cString: words)
        return name == "unknown" ? "\(number)" : name
    }
}
