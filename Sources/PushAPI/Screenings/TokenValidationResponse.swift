// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// A screening, as returned by the API.
struct TokenValidationResponse: Encodable {
    let id: CampaignID
    let app: String
    let name: String
    let createdAt: Date
    let startAt: Date
    let expiresAt: Date?
    let audience: JSONValue
    let spreadSeconds: Int
    let correct: Bool
    let state: String
    let reason: String?
    let phase: String
    let expected: Int?
    let remaining: Int?

    /// Recent outcomes per second; `nil` if unknown.
    let perSecond: Double?

    let waitingFor: [OpenCircuitResponse]?

    /// The end of the wait if all remaining targets of the current phase wait; otherwise `nil`.
    let deferredUntil: Date?

    let isSettled: Bool
    let report: ReportResponse

    init(
        _ status: CampaignStatus,
        _ screening: TokenValidation,
        perSecond: Double? = nil,
        waitingFor pauses: [OpenCircuit] = [],
        deferredUntil: Date? = nil
    ) {
        let campaign = status.campaign
        self.id = campaign.id
        self.app = campaign.app.rawValue
        self.name = campaign.name
        self.createdAt = campaign.createdAt
        self.startAt = campaign.planningTime
        self.expiresAt = campaign.expiresAt
        self.audience = campaign.audience.json
        self.spreadSeconds = screening.spreadSeconds
        self.correct = screening.correctsDevices
        self.state = status.lifecycle.state.name
        self.reason = if case .failed(let reason) = status.lifecycle.state { reason } else { nil }
        self.phase =
            switch status.lifecycle.plan?.recheck?.phase {
            case nil, .checking: "checking"
            case .rechecking, .settling: "rechecking"
            case .correcting: "correcting"
            case .done: "done"
            }
        self.expected = status.lifecycle.plan?.expected
        self.remaining = status.remaining
        self.perSecond = perSecond.map { ($0 * 10).rounded() / 10 }
        self.waitingFor = pauses.isEmpty ? nil : pauses.map { OpenCircuitResponse($0) }
        self.deferredUntil = deferredUntil
        self.isSettled = status.isSettled
        self.report = ReportResponse(TokenValidationReport(status))
    }
}

/// A page of screenings, as returned by the API.
struct TokenValidationListResponse: Encodable {
    let screenings: [TokenValidationResponse]
    let next: String?
}
