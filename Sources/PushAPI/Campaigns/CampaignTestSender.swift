// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// Sends a campaign's message to a few devices, as an ordinary notification.
struct CampaignTestSender: Sendable {
    let store: any AudienceStore & DeviceStore & NotificationStore
    let sending: SendRequestHandler

    /// Sends the message of the campaign to each recipient, once for each idempotency key.
    ///
    /// - Returns: 202, or 200 if it waited until every target had its outcome, or the stored response of an earlier
    ///   execution.
    /// - Throws: ``Problem``, and the errors of the store.
    func once(
        _ call: AuthorizedRequest,
        body: [UInt8],
        of campaign: Campaign,
        now: () -> Date
    ) async throws -> Response {
        try await self.sending.once(call, body: body) {
            let people = try await self.people(try CampaignTestRequest(body), app: campaign.app)
            let plan = try Self.plan(campaign, for: people, now: now())
            return SendRequestHandler.Work(plan: plan) { status in
                var body = NotificationResponse(status)
                body.skipped = people.skipped
                return body
            } settled: { standing in
                try await self.settled(standing, plan, people)
            }
        }
    }

    /// Who is sent to, and who is not.
    private struct People {
        /// The recipients with their paths in the request, and the values for their messages.
        var members: [(path: FieldPath, name: String, member: AudienceDevice)] = []

        /// Who is sent to, by the names of the request, and who cannot be.
        var recipients = Recipients()

        var skipped: SkippedResponse? { SkippedResponse(self.recipients) }
    }

    /// Creates the notification with the campaign's message to each recipient.
    ///
    /// - Throws: ``Problem`` `.noReachableTargets` if no recipient has a valid token; `.invalidRequest` with an error for
    ///   each recipient whose payload cannot be rendered.
    private static func plan(_ campaign: Campaign, for people: People, now: Date) throws -> BatchedNotification {
        guard !people.members.isEmpty else {
            throw Problem(.noReachableTargets, "No device of those that the request names can be reached.")
        }
        var faults = ValidationErrors()
        for (path, name, member) in people.members {
            guard let failure = campaign.message.compose([member]).first?.failure else { continue }
            let rule = "a recipient that the message can be rendered for"
            faults.add(path, expected: rule, got: "\(failure.rawValue) for '\(name)'")
        }
        try faults.check()
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        let headers = try campaign.message.headers(for: campaign.app, sentAt: now)
        return BatchedNotification(
            app: campaign.app,
            parts: campaign.message.compose(people.members.map(\.member)).map { part in
                BatchedNotification.Part(lane: .urgent, headers: headers, payload: part.payload, targets: part.targets)
            },
            now: now
        )
    }

    /// The answer to a caller who waited: every outcome of a small test, the first failures of others.
    private func settled(
        _ standing: SettlementWaiter.Standing,
        _ plan: BatchedNotification,
        _ people: People
    ) async throws -> NotificationResponse {
        var body: NotificationResponse
        if let announcement = standing.announcement {
            body = NotificationResponse(standing.status)
            body.outcomes = Self.outcomes(plan, [announcement.batch.id: announcement.outcomes], people)
        } else if plan.notification.targetCount <= PageRequest.limits.upperBound {
            body = NotificationResponse(standing.status)
            body.outcomes = Self.outcomes(plan, try await self.store.outcomes(of: plan.batches.map(\.id)), people)
        } else {
            body = try await self.sending.outcomes(standing.status)
        }
        body.skipped = people.skipped
        return body
    }

    /// Returns the outcome of each recipient, in the order of the notification, which groups recipients by payload.
    private static func outcomes(
        _ plan: BatchedNotification,
        _ known: [BatchID: BatchOutcomes],
        _ people: People
    ) -> [OutcomeResponse] {
        let recipients = Dictionary(people.recipients.elements.map { ($0.target, $0) }) { first, _ in first }
        var bodies: [OutcomeResponse] = []
        for batch in plan.batches {
            for place in 0..<batch.targets.count {
                let target = batch.targets[place]
                let body = OutcomeResponse(
                    index: bodies.count,
                    apnsID: batch.id.apnsID(at: place),
                    recipient: recipients[target] ?? Recipient(target: target),
                    outcome: known[batch.id]?.outcome(at: place)
                )
                bodies.append(body)
            }
        }
        return bodies
    }

    private func people(_ request: CampaignTestRequest, app: AppID) async throws -> People {
        var people = People()
        for (index, installation) in request.devices.enumerated() {
            guard let device = try await self.store.device(installation, of: app), device.status.isReachable else {
                people.recipients.skippedDevices.append(installation)
                continue
            }
            let member = AudienceDevice(
                place: 0,
                target: device.target,
                details: PersonalizationAttributes(device.profile)
            )
            let path = FieldPath.root.member("devices").element(index)
            people.members.append((path, installation.rawValue, member))
            people.recipients.elements.append(Recipient(target: device.target, device: installation))
        }
        guard !request.users.isEmpty else { return people }
        let members = try await self.store.members(
            of: .users(request.users),
            app: app,
            in: AudienceRange(),
            limit: Batch.maximumTargets,
            depth: .all
        )
        let list = FieldPath.root.member("users")
        for member in members {
            let user = member.details.userID
            let path = request.users.firstIndex { $0 == user }.map { list.element($0) } ?? list
            people.members.append((path, user?.rawValue ?? "", member))
            people.recipients.elements.append(Recipient(target: member.target, user: user))
        }
        // Asked for on its own: the list above may end before the last user.
        let limit = Batch.maximumTargets
        let reached = Set(try await self.store.devices(of: app, users: request.users, limit: limit).map(\.user))
        people.recipients.skippedUsers = request.users.filter { !reached.contains($0) }
        return people
    }
}

/// The recipients of a campaign's test.
struct CampaignTestRequest: Sendable {
    static let members = ["devices", "users"]

    /// The most devices, or users, of one test.
    static let maximumRecipients = 100

    var devices: [DeviceID]
    var users: [UserID]
}

extension CampaignTestRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var devices: [DeviceID]?
        var users: [UserID]?
        var names: [String] = []
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            names.append(member)
            if member == "devices" {
                devices = try Self.identifiers(&reader, path)
            } else {
                users = try Self.identifiers(&reader, path)
            }
        } finish: { reader in
            if names.count != 1 {
                let got = names.isEmpty ? "none" : "both"
                reader.faults.add(.root, expected: "exactly one of the members 'devices', 'users'", got: got)
            }
            return CampaignTestRequest(devices: devices ?? [], users: users ?? [])
        }
    }

    private static func identifiers<ID: TextIdentifier>(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [ID]? {
        var found: [ID] = []
        let count = try reader.array(path) { reader, index throws(JSONSyntaxError) in
            // The rest is not compared with those before: there may be as many as fit into a body.
            guard index < self.maximumRecipients else { return try reader.skip() }
            let id: ID? = try reader.value(path.element(index), ID.init(validating:))
            if let id, !found.contains(id) { found.append(id) }
        }
        guard let count else { return nil }
        if !(1...self.maximumRecipients).contains(count) {
            reader.faults.add(path, expected: "1 to \(self.maximumRecipients) elements", got: "\(count)")
        }
        return found
    }
}
