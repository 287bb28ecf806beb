// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import Hummingbird

/// Faults.
extension ControlAPI {
    /// Arms one fault, or a script of several.
    func injectFaults(_ request: Request, _ context: Context) async throws -> Response {
        let object = try await Self.body(request)
        let isScript = object.has("steps")
        let armed = self.simulator.inject(try FaultParser.script(object))
        await self.simulator.followFaults()
        guard isScript || armed.count != 1 else { return Self.created(armed[0].output) }
        return Self.created(.object([("faults", .array(armed.map(\.output)))]))
    }

    func listFaults() -> JSONOutput {
        .object([("faults", .array(self.simulator.faults.map(\.output)))])
    }

    func clearFaults(_ request: Request, _ context: Context) async throws -> Response {
        self.simulator.clearFaults()
        await self.simulator.followFaults()
        return Self.noContent()
    }

    func removeFault(_ request: Request, _ context: Context) async throws -> Response {
        let text = try context.parameter("id")
        guard let id = Int(text), self.simulator.removeFault(id) else {
            throw ControlProblem.notFound("fault \(text.prefix(20))")
        }
        return Self.noContent()
    }
}

/// Provider connections.
extension ControlAPI {
    func listConnections(_ request: Request, _ context: Context) async throws -> Response {
        let connections = await self.simulator.connections()
        return Self.json(.object([("connections", .array(connections.map(\.output)))]))
    }

    func endConnection(_ request: Request, _ context: Context) async throws -> Response {
        let text = try context.parameter("id")
        let reason = try Self.reason(of: request)
        guard let id = Int(text), self.simulator.endConnection(id, reason: reason) else {
            throw ControlProblem.notFound("connection \(text.prefix(20))")
        }
        return Self.noContent()
    }

    func endConnections(_ request: Request, _ context: Context) async throws -> Response {
        self.simulator.endConnections(reason: try Self.reason(of: request))
        return Self.noContent()
    }

    /// The reason for the GOAWAY, or `nil`.
    private static func reason(of request: Request) throws(ControlProblem) -> RejectionReason? {
        guard let text = try ControlQuery(request)["reason"] else { return nil }
        let reason = RejectionReason(rawValue: text)
        guard reason.entry != nil else {
            let rule = "a reason of APNs, such as Shutdown"
            throw ControlProblem(.invalidValue, field: "reason", rule: rule, value: String(text.prefix(40)))
        }
        return reason
    }
}

extension ProviderConnectionInfo {
    fileprivate var output: JSONOutput {
        var members: [(String, JSONOutput)] = [("id", .integer(self.id))]
        switch self.trust {
        case .none: members.append(("trust", .string("none")))
        case .token(let teamID, let keyID):
            members += [("trust", .string("token")), ("teamID", .string(teamID)), ("keyID", .string(keyID))]
        case .certificate(let bundleID, let topics):
            members += [
                ("trust", .string("certificate")), ("bundleID", .optional(bundleID)),
                ("topics", .array(topics.map { .string($0) })),
            ]
        }
        members += [
            ("remoteAddress", .optional(self.remoteAddress)), ("grantedStreams", .integer(self.grantedStreams)),
            ("openStreams", .integer(self.openStreams)), ("successes", .integer(self.successes)),
            ("errors", .integer(self.errors)), ("badDeviceTokens", .integer(self.badDeviceTokens)),
            ("gone", .integer(self.gone)), ("points", .decimal(self.points)), ("openedAt", .date(self.openedAt)),
            ("activeAt", .date(self.activeAt)),
        ]
        return .object(members)
    }
}

extension ActiveFault {
    /// The fault as the control API shows it: the members that it was injected with, and how far it has come.
    var output: JSONOutput {
        var members: [(String, JSONOutput)] = [("id", .integer(self.id))]
        if !self.script.isEmpty { members.append(("script", .string(self.script))) }
        members += self.fault.action.members
        let match = [("token", self.fault.match.token), ("bundleID", self.fault.match.bundleID)]
        members.append(("match", .object(match.compactMap { name, text in text.map { (name, .string($0)) } })))
        members.append(("from", .decimal(self.fault.window.from)))
        if let until = self.fault.window.until { members.append(("until", .decimal(until))) }
        members.append(("skip", .integer(self.fault.skip)))
        if let count = self.fault.count { members.append(("count", .integer(count))) }
        members += [
            ("rate", .decimal(self.fault.rate)), ("seed", .integer(Int(clamping: self.fault.seed ?? 0))),
            ("deliversFirst", .bool(self.fault.deliversFirst)), ("matched", .integer(self.matched)),
            ("struck", .integer(self.struck)),
        ]
        return .object(members)
    }
}

