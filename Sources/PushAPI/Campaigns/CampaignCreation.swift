// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// How a campaign or a screening is created: once for each request that its caller named.
struct CampaignCreation: Sendable {
    /// A campaign that is asked for, and the answer once it is stored.
    struct Draft: Sendable {
        let campaign: Campaign
        let answer: IdempotencyRecord.Answer

        /// - Parameters:
        ///   - campaign: the campaign.
        ///   - path: the path below which such campaigns are found.
        ///   - body: how it is written.
        /// - Throws: what encoding throws.
        init(_ campaign: Campaign, under path: String, _ body: (CampaignStatus) throws -> some Encodable) throws {
            let status = CampaignStatus(
                campaign: campaign,
                lifecycle: CampaignLifecycle(campaign),
                counts: OutcomeCounts()
            )
            self.campaign = campaign
            self.answer = try IdempotencyRecord.Answer(
                try body(status),
                status: .created,
                location: "\(path)/\(campaign.id)"
            )
        }
    }

    let store: any PushStore

    /// Creates what is asked for, or answers what the request was answered before.
    ///
    /// - Parameters:
    ///   - call: the request.
    ///   - body: its body.
    ///   - draft: reads what is asked for; is not called for a repetition, whose times may have passed by now.
    /// - Returns: 201.
    /// - Throws: ``Problem``, and what the store and `draft` throw.
    func once(_ call: APICall, body: [UInt8], _ draft: () async throws -> Draft) async throws -> Response {
        let once = try OnceOnly(call, body: body, store: self.store)
        if let once, let record = try await once.earlier() { return Response(record.answer, isReplayed: true) }
        let draft = try await draft()
        let campaign = draft.campaign
        let record = once?.record(of: campaign.id.notification, answer: draft.answer, createdAt: campaign.createdAt)
        do {
            try await self.store.createCampaign(campaign, noting: record)
        } catch let error as StoreError where error.code == .conflict {
            // The same request came a second time while this one was on its way.
            guard let once, let record = try await once.earlier() else { throw error }
            return Response(record.answer, isReplayed: true)
        }
        return Response(draft.answer)
    }
}
