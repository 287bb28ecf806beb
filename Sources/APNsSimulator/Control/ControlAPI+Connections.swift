// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

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

    /// What GOAWAY is to say, where it is to be said.
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
