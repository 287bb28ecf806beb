// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The simulated time, from Swift.
extension APNsSimulator {
    /// The simulated time.
    public var now: Date { Date(timeIntervalSince1970: self.core.now) }

    /// How many simulated seconds pass in a real one.
    public var timeScale: Double { self.core.clock.scale }

    /// Moves the simulated time on; all that is due until then has happened when the call returns.
    ///
    /// - Parameter duration: how far; a negative one changes nothing, and none leads beyond the year 9999.
    /// - Returns: the simulated time afterwards.
    @discardableResult
    public func advance(by duration: Duration) -> Date {
        let (seconds, attoseconds) = duration.components
        self.core.clock.advance(by: Double(seconds) + Double(attoseconds) / 1e18)
        self.core.advanceWorld()
        self.noteClockChange()
        return self.now
    }

    /// Lets the simulated time run at another speed from now on, of 0 to 1,000,000; 0 lets it stand.
    public func setTimeScale(_ scale: Double) {
        self.core.clock.setScale(scale)
        self.noteClockChange()
    }

    /// Tells all who go by the time that it was moved or runs at another speed.
    func noteClockChange() {
        self.core.runner.noteClockChange(nextDue: self.core.nextDue)
        self.core.followers.noteChange()
    }

    /// When something happens by itself next; `nil` where nothing is planned.
    public var nextDue: Date? {
        let due = self.core.nextDue
        return due < .infinity ? Date(timeIntervalSince1970: due) : nil
    }
}
