// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What apps ask for, held against the types that they have.
extension World {
    /// Starts an activity that an app asks for.
    mutating func startActivity(
        _ request: ActivityRequest,
        on device: DeviceIndex,
        now: Double
    ) throws -> LiveActivity {
        try self.checkContent(
            request.contentState,
            attributes: request.attributes,
            type: request.attributesType,
            bundleID: request.bundleID,
            now: now
        )
        let id = ActivityID.random()
        let channels = self.channels
        let environment = self.environment(of: device)
        let effects = try self.activities.request(
            request,
            id: id,
            host: self.activityHost(device, request.bundleID),
            switches: self.switches.activities,
            now: now
        ) { channel in
            channels.contains(ChannelKey(bundleID: request.bundleID, environment: environment, id: channel))
        }
        self.perform(effects, now: now)
        guard let record = self.activities[id] else {
            throw APNsSimulatorError(code: .unknownActivity, message: "there is no activity \(id)")
        }
        return LiveActivity(record)
    }

    /// Checks content that an app gives its activity.
    func checkContent(
        _ contentState: JSONValue,
        of record: ActivityRecord,
        now: Double
    ) throws(ValidationFailure) {
        try self.checkContent(
            contentState,
            attributes: nil,
            type: record.attributesType,
            bundleID: record.bundleID,
            now: now
        )
    }

    /// A type has a name, and is one of those that the app has registered, where it has registered any.
    func checkType(_ name: String, of bundleID: String) throws(ValidationFailure) {
        guard !name.isEmpty else {
            throw ValidationFailure(field: "attributesType", rule: "the name of a type", value: "nothing")
        }
        let types = self.activities.types(of: bundleID)
        guard !types.isEmpty, self.activities.type(name, of: bundleID) == nil else { return }
        let names = types.map(\.name).joined(separator: ", ")
        throw ValidationFailure(field: "attributesType", rule: "one of \(names)", value: String(name.prefix(80)))
    }

    /// An app has values of its types only; a test that makes it use others is told.
    private func checkContent(
        _ contentState: JSONValue,
        attributes: JSONValue?,
        type name: String,
        bundleID: String,
        now: Double
    ) throws(ValidationFailure) {
        try self.checkType(name, of: bundleID)
        guard let type = self.activities.type(name, of: bundleID) else { return }
        do throws(AttributesShape.Mismatch) {
            if let attributes { try type.attributes.decode(attributes, path: "attributes", now: now) }
            try type.contentState.decode(contentState, path: "contentState", now: now)
        } catch {
            throw ValidationFailure(field: error.path, rule: error.expected, value: error.found)
        }
    }
}
