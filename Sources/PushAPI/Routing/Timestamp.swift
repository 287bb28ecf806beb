// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Times as the API writes and reads them: ISO 8601 in UTC, such as `2026-02-03T04:05:06.789Z`.
enum Timestamp {
    /// With milliseconds, as answers hold it.
    static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// A time given in milliseconds since 1970.
    static func text(ofMilliseconds time: Int64) -> String {
        Date(timeIntervalSince1970: Double(time) / 1000).formatted(self.style)
    }

    /// Reads a time with or without fractions of a second.
    static func parse(_ text: String) throws(ValidationFailure) -> Date {
        if let date = try? Date(text, strategy: self.style) { return date }
        if let date = try? Date(text, strategy: Date.ISO8601FormatStyle()) { return date }
        throw ValidationFailure(
            field: "time",
            rule: "a time in ISO 8601, such as '2026-02-03T04:05:06Z'",
            value: "\(text.utf8.count) bytes of another form"
        )
    }
}
