// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One thing that goes wrong in a soak.
struct SoakFault: Sendable, Hashable {
    enum Kind: String, Sendable, CaseIterable {
        // At APNs.
        case goAwayStorm = "goaway_storm"
        case droppedConnections = "dropped_connections"
        case unavailable = "unavailable_503"
        case tooManyRequests = "too_many_requests_429"
        case silence = "never_answered"
        case oneStream = "one_stream"
        case expiredToken = "expired_provider_token"
        case revokedKey = "revoked_key"
        case clockJump = "clock_jump"
        case unreachable = "unreachable"

        // On the machine.
        case killedDeliverer = "killed_deliverer"
        case killedPlanner = "killed_planner"
        case killedAPI = "killed_api"
        case stoppedDeliverer = "stopped_deliverer"

        // In the store.
        case lockedStore = "locked_store"
        case restartedStore = "restarted_store"
        case cutConnections = "cut_store_connections"
    }

    /// Faults of different sides happen at the same time, those of one side one after another.
    enum Side: String, Sendable, CaseIterable {
        case apns, machine
    }

    let kind: Kind

    /// The duration.
    ///
    /// Unit: milliseconds.
    let milliseconds: Int

    /// How long the side is well afterwards.
    ///
    /// Unit: milliseconds.
    let pause: Int

    /// How many requests are struck, where requests are.
    let strength: Int

    /// Which process is struck, where one is: a number that the processes of its role are counted off with.
    let victim: Int

    /// Whether a request without a response is delivered.
    let deliversFirst: Bool

    /// The seed of its random generator.
    let seed: UInt64
}

extension SoakFault.Kind {
    /// The kinds of a side, for a store.
    static func all(of side: SoakFault.Side, onPostgres: Bool, restarts: Bool) -> [SoakFault.Kind] {
        switch side {
        case .apns:
            [
                .goAwayStorm, .droppedConnections, .unavailable, .tooManyRequests, .silence, .oneStream, .expiredToken,
                .revokedKey, .clockJump, .unreachable,
            ]
        case .machine:
            [.killedDeliverer, .killedPlanner, .killedAPI, .stoppedDeliverer]
                + (onPostgres ? [.cutConnections] + (restarts ? [.restartedStore] : []) : [.lockedStore])
        }
    }
}

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

    /// Each type occurs once in a round, in a random order, so that a long soak has every type.
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

/// A generator that draws the same numbers from the same seed, so that a run can be repeated.
///
/// Not for secrets. Java's `SplittableRandom` draws as it does.
struct SeededDice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Each `use` of a seed gets its own sequence of numbers.
    init(seed: UInt64, use: String) {
        // FNV-1a: the same on every machine, which `Hasher` is not.
        self.state = use.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
