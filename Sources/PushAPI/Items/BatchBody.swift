// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// How far the notifications of a ``BatchRequest`` have come, as it is written.
struct BatchBody: Encodable {
    let notification: NotificationBody

    /// The ids under which APNs knows them, in the order of the request.
    let apnsIDs: [APNsID]

    private enum Key: String, CodingKey {
        case apnsIDs
    }

    func encode(to encoder: any Encoder) throws {
        try self.notification.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.apnsIDs, forKey: .apnsIDs)
    }
}

extension BatchRequest {
    /// The `apns-id` of each notification once it is planned, in the order of the request.
    func apnsIDs(_ plan: NotificationPlan) -> [APNsID] {
        self.places.map { plan.batches[$0.ordinal].id.apnsID(at: $0.index) }
    }

    /// What became of each notification, in the order of the request.
    func outcomes(_ plan: NotificationPlan, _ known: [BatchID: BatchOutcomes]) -> [OutcomeBody] {
        zip(self.places, self.names).enumerated().map { index, element in
            let (place, name) = element
            let batch = plan.batches[place.ordinal]
            return OutcomeBody(
                index: index,
                id: name.isEmpty ? nil : Self.text(of: name),
                apnsID: batch.id.apnsID(at: place.index),
                recipient: Recipient(target: batch.targets[place.index]),
                outcome: known[batch.id]?.outcome(at: place.index)
            )
        }
    }

    private static func text(of name: ArraySlice<UInt8>) -> String? {
        let quote = [UInt8(ascii: "\"")]
        guard case .string(let text)? = try? JSONValue(json: quote + name + quote) else { return nil }
        return text
    }
}
