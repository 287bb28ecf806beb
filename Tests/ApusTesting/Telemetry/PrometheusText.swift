// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Prometheus' text format 0.0.4, read strictly: whatever its grammar does not allow is an error.
///
/// See <https://prometheus.io/docs/instrumenting/exposition_formats/>.
public struct PrometheusText: Sendable {
    /// One line with a number.
    public struct Sample: Hashable, Sendable {
        /// The name, with what a histogram adds to it.
        public let name: String

        /// The labels.
        public let labels: [String: String]

        /// The number.
        public let value: Double
    }

    /// The lines of one metric.
    public struct Family: Sendable {
        /// `counter`, `gauge` or `histogram`.
        public internal(set) var type: String

        /// What is said of it; `nil` when nothing is.
        public internal(set) var help: String?

        /// Its samples, in their order.
        public internal(set) var samples: [Sample] = []
    }

    /// The metrics by their names.
    public private(set) var families: [String: Family] = [:]

    /// Reads a text.
    ///
    /// - Throws: ``PrometheusTextError`` with the number of the first wrong line.
    public init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else {
            throw PrometheusTextError(line: 0, "no line feed at the end")
        }
        var current = ""
        var help: (name: String, text: String)?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().enumerated() {
            var reader = PrometheusLineParser(line, number: index + 1)
            if line.isEmpty { continue }
            if reader.skip("# HELP ") {
                let name = try reader.name(allowsColon: true)
                try reader.require(" ")
                help = (name, try reader.helpText())
            } else if reader.skip("# TYPE ") {
                current = try reader.name(allowsColon: true)
                try reader.require(" ")
                let type = reader.rest
                guard ["counter", "gauge", "histogram"].contains(type) else { throw reader.error("the type '\(type)'") }
                guard self.families[current] == nil else { throw reader.error("a second type of \(current)") }
                if let help, help.name != current { throw reader.error("the help of \(help.name) before \(current)") }
                self.families[current] = Family(type: type, help: help?.text)
                help = nil
            } else {
                let sample = try reader.sample()
                guard let family = self.families[current], Self.names(of: current, family.type).contains(sample.name)
                else {
                    throw reader.error("a sample of \(sample.name) among those of \(current)")
                }
                let isKnown = family.samples.contains { $0.name == sample.name && $0.labels == sample.labels }
                if isKnown { throw reader.error("a second sample of \(sample.name) \(sample.labels)") }
                self.families[current]?.samples.append(sample)
            }
        }
        for (name, family) in self.families where family.type == "histogram" { try family.checkHistogram(name) }
    }

    /// The number of a sample; `nil` when there is none.
    public func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        for family in self.families.values {
            if let sample = family.samples.first(where: { $0.name == name && $0.labels == labels }) {
                return sample.value
            }
        }
        return nil
    }

    private static func names(of name: String, _ type: String) -> [String] {
        type == "histogram" ? ["\(name)_bucket", "\(name)_sum", "\(name)_count"] : [name]
    }
}

extension PrometheusText.Family {
    /// Each histogram's buckets grow, end with `+Inf`, and that is its count.
    fileprivate func checkHistogram(_ name: String) throws {
        let buckets = self.samples.filter { $0.name == "\(name)_bucket" }
        let groups = Dictionary(grouping: buckets) { sample in sample.labels.filter { $0.key != "le" } }
        for (labels, group) in groups {
            let bounds = group.compactMap { $0.labels["le"].flatMap(PrometheusLineParser.number) }
            let isOrdered = zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }
            let isGrowing = zip(group, group.dropFirst()).allSatisfy { $0.value <= $1.value }
            let count = self.samples.first { $0.name == "\(name)_count" && $0.labels == labels }?.value
            let sum = self.samples.first { $0.name == "\(name)_sum" && $0.labels == labels }?.value
            guard bounds.count == group.count, isOrdered, isGrowing, bounds.last == .infinity, sum != nil,
                count == group.last?.value
            else { throw PrometheusTextError(line: 0, "the histogram \(name) \(labels)") }
        }
    }
}

/// A text that is not in Prometheus' format.
public struct PrometheusTextError: Error, CustomStringConvertible {
    /// The first wrong line, from 1; 0 where it is not a single one.
    public let line: Int

    /// What is wrong.
    public let message: String

    init(line: Int, _ message: String) {
        self.line = line
        self.message = message
    }

    /// The line and what is wrong.
    public var description: String { "line \(self.line): \(self.message)" }
}
