// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension DeliveryPause {
    /// Reads the columns of the table `delivery_pauses`, with `app_id`.
    package init(stored row: some StoredRow) throws {
        let types = try row.string("push_types").split(separator: " ").map { PushType(rawValue: String($0)) }
        self.init(
            line: Line(
                app: try row.identifier("app_id"),
                environment: APNsEnvironment(stored: try row.number("environment")),
                credential: try row.identifier("credential")
            ),
            pushTypes: Set(types),
            cause: try row.string("cause"),
            reason: try row.string("reason"),
            since: try row.date("since"),
            nextAttempt: try row.date("next_attempt")
        )
    }

    /// What the column `push_types` holds.
    package var storedPushTypes: String { self.pushTypes.map(\.rawValue).sorted().joined(separator: " ") }

    /// Those of some pauses that batches of these kinds wait for, sorted by environment and credential.
    package static func holding(up kinds: [BatchKind], among pauses: [DeliveryPause], now: Date) -> [DeliveryPause] {
        self.sorted(pauses.filter { pause in kinds.contains { pause.holdsUp($0, now: now) } })
    }

    /// Those of some pauses that count at a time, sorted by environment and credential.
    package static func counting(_ pauses: [DeliveryPause], now: Date) -> [DeliveryPause] {
        self.sorted(pauses.filter { $0.counts(now: now) })
    }

    private static func sorted(_ pauses: [DeliveryPause]) -> [DeliveryPause] {
        pauses.sorted {
            ($0.line.environment.rawValue, $0.line.credential.rawValue)
                < ($1.line.environment.rawValue, $1.line.credential.rawValue)
        }
    }
}
