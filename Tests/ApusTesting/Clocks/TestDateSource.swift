// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import Synchronization

/// A date that stands still until a test moves it; what code under test takes for the time of day.
public final class TestDateSource: Sendable {
    /// The date at which every test begins: 2026-01-01 00:00 UTC.
    public static let beginning = Date(timeIntervalSince1970: 1_767_225_600)

    private let state: Mutex<Date>

    /// Makes a date source.
    ///
    /// - Parameter date: what it shows at first.
    public init(_ date: Date = TestDateSource.beginning) {
        self.state = Mutex(date)
    }

    /// The date that it shows.
    public var date: Date { self.state.withLock { $0 } }

    /// The date that it shows, for code that takes a function.
    public func callAsFunction() -> Date { self.date }

    /// Moves the date on, or back with a negative duration.
    ///
    /// - Parameter duration: by how much.
    /// - Returns: the date that it shows now.
    @discardableResult
    public func advance(by duration: Duration) -> Date {
        self.state.withLock { date in
            date = date.addingTimeInterval(duration / .seconds(1))
            return date
        }
    }
}
