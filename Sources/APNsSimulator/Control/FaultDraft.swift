// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session

/// A fault as it is written in JSON.
enum FaultDraft {
    /// A script, or a single fault, which is a script of one step.
    static func script(_ object: consuming RequestObject) throws(ControlProblem) -> FaultScript {
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
        return FaultScript(name: name, seed: seed, steps: steps)
    }

    static func fault(_ object: consuming RequestObject) throws(ControlProblem) -> SimulatorFault {
        let action = try Self.action(&object)
        var match = SimulatorFault.Match()
        if var conditions = try object.object("match") {
            match.token = try conditions.string("token")
            match.bundleID = try conditions.string("bundleID")
            try conditions.finish()
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
        return fault
    }

    private static func action(_ object: inout RequestObject) throws(ControlProblem) -> SimulatorFault.Action {
        let name = try object.require("action", try object.string("action"))
        switch name {
        case "reject": return try self.reject(&object)
        case "delay":
            let latency = try LatencyDraft.read(&object)
            if case .constant(let milliseconds) = latency { return .delay(.microseconds(Int64(milliseconds * 1000))) }
            return .latency(latency)
        case "goAway":
            let lastStreamID = try object.integer("lastStreamID", in: 0...Int(Int32.max)).map { Int32($0) }
            let reason = RejectionReason(rawValue: try object.string("reason") ?? "Shutdown")
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
        "reject, delay, goAway, settings, reset, drop, silence, unreachable, refuse, slowAccept, tls, goAwayFirst,"
        + " firstSettings, cut, roundTrip, fragments"

    private static func connection(
        _ name: String,
        _ object: inout RequestObject
    ) throws(ControlProblem) -> ConnectionFault? {
        switch name {
        case "refuse": return .refuse
        case "slowAccept": return .slowAccept(try LatencyDraft.read(&object))
        case "roundTrip": return .roundTrip(try LatencyDraft.read(&object))
        case "tls": return .tls(try object.require("problem", try object.choice("problem", TLSFault.self)))
        case "goAwayFirst":
            let lastStreamID = Int32(try object.integer("lastStreamID", in: 0...Int(Int32.max)) ?? 0)
            let reason = RejectionReason(rawValue: try object.string("reason") ?? "Shutdown")
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

    private static func reject(_ object: inout RequestObject) throws(ControlProblem) -> SimulatorFault.Action {
        let reason = RejectionReason(rawValue: try object.require("reason", try object.string("reason")))
        let status = try object.integer("status", in: 100...599) ?? reason.entry?.status ?? 400
        guard status >= 200 else {
            throw object.invalid("status", rule: "an integer of 200...599", value: "\(status)")
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

    private static func settings(_ object: inout RequestObject) throws(ControlProblem) -> SettingsChange {
        let maximum = Int(UInt32.max)
        return SettingsChange(
            maximumConcurrentStreams: try object.integer("maximumConcurrentStreams", in: 0...maximum).map(UInt32.init),
            initialWindowSize: try object.integer("initialWindowSize", in: 0...Int(Int32.max)).map(UInt32.init)
        )
    }

    private static func code(_ object: inout RequestObject) throws(ControlProblem) -> HTTP2ErrorCode? {
        try object.integer("code", in: 0...Int(UInt32.max)).map { HTTP2ErrorCode(rawValue: UInt32($0)) }
    }
}