extension SimulatorFault.Action {
    fileprivate var members: [(String, JSONOutput)] {
        switch self {
        case .reject(let rejection): Self.reject(rejection, ErrorBody())
        case .garble(let rejection, let body): Self.reject(rejection, body)
        case .delay(let duration):
            [("action", .string("delay")), ("milliseconds", .decimal(duration / .milliseconds(1)))]
        case .latency(let latency): [("action", .string("delay"))] + latency.members
        case .hold: [("action", .string("hold"))]
        case .goAway(let reason, let code, let lastStreamID):
            [
                ("action", .string("goAway")), ("reason", .string(reason.rawValue)),
                ("code", .integer(Int(code.rawValue))),
            ] + reason.unknownMember + (lastStreamID.map { [("lastStreamID", .integer(Int($0)))] } ?? [])
        case .settings(let change): [("action", .string("settings"))] + change.members
        case .reset(let code): [("action", .string("reset")), ("code", .integer(Int(code.rawValue)))]
        case .drop: [("action", .string("drop"))]
        case .silence: [("action", .string("silence"))]
        case .unreachable: [("action", .string("unreachable"))]
        case .connection(let fault): fault.members
        }
    }

    private static func reject(_ rejection: Rejection, _ body: ErrorBody) -> [(String, JSONOutput)] {
        var members: [(String, JSONOutput)] = [
            ("action", .string("reject")), ("status", .integer(rejection.status)),
            ("reason", .string(rejection.reason.rawValue)),
        ]
        if let since = rejection.inactiveSince { members.append(("timestamp", .integer(Int(since)))) }
        if let text = body.text { members.append(("body", .string(text))) }
        if let size = body.size { members.append(("bodySize", .integer(size))) }
        if let size = body.frameSize { members.append(("frameSize", .integer(size))) }
        return members
    }
}

extension RejectionReason {
    /// Says that a reason is meant that APNs does not have.
    fileprivate var unknownMember: [(String, JSONOutput)] {
        self.entry == nil ? [("unknownReason", .bool(true))] : []
    }
}

extension SettingsOverride {
    fileprivate var members: [(String, JSONOutput)] {
        let values = [
            ("maximumConcurrentStreams", self.maximumConcurrentStreams), ("initialWindowSize", self.initialWindowSize),
        ]
        return values.compactMap { name, value in value.map { (name, .integer(Int($0))) } }
    }
}

extension ConnectionFault {
    fileprivate var members: [(String, JSONOutput)] {
        switch self {
        case .refuse: [("action", .string("refuse"))]
        case .slowAccept(let latency): [("action", .string("slowAccept"))] + latency.members
        case .tls(let problem): [("action", .string("tls")), ("problem", .string(problem.rawValue))]
        case .goAwayFirst(let reason, let code, let lastStreamID):
            [
                ("action", .string("goAwayFirst")), ("reason", .string(reason.rawValue)),
                ("code", .integer(Int(code.rawValue))), ("lastStreamID", .integer(Int(lastStreamID))),
            ] + reason.unknownMember
        case .settings(let change): [("action", .string("firstSettings"))] + change.members
        case .cut(let cut):
            [
                ("action", .string("cut")), ("bytes", .integer(cut.bytes)),
                ("direction", .string(cut.direction.rawValue)), ("layer", .string(cut.layer.rawValue)),
                ("resets", .bool(cut.resets)),
            ]
        case .roundTrip(let latency): [("action", .string("roundTrip"))] + latency.members
        case .fragments(let size): [("action", .string("fragments")), ("bytes", .integer(size))]
        }
    }
}
