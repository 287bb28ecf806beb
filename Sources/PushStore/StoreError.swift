// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

/// Why a store did not do what it was asked.
public struct StoreError: Error, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The store cannot be reached or opened, or was closed. Trying again later may help.
        case unavailable

        /// Another process kept the store locked for longer than the store waits. Trying again helps.
        case locked

        /// The store may be read but not written.
        case readOnly

        /// There is no room left. What was to be stored is not stored.
        case full

        /// What is stored is damaged, was written by a newer version, or is not this program's.
        case corrupt

        /// What the call refers to does not exist.
        case notFound

        /// Something of that name exists already.
        case conflict

        /// The lease belongs to another worker by now; what the worker wanted to settle was not settled.
        case leaseLost

        /// The call itself breaks a rule.
        case invalid
    }

    /// The kind of failure, for callers that switch on it.
    public let code: Code

    /// What happened, with the values involved, and how to fix it; holds no secret and no whole token.
    public let message: String

    /// The failure beneath, where there is one.
    public let cause: (any Error)?

    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Whether the same call may succeed later without anyone changing it.
    public var isTransient: Bool {
        switch self.code {
        case .unavailable, .locked, .full: true
        case .readOnly, .corrupt, .notFound, .conflict, .leaseLost, .invalid: false
        }
    }

    public var description: String { "\(self.code.rawValue): \(self.message)" }
}

extension StoreError {
    /// Something that cannot have been written by this program.
    package static func damaged(_ what: String) -> StoreError {
        StoreError(code: .corrupt, message: "The stored \(what) cannot be read. Restore the database from a backup.")
    }

    /// What a worker is told that went on with a batch after its lease was gone.
    package static func leaseLost(batch: BatchID, worker: WorkerID) -> StoreError {
        StoreError(
            code: .leaseLost,
            message: "Worker '\(worker)' does not hold the lease of batch \(batch) (any more): its lease lapsed and "
                + "another worker went on, or the batch was called off or removed. Stop sending it."
        )
    }

    /// What a planner is told that went on with a campaign after its lease was gone.
    package static func leaseLost(campaign: CampaignID, planner: WorkerID) -> StoreError {
        StoreError(
            code: .leaseLost,
            message:
                "Planner '\(planner)' does not hold the lease of campaign \(campaign) (any more): another one went "
                + "on, or the campaign was paused, ended or removed. Stop planning it."
        )
    }

    /// What a planner is told that went on with a rollout after its lease was gone.
    package static func leaseLost(rollout: RolloutID, planner: WorkerID) -> StoreError {
        StoreError(
            code: .leaseLost,
            message:
                "Planner '\(planner)' does not hold the lease of rollout \(rollout) (any more): another one went on, or "
                + "the rollout has ended, or its activity was removed. Stop going on with it."
        )
    }

    /// What a worker is told that went on with a webhook after its lease was gone.
    package static func leaseLost(_ settlement: WebhookSettlement) -> StoreError {
        StoreError(
            code: .leaseLost,
            message:
                "Worker '\(settlement.worker)' does not hold the lease of webhook '\(settlement.webhook)' (any more): "
                + "it lapsed and another worker went on, or the webhook was removed. Stop posting for it."
        )
    }

    /// What a caller is told whose chunk does not begin where its stream ends.
    package static func notNext(_ chunk: StreamChunk, accepted: Int) -> StoreError {
        StoreError(
            code: .conflict,
            message: "Stream '\(chunk.stream)' has come to line \(accepted); lines \(chunk.lines) do not follow."
        )
    }

    /// What a call is told that refers to an app that does not exist.
    package static func noApp(_ app: AppID) -> StoreError {
        StoreError(code: .notFound, message: "There is no app '\(app)'. Create it first.")
    }

    /// What a call is told that adds something whose name is taken.
    package static func taken(_ what: String) -> StoreError {
        StoreError(code: .conflict, message: "There is \(what) already.")
    }
}
