// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What is to be expected of looking a host up.
enum HostStanding: CaseIterable {
    /// It had an address when it was looked up last.
    case proven

    /// Nothing is known of it.
    case unknown

    /// It had no address when it was looked up last, perhaps since its name servers are silent.
    case failing
}

/// Remembers how looking hosts up ended, of so many hosts.
struct HostStandings {
    /// How many hosts a generation has; there are two at most.
    private static let generation = 5000

    private var young: [String: HostStanding] = [:]
    private var old: [String: HostStanding] = [:]

    /// What is known of a host.
    subscript(host: String) -> HostStanding { self.young[host] ?? self.old[host] ?? .unknown }

    /// Notes how a look-up ended; those that were not looked up for long are forgotten.
    mutating func note(_ host: String, _ standing: HostStanding) {
        if self.young[host] == nil, self.young.count >= Self.generation {
            self.old = self.young
            self.young = [:]
        }
        self.young[host] = standing
    }
}
