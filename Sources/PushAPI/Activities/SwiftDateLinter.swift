// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import JSONSchema
import PushModel
import PushStore

/// Finds dates that devices would show decades late, in content without a schema.
struct SwiftDateLinter: Sendable {
    /// In how many changes of one call something is looked for.
    private static let maximumOrders = 10

    let store: any ActivityStore & ActivityTypeStore
    let now: Date

    /// Returns the warnings for the content of a new activity.
    func warnings(ofNew activity: Activity, type: ActivityType?) -> [ActivityWarningResponse]? {
        guard type?.contentState == nil, let state = activity.lifecycle.contentState else { return nil }
        return self.warnings(self.suspects(in: state, "contentState"), activity.instants)
    }

    /// Returns the warnings for a change.
    func warnings(of change: ActivityChange, to id: ActivityID, app: AppID) async throws -> [ActivityWarningResponse]? {
        let suspects: [SwiftDate.Suspect] =
            switch change.contentState {
            case nil: []
            case .replaced(let state): self.suspects(in: state, "contentState")
            case .patched(let patch): self.suspects(in: patch, "patch")
            }
        guard !suspects.isEmpty, let activity = try await self.store.activity(id, of: app) else { return nil }
        let type = try await self.store.activityType(activity.attributesType, of: app)
        guard type?.contentState == nil else { return nil }
        let moved = change.instants.compactMapValues(\.self)
        return self.warnings(suspects, activity.instants.merging(moved) { _, new in new })
    }

    /// Returns the warnings for many updates, by their indices; checks only the first ones, as a sample.
    func warnings(of orders: [ActivityUpdate], app: AppID) async throws -> [Int: [ActivityWarningResponse]] {
        var found: [Int: [ActivityWarningResponse]] = [:]
        for (place, order) in orders.prefix(Self.maximumOrders).enumerated() {
            found[place] = try await self.warnings(of: order.change, to: order.activity, app: app)
        }
        return found
    }

    private func suspects(in object: RawJSONObject, _ field: String) -> [SwiftDate.Suspect] {
        guard let value = try? JSONValue(json: object.bytes) else { return [] }
        return SwiftDate.suspects(in: value, field: field, now: self.now)
    }

    private func warnings(
        _ suspects: [SwiftDate.Suspect],
        _ instants: [InstantName: Date]
    ) -> [ActivityWarningResponse]? {
        let warnings = suspects.map { suspect in
            let near = instants.filter { $0.value.timeIntervalSince(suspect.meant).magnitude < 60 }.keys.min()
            return ActivityWarningResponse(suspect, instant: near)
        }
        return warnings.isEmpty ? nil : warnings
    }
}
