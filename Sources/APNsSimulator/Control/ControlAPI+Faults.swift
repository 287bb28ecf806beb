// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import Hummingbird

/// Faults.
extension ControlAPI {
    func injectFault(_ request: Request, _ context: Context) async throws -> Response {
        var object = try await Self.body(request)
        let action = try Self.action(&object)
        var match = SimulatorFault.Match()
        if var conditions = try object.object("match") {
            match.token = try conditions.string("token")
            match.bundleID = try conditions.string("bundleID")
            try conditions.finish()
        }
        let fault = SimulatorFault(
            action,
            match: match,
            count: try object.integer("count", in: 1...Int(Int32.max)),
            rate: try object.number("rate", in: 0...1) ?? 1,
            seed: UInt64(try object.integer("seed", in: 0...Int.max) ?? 0),
            deliversFirst: try object.bool("deliversFirst") ?? false
        )
        try object.finish()
        let id = self.simulator.inject(fault)
        return Self.created(fault.output(id: id, struck: 0))
    }

    func listFaults() -> JSONOutput {
        .object([("faults", .array(self.simulator.faults.map { $0.fault.output(id: $0.id, struck: $0.struck) }))])
    }

    func clearFaults(_ request: Request, _ context: Context) async throws -> Response {
        self.simulator.clearFaults()
        return Self.noContent()
    }

    private static func action(_ object: inout RequestObject) throws(ControlProblem) -> SimulatorFault.Action {
        let name = try object.require("action", try object.string("action"))
        switch name {
        case "reject":
            let reason = try object.require("reason", try object.string("reason"))
            let known = RejectionReason(rawValue: reason)
            let status = try object.integer("status", in: 400...599) ?? known.entry?.status ?? 400
            let timestamp = try object.integer("timestamp", in: 0...Int.max).map(Int64.init)
            return .reject(Rejection(status: status, reason: known, inactiveSince: timestamp))
        case "delay":
            let milliseconds = try object.integer("milliseconds", in: 1...3_600_000)
            return .delay(.milliseconds(try object.require("milliseconds", milliseconds)))
        case "goAway":
            let reason = RejectionReason(rawValue: try object.string("reason") ?? "Shutdown")
            let code = try Self.code(&object) ?? .noError
            let lastStreamID = try object.integer("lastStreamID", in: 0...Int(Int32.max)).map { Int32($0) }
            return .goAway(reason: reason, code: code, lastStreamID: lastStreamID)
        case "reset":
            return .reset(try Self.code(&object) ?? .refusedStream)
        case "drop": return .drop
        case "silence": return .silence
        default:
            let rule = "reject, delay, goAway, reset, drop or silence"
            throw object.invalid("action", rule: rule, value: String(name.prefix(20)))
        }
    }

    private static func code(_ object: inout RequestObject) throws(ControlProblem) -> HTTP2ErrorCode? {
        try object.integer("code", in: 0...Int(UInt32.max)).map { HTTP2ErrorCode(rawValue: UInt32($0)) }
    }
}

extension SimulatorFault {
    /// The fault as the control API shows it: the members that it was injected with.
    func output(id: Int, struck: Int) -> JSONOutput {
        var members: [(String, JSONOutput)] = [("id", .integer(id))]
        switch self.action {
        case .reject(let rejection):
            members += [
                ("action", .string("reject")), ("status", .integer(rejection.status)),
                ("reason", .string(rejection.reason.rawValue)),
            ]
            if let since = rejection.inactiveSince { members.append(("timestamp", .integer(Int(since)))) }
        case .delay(let duration):
            let (seconds, attoseconds) = duration.components
            let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
            members += [("action", .string("delay")), ("milliseconds", .integer(milliseconds))]
        case .goAway(let reason, let code, let lastStreamID):
            members += [
                ("action", .string("goAway")), ("reason", .string(reason.rawValue)),
                ("code", .integer(Int(code.rawValue))),
            ]
            if let lastStreamID { members.append(("lastStreamID", .integer(Int(lastStreamID)))) }
        case .reset(let code):
            members += [("action", .string("reset")), ("code", .integer(Int(code.rawValue)))]
        case .drop: members.append(("action", .string("drop")))
        case .silence: members.append(("action", .string("silence")))
        }
        var match: [(String, JSONOutput)] = []
        if let token = self.match.token { match.append(("token", .string(token))) }
        if let bundleID = self.match.bundleID { match.append(("bundleID", .string(bundleID))) }
        members.append(("match", .object(match)))
        if let count = self.count { members.append(("count", .integer(count))) }
        members += [
            ("rate", .number(self.rate)), ("seed", .integer(Int(clamping: self.seed))),
            ("deliversFirst", .bool(self.deliversFirst)), ("struck", .integer(struck)),
        ]
        return .object(members)
    }
}
