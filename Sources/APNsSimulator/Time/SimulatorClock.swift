// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where the simulator takes the time from.
///
/// Tests hand in a clock that they move.
public struct SimulatorClock: Sendable {
    /// The time now.
    public var now: @Sendable () -> Date

    /// A clock that answers with this function.
    ///
    /// It is called on event loops and must not block.
    public init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    /// The system's clock.
    public static let system = SimulatorClock { Date() }
}
