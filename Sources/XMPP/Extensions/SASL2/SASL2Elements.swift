// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The elements of the extensible SASL profile (XEP-0388, `urn:xmpp:sasl:2`).
package enum SASL2 {
    package static let namespace = "urn:xmpp:sasl:2"

    /// §2.3.1: the start of a login with everything that is to happen when it succeeds.
    package static func authenticate(
        mechanism: String, initial: [UInt8], userAgent: UserAgent?, inline: [Element]
    ) -> Element {
        Element(.sasl2Authenticate) { authenticate in
            authenticate.attribute("mechanism", mechanism)
            authenticate.open(XMLName("initial-response", namespace))
            authenticate.text(base64(initial))
            authenticate.close()
            if let userAgent { authenticate.child(userAgent.element) }
            for element in inline { authenticate.child(element) }
        }
    }

    package static func response(_ bytes: [UInt8]) -> Element {
        Element(XMLName("response", namespace), text: base64(bytes))
    }

    /// §2.6.3: the task that is begun.
    package static func next(task: String) -> Element {
        Element(XMLName("next", namespace), attributes: ["task": task])
    }

    package static func taskData(_ payload: Element) -> Element {
        Element(.sasl2TaskData, children: [payload])
    }
}

/// What the server's user may see of this client among the own devices (XEP-0388 §2.3.1).
package struct UserAgent: Sendable, Hashable {
    /// A version 4 UUID that stays the same for the installation and the account.
    package var id: String
    package var software: String

    package init(id: String, software: String = "Apus") {
        self.id = id
        self.software = software
    }

    package var element: Element {
        Element(
            XMLName("user-agent", SASL2.namespace), attributes: ["id": id],
            children: [Element(XMLName("software", SASL2.namespace), text: software)])
    }

    /// Sixteen random bytes in the form of a version 4 UUID (RFC 9562 §5.4).
    package static func identifier(_ random: [UInt8]) -> String {
        var bytes = Array((random + [UInt8](repeating: 0, count: 16)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = hexadecimal(bytes)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}

extension XMLName {
    package static let sasl2Authentication = XMLName("authentication", SASL2.namespace)
    package static let sasl2Authenticate = XMLName("authenticate", SASL2.namespace)
    package static let sasl2Mechanism = XMLName("mechanism", SASL2.namespace)
    package static let sasl2Inline = XMLName("inline", SASL2.namespace)
    package static let sasl2Challenge = XMLName("challenge", SASL2.namespace)
    package static let sasl2Success = XMLName("success", SASL2.namespace)
    package static let sasl2Failure = XMLName("failure", SASL2.namespace)
    package static let sasl2Continue = XMLName("continue", SASL2.namespace)
    package static let sasl2Tasks = XMLName("tasks", SASL2.namespace)
    package static let sasl2Task = XMLName("task", SASL2.namespace)
    package static let sasl2TaskData = XMLName("task-data", SASL2.namespace)
    package static let sasl2Text = XMLName("text", SASL2.namespace)
    package static let sasl2AdditionalData = XMLName("additional-data", SASL2.namespace)
    package static let sasl2Identifier = XMLName("authorization-identifier", SASL2.namespace)
}
