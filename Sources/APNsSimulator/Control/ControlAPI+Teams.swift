// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

/// Which apps belong to which team.
extension ControlAPI {
    func listTeams() -> JSONOutput {
        let teams = self.simulator.bundleIDs.sorted { $0.key < $1.key }
        return .object([("teams", .array(teams.map { Self.output(team: $0.key, bundleIDs: $0.value) }))])
    }

    func setTeam(_ request: Request, _ context: Context) async throws -> Response {
        let team = try context.identifier("teamID")
        var object = try await Self.body(request)
        let bundleIDs = try object.require("bundleIDs", try object.strings("bundleIDs"))
        try object.finish()
        for bundleID in bundleIDs { try Self.check(bundleID, field: "bundleIDs") }
        self.simulator.setBundleIDs(Set(bundleIDs), ofTeam: team)
        return Self.json(Self.output(team: team, bundleIDs: Set(bundleIDs).sorted()))
    }

    func forgetTeam(_ request: Request, _ context: Context) async throws -> Response {
        let team = try context.identifier("teamID")
        guard self.simulator.forgetBundleIDs(ofTeam: team) else {
            throw ControlProblem.notFound("team \(team.prefix(20)) whose apps are known")
        }
        return Self.noContent()
    }

    private static func output(team: String, bundleIDs: [String]) -> JSONOutput {
        .object([("teamID", .string(team)), ("bundleIDs", .array(bundleIDs.map { .string($0) }))])
    }
}
