// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("ServicePlan")
struct ServicePlanTests {
    private let direct = ServiceRecord(
        priority: 1, weight: 0, endpoint: Endpoint(host: "d.example", port: 443, usesDirectTLS: true))
    private let plain = ServiceRecord(priority: 2, weight: 0, endpoint: Endpoint(host: "p.example", port: 5222))
    private let fallBack = ServicePlan.fallBack(Endpoint(host: "example.org", port: 5222), failure: nil)

    private func plan(
        _ direct: ServiceAnswer?, _ plain: ServiceAnswer?, _ security: ConnectTarget.Security = .any
    ) -> ServicePlan {
        ServicePlan(direct: direct, plain: plain, domain: "example.org", security: security)
    }

    @Test("both services' records are dialled")
    func both() {
        #expect(plan(.records([direct]), .records([plain])) == .dial([direct, plain]))
    }

    @Test("B27 a miss on one service leaves the other's records")
    func oneMissing() {
        #expect(plan(ServiceAnswer.none, .records([plain])) == .dial([plain]))
        #expect(plan(.failed("x"), .records([plain])) == .dial([plain]))
        #expect(plan(.notOffered, .records([plain])) == .dial([plain]))
        #expect(plan(.records([direct]), ServiceAnswer.none) == .dial([direct]))
        #expect(plan(.records([direct]), .notOffered) == .dial([direct]))
        #expect(plan(.records([direct]), nil) == .dial([direct]))
    }

    @Test("B26 without records the domain's own addresses are dialled at 5222")
    func none() {
        #expect(plan(ServiceAnswer.none, ServiceAnswer.none) == fallBack)
        #expect(plan(ServiceAnswer.none, nil) == fallBack)
        let failed = ServicePlan.fallBack(Endpoint(host: "example.org", port: 5222), failure: "no answer")
        #expect(plan(.failed("other"), .failed("no answer")) == failed)
    }

    @Test("T004 \".\" means not offered, without a fallback; for direct TLS alone it says nothing about STARTTLS")
    func notOffered() {
        #expect(plan(.notOffered, .notOffered) == .notOffered)
        #expect(plan(ServiceAnswer.none, .notOffered) == .notOffered)
        #expect(plan(.failed("x"), .notOffered) == .notOffered)
        #expect(plan(.notOffered, ServiceAnswer.none) == fallBack)
        #expect(plan(.notOffered, ServiceAnswer.none, .directTLS) == .notOffered)
    }

    @Test("direct TLS alone falls back to its own port")
    func directOnly() {
        let endpoint = Endpoint(host: "example.org", port: 5223, usesDirectTLS: true)
        #expect(plan(ServiceAnswer.none, ServiceAnswer.none, .directTLS) == .fallBack(endpoint, failure: nil))
    }
}
