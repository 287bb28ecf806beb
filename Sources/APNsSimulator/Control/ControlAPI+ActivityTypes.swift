// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

/// Types of Live Activities.
extension ControlAPI {
    func listActivityTypes(_ request: Request, _ context: Context) async throws -> Response {
        let types = self.simulator.activityTypes(of: try context.topic())
        return Self.json(.object([("types", .array(types.map(\.output)))]))
    }

    func registerActivityType(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        let name = try context.parameter("name")
        var object = try await Self.body(request)
        let attributes = try Self.shape("attributes", &object) ?? .empty
        let contentState = try object.require("contentState", try Self.shape("contentState", &object))
        try object.finish()
        let type = ActivityType(name: name, attributes: attributes, contentState: contentState)
        self.simulator.register(type, for: bundleID)
        return Self.json(type.output)
    }

    func removeActivityType(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        let name = try context.parameter("name")
        guard self.simulator.removeActivityType(name, for: bundleID) else {
            throw ControlProblem.notFound("activity type \(name.prefix(80)) of \(bundleID.prefix(80))")
        }
        return Self.noContent()
    }

    private static func shape(
        _ name: String,
        _ object: inout RequestObject
    ) throws(ControlProblem) -> AttributesShape? {
        guard let json = try object.json(name) else { return nil }
        do {
            return try AttributesShape(json: json)
        } catch {
            throw ControlProblem(error, field: error.field.replacingPrefix("shape", with: name))
        }
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
        self.hasPrefix(prefix) ? other + self.dropFirst(prefix.count) : self
    }
}

extension ActivityType {
    /// The type as the control API shows it, and takes it.
    var output: JSONOutput {
        .object([
            ("name", .string(self.name)),
            ("attributes", .json(self.attributes.json)),
            ("contentState", .json(self.contentState.json)),
        ])
    }
}
