// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

extension DeviceProfile {
    /// The most tags that a device has.
    public static let maximumTags = 64

    /// The most topics that a device is subscribed to.
    public static let maximumTopics = 256

    /// Checks every limit that the properties state.
    ///
    /// - Returns: all failures found, each with field, rule and the size of the value; empty when all is well.
    public func validate() -> [ValidationFailure] {
        var failures = [
            Self.check(self.platform?.rawValue, field: "platform", bytes: 1...32),
            Self.check(self.appVersion, field: "appVersion", bytes: 1...64),
            Self.check(self.locale, field: "locale", bytes: 1...64),
            Self.check(self.timeZone, field: "timeZone", bytes: 1...64),
        ].compactMap(\.self)
        if self.tags.count > Self.maximumTags {
            failures.append(Self.tooMany(self.tags.count, field: "tags", maximum: Self.maximumTags))
        }
        if self.topics.count > Self.maximumTopics {
            failures.append(Self.tooMany(self.topics.count, field: "topics", maximum: Self.maximumTopics))
        }
        failures += self.tags.keys.compactMap { Self.check($0, field: "tags (name)", bytes: 1...64) }
        failures += self.tags.values.compactMap { Self.check($0, field: "tags (value)", bytes: 0...256) }
        failures += self.topics.compactMap { Self.check($0, field: "topics", bytes: 1...128) }
        return failures
    }

    private static func check(_ text: String?, field: String, bytes range: ClosedRange<Int>) -> ValidationFailure? {
        guard let text, !text.isPlain(bytes: range) else { return nil }
        return ValidationFailure(
            field: field,
            rule: "\(range.lowerBound) to \(range.upperBound) bytes of UTF-8 without control characters",
            value: "\(text.utf8.count) bytes"
        )
    }

    private static func tooMany(_ count: Int, field: String, maximum: Int) -> ValidationFailure {
        ValidationFailure(field: field, rule: "at most \(maximum) of them", value: "\(count)")
    }
}
