// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The state of the delivery of an app: `/v1/apps/{app}/delivery`.
struct DeliveryRoutes: APIRoutes {
    let store: any AppStore & OpenCircuitStore & NotificationStore

    /// Knows the delivery in this process; `nil` where there is none.
    let inspector: (any DeliveryStatusProvider)?
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        [APIRoute(.get, "/v1/apps/{app}/delivery", .scopes([.read]), self.show)]
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        let open = try await self.store.openBatches(of: app.id)
        let now = self.now()
        let pauses = try await self.store.pauses(of: app.id, now: now)
        return try .json(
            DeliveryResponse(
                app: app.id.rawValue,
                isDelivering: self.inspector != nil,
                circuits: self.inspector?.circuits(of: app.id).map { DeliveryCircuitResponse($0, open, now: now) }
                    ?? [],
                openCircuits: pauses.map { OpenCircuitQueuesResponse($0, open, now: now) },
                queues: QueueStatusResponse.all(open, now: now)
            )
        )
    }
}

/// The state of an app's delivery, as returned by the API.
struct DeliveryResponse: Encodable {
    let app: String

    /// Whether this process delivers at all.
    let isDelivering: Bool
    let circuits: [DeliveryCircuitResponse]

    /// The open circuits of all delivering processes.
    let openCircuits: [OpenCircuitQueuesResponse]
    let queues: [QueueStatusResponse]
}

/// The state of one circuit, as returned by the API.
struct DeliveryCircuitResponse: Encodable {
    let environment: APNsEnvironment
    let credential: String
    let state: String
    let cause: String?
    let reason: String?
    let since: Date?
    let nextProbeAt: Date?
    let queues: [QueueStatusResponse]

    init(_ line: DeliveryCircuit, _ open: [OpenBatchCount], now: Date) {
        self.environment = line.environment
        self.credential = line.credential.rawValue
        self.state = line.state
        self.cause = line.trouble?.cause
        self.reason = line.trouble?.reason
        self.since = line.trouble?.since
        self.nextProbeAt = line.nextProbeAt
        self.queues = QueueStatusResponse.all(open.filter { line.kinds.contains($0.kind) }, now: now)
    }
}

/// An open circuit and its queued batches, as returned by the API.
struct OpenCircuitQueuesResponse: Encodable {
    let pause: OpenCircuitResponse
    let queues: [QueueStatusResponse]

    private enum CodingKeys: String, CodingKey {
        case queues
    }

    init(_ pause: OpenCircuit, _ open: [OpenBatchCount], now: Date) {
        self.pause = OpenCircuitResponse(pause)
        self.queues = QueueStatusResponse.all(open.filter { pause.holdsUp($0.kind, now: now) }, now: now)
    }

    func encode(to encoder: any Encoder) throws {
        try self.pause.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.queues, forKey: .queues)
    }
}

/// The queued and claimed batches of a lane, as returned by the API.
struct QueueStatusResponse: Encodable {
    let lane: Lane
    let batches: Int
    let oldestAt: Date
    let oldestSeconds: Int

    /// The sums of each lane that has any.
    static func all(_ open: [OpenBatchCount], now: Date) -> [QueueStatusResponse] {
        Lane.allCases.compactMap { lane in
            let own = open.filter { $0.lane == lane }
            guard let oldest = own.map(\.oldest).min() else { return nil }
            return QueueStatusResponse(
                lane: lane,
                batches: own.reduce(0) { $0 + $1.count },
                oldestAt: oldest,
                oldestSeconds: max(0, Int(exactly: now.timeIntervalSince(oldest).rounded(.towardZero)) ?? 0)
            )
        }
    }
}

/// An open circuit of a delivering process, as returned by the API.
struct OpenCircuitResponse: Encodable {
    let environment: APNsEnvironment
    let credential: String
    let cause: String
    let reason: String
    let since: Date
    let nextProbeAt: Date

    init(_ pause: OpenCircuit) {
        self.environment = pause.line.environment
        self.credential = pause.line.credential.rawValue
        self.cause = pause.cause
        self.reason = pause.reason
        self.since = pause.since
        self.nextProbeAt = pause.nextProbeAt
    }
}
