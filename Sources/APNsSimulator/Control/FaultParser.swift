// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session

/// A fault in JSON.
enum FaultParser {
    /// A script, or a single fault, which is a script of one step.
    static func script(_ object: consuming JSONRequestBody) throws(ControlProblem) -> FaultScript {
        guard object.has("steps") else {
            var fault = try self.fault(object)
            fault.seed = fault.seed ?? 0
            return FaultScript(steps: [fault])
        }
        let name = try object.string("name") ?? ""
        let seed = UInt64(try object.integer("seed", in: 0...Int.max) ?? 0)
        var steps: [SimulatorFault] = []
        for step in try object.objects("steps") ?? [] { steps.append(try self.fault(step)) }
        try object.finish()
        guard !steps.isEmpty else { throw object.invalid("steps", rule: "at least one fault", value: "none") }
        return FaultScript(name: name, seed: seed, steps: steps)
    }

    static func fault(_ object: consuming JSONRequestBody) throws(ControlProblem) -> SimulatorFault {
        let action = try Self.action(&object)
        var match = SimulatorFault.Match()
        if var conditions = try object.object("match") {
            match = try self.match(&conditions)
        }
        let from = try object.number("from", in: 0...1e9) ?? 0
        let until = try object.number("until", in: 0...1e9)
        if let until, until <= from {
            throw object.invalid("until", rule: "a number greater than from, \(from)", value: "\(until)")
        }
        let fault = SimulatorFault(
            action,
            match: match,
            window: SimulatorFault.Window(from: from, until: until),
            skip: try object.integer("skip", in: 0...Int(Int32.max)) ?? 0,
            count: try object.integer("count", in: 1...Int(Int32.max)),
            rate: try object.number("rate", in: 0...1) ?? 1,
            seed: try object.integer("seed", in: 0...Int.max).map(UInt64.init),
            deliversFirst: try object.bool("deliversFirst") ?? false
        )
        try object.finish()
        try self.check(fault, in: object)
        return fault
    }

    private static func match(_ conditions: inout JSONRequestBody) throws(ControlProblem) -> SimulatorFault.Match {
        let match = SimulatorFault.Match(
            token: try conditions.string("token"),
            bundleID: try conditions.string("bundleID")
        )
        try conditions.finish()
        if let token = match.token, (try? DeviceToken(hex: token)) == nil {
            throw conditions.invalid("token", rule: "a device token in hexadecimal", value: String(token.prefix(8)))
        }
        if let bundleID = match.bundleID, (try? Topic(bundleID)) == nil {
            let rule = "1...255 letters, digits, dots, dashes and underscores"
            throw conditions.invalid("bundleID", rule: rule, value: String(bundleID.prefix(40)))
        }
        return match
    }

    /// Rejects members that the action ignores: with a misplaced filter, the fault would match all requests, or none.
    private static func check(_ fault: SimulatorFault, in object: JSONRequestBody) throws(ControlProblem) {
        let looksAtRequests = fault.occasion == .request
        for (name, value) in [("token", fault.match.token), ("bundleID", fault.match.bundleID)] where value != nil {
            guard looksAtRequests else {
                let rule = "absent, because this action matches connections"
                throw object.invalid("match.\(name)", rule: rule, value: "one")
            }
        }
        if fault.deliversFirst, !fault.mayDeliver {
            let rule = "false, because this action never delivers"
            throw object.invalid("deliversFirst", rule: rule, value: "true")
        }
        guard fault.occasion == .listening else { return }
        let rule = "absent, because a closed port has no connections"
        if let count = fault.count { throw object.invalid("count", rule: rule, value: "\(count)") }
        if fault.skip > 0 { throw object.invalid("skip", rule: rule, value: "\(fault.skip)") }
        if fault.rate < 1 { throw object.invalid("rate", rule: rule, value: "\(fault.rate)") }
    }

    private static func action(_ object: inout JSONRequestBody) throws(ControlProblem) -> SimulatorFault.Action {
        let name = try object.require("action", try object.string("action"))
        switch name {
        case "reject": return try self.reject(&object)
        case "delay":
            let latency = try LatencyParser.read(&object)
            // Cannot trap: `LatencyParser` takes one hour at most.
            if case .constant(let milliseconds) = latency { return .delay(.microseconds(Int64(milliseconds * 1000))) }
            return .latency(latency)
        case "hold": return .hold
        case "goAway":
            let lastStreamID = try object.integer("lastStreamID", in: 0...Int(Int32.max)).map { Int32($0) }
            let reason = try self.goAwayReason(&object)
            return .goAway(reason: reason, code: try self.code(&object) ?? .noError, lastStreamID: lastStreamID)
        case "settings": return .settings(try self.settings(&object))
        case "reset": return .reset(try self.code(&object) ?? .refusedStream)
        case "drop": return .drop
        case "silence": return .silence
        case "unreachable": return .unreachable
        default:
            if let fault = try self.connection(name, &object) { return .connection(fault) }
            throw object.invalid("action", rule: "one of \(Self.names)", value: String(name.prefix(20)))
        }
    }

