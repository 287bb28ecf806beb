// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNsSimulator
public import Foundation
import Synchronization

/// A time for a simulator that stands still until it is moved.
public final class TestSimulatorClock: Sendable {
    private let date: Mutex<Date>

    /// A time that stands at this moment.
    public init(_ date: Date = Date(timeIntervalSince1970: 1_760_000_000)) {
        self.date = Mutex(date)
    }

    /// The time now.
    public var now: Date { self.date.withLock { $0 } }

    /// Moves the time on.
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let interval = Double(seconds) + Double(attoseconds) / 1e18
        self.date.withLock { $0.addTimeInterval(interval) }
    }

    /// The clock to configure a simulator with.
    public var clock: SimulatorClock { SimulatorClock { self.now } }
}
