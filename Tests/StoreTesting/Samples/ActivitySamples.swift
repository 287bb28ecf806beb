// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
import JSONSchema
package import PushModel
package import PushStore
import Testing

/// The Live Activities of the tests: lessons that phones show.
package enum ActivitySamples {
    package static let lesson: ActivityID = "lesson 1"
    package static let type: AttributesType = "LessonAttributes"
    package static let alert = LiveActivityAlert(title: "Lesson", body: "It begins", sound: "default")

    /// A lesson that takes an hour from now on.
    package static func activity(
        _ id: ActivityID = lesson,
        state: String? = #"{"status":"active"}"#,
        instants: [InstantName: Date] = ["endsAt": StoreSamples.after(3600)]
    ) throws -> Activity {
        try Activity(
            id: id,
            app: StoreSamples.app,
            attributesType: self.type,
            attributes: JSONFragment(json: #"{"childId":"寿司"}"#),
            contentState: state.map { try JSONFragment(json: $0) },
            startAlert: self.alert,
            instants: instants,
            now: StoreSamples.now
        )
    }

    /// A change to a whole state.
    package static func state(_ state: String, alert: LiveActivityAlert? = nil) throws -> ActivityChange {
        ActivityChange(contentState: .replaced(try JSONFragment(json: state)), alert: alert)
    }

    /// A change of some members.
    package static func patch(_ patch: String, end: ActivityChange.Dismissal? = nil) throws -> ActivityChange {
        ActivityChange(contentState: .patched(try JSONFragment(json: patch)), end: end)
    }

    /// What an app tells of a phone that is named by a number, with the token of that number or another.
    package static func upload(_ number: Int, token: Int? = nil, issued: Double? = nil) throws -> ActivityTokenUpload {
        ActivityTokenUpload(
            installation: self.phone(number),
            token: try StoreSamples.token(token ?? number),
            environment: .production,
            issuedAt: issued.map(StoreSamples.after)
        )
    }

    /// The phone of a number.
    package static func phone(_ number: Int) -> InstallationID { InstallationID(unchecked: "phone \(number)") }

    /// The token with which pushes start lessons on a phone that is named by a number.
    package static func startToken(_ number: Int, token: Int, issued: Double = 0) throws -> PushToStartToken {
        PushToStartToken(
            app: StoreSamples.app,
            installation: self.phone(number),
            attributesType: self.type,
            token: try StoreSamples.token(token),
            environment: .production,
            issuedAt: StoreSamples.after(issued)
        )
    }

    /// A transition so many seconds before or after the lesson ends.
    package static func plan(
        _ key: TransitionKey,
        seconds: Int,
        _ change: ActivityChange,
        misfire: MisfirePolicy = .fold
    ) -> TransitionPlan {
        TransitionPlan(key: key, time: .relative(to: "endsAt", seconds: seconds), change: change, misfire: misfire)
    }

    /// What a push of priority 10 costs phones that were sent none before.
    package static func cost(phones: Int) throws -> BudgetCost {
        let lifecycle = ActivityLifecycle(timestamp: 0, contentState: nil)
        var cost = BudgetCost()
        for number in 0..<phones {
            let phone = ActivityParticipant(try self.upload(number), joining: lifecycle, now: StoreSamples.now)
            _ = cost.add(phone, of: PushBudget(), now: StoreSamples.now)
        }
        return cost
    }

    /// The payloads of a batch as texts, by their targets.
    package static func payloads(_ claimed: ClaimedBatch) -> [String] {
        claimed.batch.targets.indices.map { claimed.batch.payload[$0].text }
    }
}

/// Shorter forms of the calls, for tests.
extension ActivityStore where Self: BatchStore & AppStore {
    /// Adds the sample app and a lesson that phones show.
    package func addLesson(_ id: ActivityID = ActivitySamples.lesson, phones: [Int] = [1]) async throws {
        if try await self.app(StoreSamples.app) == nil { try await self.addSampleApp() }
        _ = try await self.createActivity(ActivitySamples.activity(id), inviting: [], now: StoreSamples.now)
        for number in phones { _ = try await self.tell(ActivitySamples.upload(number), id) }
    }

    /// Tells the update token of a phone.
    package func tell(
        _ upload: ActivityTokenUpload,
        _ id: ActivityID = ActivitySamples.lesson,
        now: Date = StoreSamples.now
    ) async throws -> ActivityReceipt? {
        try await self.receive(upload, for: id, of: StoreSamples.app, creating: nil, now: now)
    }

    /// Tells that a phone shows the sample lesson no more.
    package func leave(_ departure: ActivityDeparture, now: Date = StoreSamples.now) async throws -> Bool {
        try await self.leave(departure, from: ActivitySamples.lesson, of: StoreSamples.app, now: now)
    }

    /// Changes one lesson, which is not refused.
    package func change(
        _ change: ActivityChange,
        _ id: ActivityID = ActivitySamples.lesson,
        now: Date = StoreSamples.now
    ) async throws -> ActivityReceipt {
        let order = ActivityOrder(activity: id, change: change)
        let results = try await self.change([order], of: StoreSamples.app, now: now)
        let receipt: ActivityReceipt? = if case .changed(let receipt)? = results.first { receipt } else { nil }
        return try #require(receipt, "the change came to \(results)")
    }

    /// The only batch that can be claimed.
    package func claimOne(now: Date = StoreSamples.now) async throws -> ClaimedBatch {
        let claimed = try await self.claim(now: now)
        try #require(claimed.count == 1, "how many batches can be claimed")
        return claimed[0]
    }

    /// Settles a whole batch: everything was delivered but what failed.
    package func settleAll(
        _ claimed: ClaimedBatch,
        failures: [Settlement.Failure] = [],
        now: Date = StoreSamples.now
    ) async throws {
        let settlement = Settlement(of: claimed, range: 0..<claimed.batch.targets.count, failures: failures)
        _ = try await self.settle(settlement, now: now)
        try await self.sendOn(now: now)
    }

    /// Does what is left to be done for phones that wait.
    package func sendOn(now: Date = StoreSamples.now) async throws {
        while try await self.sendOnActivities(now: now) {}
    }

    /// The sample lesson.
    package func lesson(_ id: ActivityID = ActivitySamples.lesson) async throws -> Activity {
        try #require(try await self.activity(id, of: StoreSamples.app), "the activity")
    }

    /// The phones of the sample lesson.
    package func phones(_ id: ActivityID = ActivitySamples.lesson) async throws -> [ActivityParticipant] {
        try await self.participants(of: id, app: StoreSamples.app, after: nil, limit: 100).elements
    }

    /// What happened to the sample lesson.
    package func story(_ id: ActivityID = ActivitySamples.lesson) async throws -> [TimelineEntry] {
        try await self.timeline(of: id, app: StoreSamples.app, after: nil, limit: 100).elements
    }
}

extension ActivitySamples {
    /// What the content of lessons has to look like.
    package static let rules = """
        {"type":"object","required":["status"],"additionalProperties":false,"properties":{
        "status":{"enum":["active","ending"]},"endTime":{"format":"swift-date","adapt":true}}}
        """

    /// The type of lessons, or another one.
    package static func registered(_ rules: String, name: AttributesType = type) throws -> ActivityType {
        ActivityType(
            app: StoreSamples.app,
            name: name,
            contentState: try JSONSchema(json: Array(rules.utf8)),
            attributes: nil,
            createdAt: StoreSamples.now,
            changedAt: StoreSamples.now
        )
    }
}
