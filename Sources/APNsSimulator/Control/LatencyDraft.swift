// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A latency as it is written in JSON: `milliseconds`, or `latency` with a distribution.
enum LatencyDraft {
    private static let milliseconds = 0...3_600_000.0

    static func read(_ object: inout RequestObject) throws(ControlProblem) -> LatencyDistribution {
        guard var latency = try object.object("latency") else {
            let constant = try object.number("milliseconds", in: Self.milliseconds)
            return .constant(try object.require("milliseconds", constant))
        }
        let distribution = try self.distribution(&latency)
        try latency.finish()
        return distribution
    }

    private static func distribution(_ object: inout RequestObject) throws(ControlProblem) -> LatencyDistribution {
        let name = try object.require("distribution", try object.string("distribution"))
        switch name {
        case "constant": return .constant(try self.time("milliseconds", &object))
        case "uniform":
            let (low, high) = (try self.time("minimum", &object), try self.time("maximum", &object))
            guard low <= high else {
                throw object.invalid("maximum", rule: "no less than minimum, \(low)", value: "\(high)")
            }
            return .uniform(low...high)
        case "normal":
            return .normal(mean: try self.time("mean", &object), deviation: try self.time("deviation", &object))
        case "exponential": return .exponential(mean: try self.time("mean", &object))
        case "percentiles": return .percentiles(try self.percentiles(&object))
        default:
            let rule = "constant, uniform, normal, exponential or percentiles"
            throw object.invalid("distribution", rule: rule, value: String(name.prefix(20)))
        }
    }

    private static func time(_ name: String, _ object: inout RequestObject) throws(ControlProblem) -> Double {
        try object.require(name, try object.number(name, in: Self.milliseconds))
    }

    private static func percentiles(
        _ object: inout RequestObject
    ) throws(ControlProblem) -> [LatencyDistribution.Percentile] {
        var points: [LatencyDistribution.Percentile] = []
        for var point in try object.require("points", try object.objects("points")) {
            let share = try point.require("share", try point.number("share", in: 0...100))
            points.append(LatencyDistribution.Percentile(share, try self.time("milliseconds", &point)))
            try point.finish()
        }
        let isSorted = zip(points, points.dropFirst()).allSatisfy {
            $0.share < $1.share && $0.milliseconds <= $1.milliseconds
        }
        guard !points.isEmpty, isSorted else {
            throw object.invalid("points", rule: "one or more, rising", value: "\(points.count) points")
        }
        return points
    }
}

extension LatencyDistribution {
    /// The members that it is written with.
    var members: [(String, JSONOutput)] {
        func latency(_ members: [(String, JSONOutput)]) -> [(String, JSONOutput)] { [("latency", .object(members))] }
        switch self {
        case .constant(let value): return [("milliseconds", .decimal(value))]
        case .uniform(let range):
            return latency([
                ("distribution", .string("uniform")), ("minimum", .decimal(range.lowerBound)),
                ("maximum", .decimal(range.upperBound)),
            ])
        case .normal(let mean, let deviation):
            return latency([
                ("distribution", .string("normal")), ("mean", .decimal(mean)), ("deviation", .decimal(deviation)),
            ])
        case .exponential(let mean):
            return latency([("distribution", .string("exponential")), ("mean", .decimal(mean))])
        case .percentiles(let points):
            let list = points.map { point in
                JSONOutput.object([("share", .decimal(point.share)), ("milliseconds", .decimal(point.milliseconds))])
            }
            return latency([("distribution", .string("percentiles")), ("points", .array(list))])
        }
    }
}
