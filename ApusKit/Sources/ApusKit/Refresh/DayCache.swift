// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// A day of something, such as a device, by the calendar of its own place.
public struct DayKey: Sendable, Hashable, CustomStringConvertible {
    /// What the day is of.
    public let subject: String
    /// The day: `2025-10-13`.
    public let day: String

    /// The day on which a moment falls in a time zone.
    public init(_ subject: String, at date: Date, in timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        self.subject = subject
        self.day = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    }

    /// The key as one text: `DEVICE_2025-10-13`.
    public var description: String { "\(self.subject)_\(self.day)" }
}

/// What an app has loaded, by subject and day; the day least recently used gives way.
public actor DayCache<Value: Sendable> {
    private let limit: Int
    private var values: [DayKey: Value] = [:]
    private var order: [DayKey] = []

    /// A cache of so many days.
    public init(limit: Int = 100) { self.limit = max(1, limit) }

    /// What was loaded for a day.
    public subscript(key: DayKey) -> Value? {
        if self.values[key] != nil { self.use(key) }
        return self.values[key]
    }

    /// Keeps what was loaded for a day; `nil` clears the entry.
    public func set(_ value: Value?, for key: DayKey) {
        self.values[key] = value
        self.order.removeAll { $0 == key }
        guard value != nil else { return }
        self.order.append(key)
        if self.order.count > self.limit { self.values[self.order.removeFirst()] = nil }
    }

    private func use(_ key: DayKey) {
        self.order.removeAll { $0 == key }
        self.order.append(key)
    }
}
