// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One thing that goes wrong in a soak.
struct SoakFault: Sendable, Hashable {
    /// What goes wrong.
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

    /// How long it goes on.
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

    /// Whether what gets no answer is delivered all the same.
    let deliversFirst: Bool

    /// What its own dice start from.
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
