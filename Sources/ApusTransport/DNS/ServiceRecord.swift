// SPDX-License-Identifier: Apache-2.0

/// One SRV record (RFC 2782) and the service it was found under.
package struct ServiceRecord: Hashable, Sendable {
    package var priority: UInt16
    package var weight: UInt16
    package var endpoint: Endpoint

    package init(priority: UInt16, weight: UInt16, endpoint: Endpoint) {
        self.priority = priority
        self.weight = weight
        self.endpoint = endpoint
    }

    /// The order in which to try the records' endpoints: by priority, and at random by weight among equals (RFC 2782).
    ///
    /// Records of `_xmpp-client` and `_xmpps-client` are one set (XEP-0368 §3). An endpoint that is named twice is
    /// tried once, at its better place; at most `limit` endpoints come back.
    package static func order(
        _ records: [ServiceRecord], limit: Int, using generator: inout some RandomNumberGenerator
    ) -> [Endpoint] {
        var seen: Set<Endpoint> = []
        var endpoints: [Endpoint] = []
        // A stable sort, so that equal seeds give equal orders.
        let sorted = records.enumerated().sorted { left, right in
            (left.element.priority, left.offset) < (right.element.priority, right.offset)
        }
        var group: [ServiceRecord] = []
        var index = 0
        while index < sorted.count, endpoints.count < limit {
            let priority = sorted[index].element.priority
            group.removeAll(keepingCapacity: true)
            while index < sorted.count, sorted[index].element.priority == priority {
                let record = sorted[index].element
                if seen.insert(record.endpoint).inserted { group.append(record) }
                index += 1
            }
            draw(from: &group, into: &endpoints, limit: limit, using: &generator)
        }
        return endpoints
    }

    /// RFC 2782's drawing: weightless records stand first, so that they keep a small chance.
    private static func draw(
        from group: inout [ServiceRecord], into endpoints: inout [Endpoint], limit: Int,
        using generator: inout some RandomNumberGenerator
    ) {
        group = group.filter { $0.weight == 0 } + group.filter { $0.weight > 0 }
        var total = group.reduce(0) { $0 + Int($1.weight) }
        while !group.isEmpty, endpoints.count < limit {
            let drawn = Int.random(in: 0...total, using: &generator)
            var sum = 0
            let chosen =
                group.firstIndex { record in
                    sum += Int(record.weight)
                    return sum >= drawn
                } ?? 0
            let record = group.remove(at: chosen)
            total -= Int(record.weight)
            endpoints.append(record.endpoint)
        }
    }
}
