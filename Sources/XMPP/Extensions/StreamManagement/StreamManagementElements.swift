// SPDX-License-Identifier: Apache-2.0

/// The elements of stream management (XEP-0198, `urn:xmpp:sm:3`).
package enum StreamManagement {
    package static let namespace = "urn:xmpp:sm:3"
    package static let enable = Element(.managementEnable, attributes: ["resume": "true"])

    package static func resume(_ resumption: NegotiationStateMachine.Resumption) -> Element {
        Element(
            .managementResume, attributes: ["previd": resumption.previousID, "h": String(resumption.received)])
    }

    /// §6: a count that is higher than what was ever sent.
    package static func handledCountTooHigh(_ handled: UInt32, sent: UInt32) -> StreamError {
        StreamError(
            .undefinedCondition, text: "You acknowledged \(handled) stanzas; I sent \(sent)",
            application: Element(
                XMLName("handled-count-too-high", namespace),
                attributes: ["h": String(handled), "send-count": String(sent)]))
    }
}

extension XMLName {
    package static let managementFeature = XMLName("sm", StreamManagement.namespace)
    package static let managementEnable = XMLName("enable", StreamManagement.namespace)
    package static let managementEnabled = XMLName("enabled", StreamManagement.namespace)
    package static let managementResume = XMLName("resume", StreamManagement.namespace)
    package static let managementResumed = XMLName("resumed", StreamManagement.namespace)
    package static let managementFailed = XMLName("failed", StreamManagement.namespace)
    package static let managementRequest = XMLName("r", StreamManagement.namespace)
    package static let managementAnswer = XMLName("a", StreamManagement.namespace)
}
