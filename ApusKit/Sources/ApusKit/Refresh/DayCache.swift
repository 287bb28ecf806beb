// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// A calendar day of a subject, such as a device, in the subject's time zone.
public struct DayKey: Sendable, Hashable, CustomStringConvertible {
    /// The subject, such as a device ID.
    public let subject: String
    /// The day in the Gregorian calendar, such as `2025-10-13`.
    public let day: String

    /// Creates the key of the day that contains a date in a time zone.
    public init(_ subject: String, at date: Date, in timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        self.subject = subject
        self.day = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    }

    /// The key as a string, such as `DEVICE_2025-10-13`.
    public var description: String { "\(self.subject)_\(self.day)" }
}

/// A least recently used cache of loaded values by subject and day.
public actor DayCache<Value: Sendable> {
    private let limit: Int
    private var values: [DayKey: Value] = [:]
    private var order: [DayKey] = []

    /// Creates a cache with a maximum number of days, at least 1.
    public init(limit: Int = 100) { self.limit = max(1, limit) }

    /// The cached value of a day; `nil` if there is none.
    public subscript(key: DayKey) -> Value? {
        if self.values[key] != nil { self.use(key) }
        return self.values[key]
    }

    /// Stores the value of a day; `nil` removes the entry.
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
