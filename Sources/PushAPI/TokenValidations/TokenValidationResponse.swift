// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// A token validation, as returned by the API.
struct TokenValidationResponse: Encodable {
    let id: CampaignID
    let app: String
    let name: String
    let createdAt: Date
    let startAt: Date
    let expiresAt: Date?
    let audience: JSONValue
    let durationSeconds: Int
    let fixEnvironment: Bool
    let state: String
    let reason: String?
    let phase: String
    let total: Int?
    let remaining: Int?

    /// Recent outcomes per second; `nil` if unknown.
    let ratePerSecond: Double?

    let blockedBy: [OpenCircuitResponse]?

    /// The end of the wait if all remaining targets of the current phase wait; otherwise `nil`.
    let deferredUntil: Date?

    let isCompleted: Bool
    let report: ReportResponse

    init(
        _ status: CampaignStatus,
        _ validation: TokenValidation,
        ratePerSecond: Double? = nil,
        blockedBy pauses: [OpenCircuit] = [],
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
        self.durationSeconds = validation.durationSeconds
        self.fixEnvironment = validation.fixesEnvironment
        self.state = status.lifecycle.state.name
        self.reason = if case .failed(let reason) = status.lifecycle.state { reason } else { nil }
        self.phase =
            switch status.lifecycle.plan?.recheck?.phase {
            case nil, .checking: "checking"
            case .checkingOtherEnvironment, .settling: "checking_other_environment"
            case .fixing: "fixing"
            case .completed: "completed"
            }
        self.total = status.lifecycle.plan?.expected
        self.remaining = status.remaining
        self.ratePerSecond = ratePerSecond.map { ($0 * 10).rounded() / 10 }
        self.blockedBy = pauses.isEmpty ? nil : pauses.map { OpenCircuitResponse($0) }
        self.deferredUntil = deferredUntil
        self.isCompleted = status.isCompleted
        self.report = ReportResponse(TokenValidationReport(status))
    }
}

/// A page of token validations, as returned by the API.
struct TokenValidationListResponse: Encodable {
    let tokenValidations: [TokenValidationResponse]
    let nextCursor: String?
}