    private static let names =
        "reject, delay, hold, goAway, settings, reset, drop, silence, unreachable, refuse, slowAccept, tls,"
        + " goAwayFirst, firstSettings, cut, roundTrip, fragments"

    private static func connection(
        _ name: String,
        _ object: inout JSONRequestBody
    ) throws(ControlProblem) -> ConnectionFault? {
        switch name {
        case "refuse": return .refuse
        case "slowAccept": return .slowAccept(try LatencyParser.read(&object))
        case "roundTrip": return .roundTrip(try LatencyParser.read(&object))
        case "tls": return .tls(try object.require("problem", try object.choice("problem", TLSFault.self)))
        case "goAwayFirst":
            let lastStreamID = Int32(try object.integer("lastStreamID", in: 0...Int(Int32.max)) ?? 0)
            let reason = try self.goAwayReason(&object)
            return .goAwayFirst(reason: reason, code: try self.code(&object) ?? .noError, lastStreamID: lastStreamID)
        case "firstSettings": return .settings(try self.settings(&object))
        case "cut":
            let bytes = try object.require("bytes", try object.integer("bytes", in: 0...Int(Int32.max)))
            let direction = try object.choice("direction", ConnectionCut.Direction.self) ?? .output
            let layer = try object.choice("layer", ConnectionCut.Layer.self) ?? .http2
            let resets = try object.bool("resets") ?? false
            return .cut(ConnectionCut(after: bytes, of: direction, layer: layer, resets: resets))
        case "fragments":
            return .fragments(try object.require("bytes", try object.integer("bytes", in: 1...65_536)))
        default: return nil
        }
    }

    private static func reject(_ object: inout JSONRequestBody) throws(ControlProblem) -> SimulatorFault.Action {
        let reason = RejectionReason(rawValue: try object.require("reason", try object.string("reason")))
        guard let status = try object.integer("status", in: 200...599) ?? reason.entry?.status else {
            let rule = "a reason of APNs, or any with a status"
            throw object.invalid("reason", rule: rule, value: String(reason.rawValue.prefix(40)))
        }
        let timestamp = try object.integer("timestamp", in: 0...Int.max).map(Int64.init)
        let rejection = Rejection(status: status, reason: reason, inactiveSince: timestamp)
        let body = ErrorBody(
            text: try object.string("body"),
            size: try object.integer("bodySize", in: 0...1_048_576),
            frameSize: try object.integer("frameSize", in: 1...16_384)
        )
        return body == ErrorBody() ? .reject(rejection) : .garble(rejection, body)
    }

    private static func settings(_ object: inout JSONRequestBody) throws(ControlProblem) -> SettingsOverride {
        let maximum = Int(UInt32.max)
        let change = SettingsOverride(
            maximumConcurrentStreams: try object.integer("maximumConcurrentStreams", in: 0...maximum).map(UInt32.init),
            initialWindowSize: try object.integer("initialWindowSize", in: 0...Int(Int32.max)).map(UInt32.init)
        )
        guard change != SettingsOverride() else {
            return try object.require("maximumConcurrentStreams", nil)
        }
        return change
    }

    /// The GOAWAY reason: an APNs reason, unless the request allows another one.
    private static func goAwayReason(_ object: inout JSONRequestBody) throws(ControlProblem) -> RejectionReason {
        let mayBeUnknown = try object.bool("unknownReason") ?? false
        let reason = RejectionReason(rawValue: try object.string("reason") ?? RejectionReason.shutdown.rawValue)
        guard mayBeUnknown || reason.entry != nil else {
            let rule = "a reason of APNs, or any with unknownReason true"
            throw object.invalid("reason", rule: rule, value: String(reason.rawValue.prefix(40)))
        }
        return reason
    }

    private static func code(_ object: inout JSONRequestBody) throws(ControlProblem) -> HTTP2ErrorCode? {
        try object.integer("code", in: 0...Int(UInt32.max)).map { HTTP2ErrorCode(rawValue: UInt32($0)) }
    }
}

/// A latency in JSON: `milliseconds`, or `latency` with a distribution.
enum LatencyParser {
    private static let milliseconds = 0...3_600_000.0

    static func read(_ object: inout JSONRequestBody) throws(ControlProblem) -> LatencyDistribution {
        guard var latency = try object.object("latency") else {
            let constant = try object.number("milliseconds", in: Self.milliseconds)
            return .constant(try object.require("milliseconds", constant))
        }
        let distribution = try self.distribution(&latency)
        try latency.finish()
        return distribution
    }

    private static func distribution(_ object: inout JSONRequestBody) throws(ControlProblem) -> LatencyDistribution {
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

    private static func time(_ name: String, _ object: inout JSONRequestBody) throws(ControlProblem) -> Double {
        try object.require(name, try object.number(name, in: Self.milliseconds))
    }

    private static func percentiles(
        _ object: inout JSONRequestBody
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
