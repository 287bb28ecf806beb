// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The description of a metric.
package struct MetricDescription: Hashable, Sendable {
    /// The name, without the suffixes of a histogram.
    ///
    /// By convention, a counter's name ends in `_total`, and every name has its unit.
    package let name: String

    package let kind: MetricKind

    /// The names of its labels.
    package let labels: [String]

    /// The help text, in a sentence.
    package let meaning: String

    package init(_ name: String, _ kind: MetricKind, labels: [String] = [], _ meaning: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.meaning = meaning
    }
}

/// The type of a metric, in the terms of the exposition format.
package enum MetricKind: String, Hashable, Sendable, CaseIterable {
    /// It only ever grows, from zero at the start of the process.
    case counter

    /// It goes up and down.
    case gauge

    /// Observations, counted in fixed buckets.
    case histogram
}

/// Makes names that the exposition format allows.
enum MetricName {
    /// A metric's name: letters, digits, `_` and `:`, not beginning with a digit.
    static func metric(_ name: String) -> String {
        self.valid(name) { self.isLetter($0) || $0 == UInt8(ascii: ":") }
    }

    /// A label's name: letters, digits and `_`, not beginning with a digit, nor one that the format keeps for itself.
    static func label(_ name: String) -> String {
        let valid = self.valid(name, self.isLetter)
        return valid == "le" || valid.hasPrefix("__") ? "exported_" + valid : valid
    }

    private static func valid(_ name: String, _ isLetter: (UInt8) -> Bool) -> String {
        var bytes = name.utf8.map { isLetter($0) || self.isDigit($0) ? $0 : UInt8(ascii: "_") }
        if bytes.first.map(self.isDigit) ?? true { bytes.insert(UInt8(ascii: "_"), at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
}
