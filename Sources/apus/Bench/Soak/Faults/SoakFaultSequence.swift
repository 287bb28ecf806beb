// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The faults of one side in their order: without end, and the same for the same seed and store.
struct SoakFaultSequence: Sequence, IteratorProtocol, Sendable {
    private let kinds: [SoakFault.Kind]
    private var dice: SeededDice
    private var round: [SoakFault.Kind] = []

    init(side: SoakFault.Side, configuration: SoakConfiguration) {
        self.kinds = SoakFault.Kind.all(
            of: side,
            onPostgres: configuration.storeURL != nil,
            restarts: configuration.storeRestart != nil
        )
        self.dice = SeededDice(seed: configuration.seed, use: side.rawValue)
    }

    /// Each kind comes once in a round, in an order drawn anew, so that none is missing from a long soak by chance.
    mutating func next() -> SoakFault? {
        if self.round.isEmpty { self.round = self.kinds.shuffled(using: &self.dice) }
        guard let kind = self.round.popLast() else { return nil }
        let shortest = kind == .stoppedDeliverer ? SoakConfiguration.leaseSeconds * 1000 + 1500 : 500
        return SoakFault(
            kind: kind,
            milliseconds: shortest + Int.random(in: 0...4000, using: &self.dice),
            pause: Int.random(in: 1000...7000, using: &self.dice),
            strength: Int.random(in: 1...60, using: &self.dice),
            victim: Int.random(in: 0..<1000, using: &self.dice),
            deliversFirst: Bool.random(using: &self.dice),
            seed: self.dice.next()
        )
    }
}
