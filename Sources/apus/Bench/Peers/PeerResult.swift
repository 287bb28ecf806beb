// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What all rounds of one sender came to.
struct PeerResult: Codable {
    /// How fast it was with one number of notifications in flight, when the best was looked for.
    struct Attempt: Codable {
        let concurrency: Int
        let perSecond: Double

        private enum CodingKeys: String, CodingKey {
            case concurrency
            case perSecond = "per_s"
        }
    }

    let name: String
    let perSecond: Double
    let perRound: [Double]
    /// Seconds of CPU for 100,000 notifications.
    let cpuSeconds: Double
    let peakMiB: Double
    /// The best number of notifications in flight; `nil` for a sender that decides itself.
    let concurrency: Int?
    let attempts: [Attempt]

    private enum CodingKeys: String, CodingKey {
        case name, concurrency
        case perSecond = "per_s"
        case perRound = "rounds_per_s"
        case cpuSeconds = "cpu_s_per_100k"
        case peakMiB = "peak_mb"
        case attempts = "tried"
    }

    /// Medians of rates and CPU, the largest of the peaks.
    init(of peer: Peer, attempts: [Attempt], rounds: [PeerReport]) {
        self.name = peer.name
        self.perSecond = rounds.map(\.perSecond).median.rounded()
        self.perRound = rounds.map { $0.perSecond.rounded() }
        self.cpuSeconds = rounds.map { $0.cpuSeconds * 100_000 / Double($0.sent) }.median.rounded(toPlaces: 2)
        self.peakMiB = (rounds.map(\.peakMiB).max() ?? 0).rounded(toPlaces: 1)
        self.concurrency = attempts.best?.concurrency
        self.attempts = attempts
    }
}

extension [PeerResult.Attempt] {
    /// The fastest one.
    var best: PeerResult.Attempt? { self.max { $0.perSecond < $1.perSecond } }
}
