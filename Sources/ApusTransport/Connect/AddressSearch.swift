// SPDX-License-Identifier: Apache-2.0

/// The addresses of one endpoint, as they are found, in the order to dial them: families alternate, IPv6 first (RFC
/// 8305 §4).
// Unchecked: confined to the loop's thread; it is Sendable so that the loop can carry calls to it.
final class AddressSearch: @unchecked Sendable {
    let endpoint: Endpoint
    private unowned let race: ConnectRace
    private var version6: [IPAddress] = []
    private var version4: [IPAddress] = []
    private var hasAnswer6 = true
    private var hasAnswer4 = true
    private var isHeldBack = false
    private var nextIsVersion6 = true
    private var failure: String?
    private var foundAny = false
    private var timer: (any LoopTimer)?

    init(race: ConnectRace, endpoint: Endpoint) {
        self.race = race
        self.endpoint = endpoint
    }

    /// Whether further addresses may come.
    var isPending: Bool { !(hasAnswer4 && hasAnswer6) }

    /// Whether there is an address to dial now.
    var hasNext: Bool { !isHeldBack && !(version4.isEmpty && version6.isEmpty) }

    /// Whether everything was dialled and nothing more can come.
    var isOver: Bool { !isPending && version4.isEmpty && version6.isEmpty }

    func found(_ address: IPAddress) {
        foundAny = true
        if address.isIPv6 { version6.append(address) } else { version4.append(address) }
    }

    func start(_ resolver: Resolver) {
        hasAnswer4 = false
        hasAnswer6 = false
        // Answers that come at once, from a file or for a bad name, must not start the race inside this call.
        var isStarting = true
        defer { isStarting = false }
        let host = race.dialled(endpoint).host
        resolver.addresses(of: host, isIPv6: true) { [weak self] answer in
            self?.hasAnswer6 = true
            self?.answered(answer, advances: !isStarting)
        }
        resolver.addresses(of: host, isIPv6: false) { [weak self] answer in
            self?.hasAnswer4 = true
            self?.answered(answer, advances: !isStarting)
        }
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    /// Takes the next address to dial.
    func next() -> IPAddress? {
        guard !isHeldBack else { return nil }
        let wants6 = nextIsVersion6 ? !version6.isEmpty : version4.isEmpty && !version6.isEmpty
        nextIsVersion6 = !wants6
        if wants6 { return version6.removeFirst() }
        return version4.isEmpty ? nil : version4.removeFirst()
    }

    /// IPv6 has had its moment.
    func goOnWithoutIPv6() {
        isHeldBack = false
        race.addressesCame()
    }

    private func answered(_ answer: AddressAnswer, advances: Bool) {
        switch answer {
        case .addresses(let addresses): addresses.forEach(found)
        case .failed(let reason): failure = reason
        case .none: break
        }
        stop()
        isHeldBack = false
        if !isPending {
            if !foundAny { race.noAddress(endpoint, failure) }
        } else if !hasAnswer6, foundAny {
            // IPv4 came first: IPv6 gets a moment to be preferred (RFC 8305 §3).
            isHeldBack = true
            timer = race.loop.schedule(after: race.connector.resolutionDelay) { [weak self, weak race] in
                if let self { race?.resolutionDelayEnded(of: self) }
            }
        }
        if advances { race.addressesCame() }
    }
}
