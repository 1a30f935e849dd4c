// SPDX-License-Identifier: Apache-2.0

/// What to dial after both service look-ups (RFC 6120 §3.2, XEP-0368 §3).
enum ServicePlan: Hashable {
    /// The endpoints of these records, and nothing else.
    case dial([ServiceRecord])
    /// No usable record: the domain's own addresses. With the reason when there was no answer at all.
    case fallBack(Endpoint, failure: String?)
    /// The domain says that it has no such service; its own addresses are not tried.
    case notOffered

    /// A nil answer is one that did not come in time.
    init(direct: ServiceAnswer?, plain: ServiceAnswer?, domain: String, security: ConnectTarget.Security) {
        let records = (direct?.records ?? []) + (plain?.records ?? [])
        guard records.isEmpty else {
            self = .dial(records)
            return
        }
        // RFC 6120 §3.2.1: "." ends the attempt. A "." for direct TLS alone says nothing about STARTTLS.
        let usesDirectTLS = security == .directTLS
        let decisive = usesDirectTLS ? direct : plain
        switch decisive {
        case .notOffered: self = .notOffered
        case .failed(let reason): self = .fallBack(.standard(domain, usesDirectTLS), failure: reason)
        case .records, .none?, nil: self = .fallBack(.standard(domain, usesDirectTLS), failure: nil)
        }
    }
}

extension Endpoint {
    /// RFC 6120 §3.2.2: the registered port, on the domain itself.
    static func standard(_ host: String, _ usesDirectTLS: Bool) -> Endpoint {
        Endpoint(host: host, port: usesDirectTLS ? 5223 : 5222, usesDirectTLS: usesDirectTLS)
    }
}

extension ServiceAnswer {
    var records: [ServiceRecord] {
        if case .records(let records) = self { return records }
        return []
    }
}
