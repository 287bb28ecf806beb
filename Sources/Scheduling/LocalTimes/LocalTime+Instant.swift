// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
import WallTime

extension LocalTime {
    /// The instant at which clocks of a time zone show this time.
    ///
    /// A time that is shown twice, since clocks are set back, stands for the first. One that is never shown, since they
    /// are set forward, stands for the instant at which they are.
    public func instant(in zone: TimeZone) -> Date {
        Date(timeIntervalSince1970: Double(ZoneClock(zone).instant(showing: self.secondsAsUTC)))
    }
}
