// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
import JSONSchema
package import PushModel
package import PushStore
import Testing

/// The Live Activities of the tests: lessons that phones show.
package enum ActivityFixtures {
    package static let lesson: ActivityID = "lesson 1"
    package static let type: AttributesType = "LessonAttributes"
    package static let alert = LiveActivityAlert(title: "Lesson", body: "It begins", sound: "default")

    /// A lesson that takes an hour from now on.
    package static func activity(
        _ id: ActivityID = lesson,
        state: String? = #"{"status":"active"}"#,
        instants: [InstantName: Date] = ["endsAt": StoreFixtures.after(3600)]
    ) throws -> Activity {
        try Activity(
            id: id,
            app: StoreFixtures.app,
            attributesType: self.type,
            attributes: RawJSONObject(json: #"{"childId":"寿司"}"#),
            contentState: state.map { try RawJSONObject(json: $0) },
            startAlert: self.alert,
            instants: instants,
            now: StoreFixtures.now
        )
    }

    /// A change to a whole state.
    package static func state(_ state: String, alert: LiveActivityAlert? = nil) throws -> ActivityChange {
        ActivityChange(contentState: .replaced(try RawJSONObject(json: state)), alert: alert)
    }

    /// A change of some members.
    package static func patch(_ patch: String, end: ActivityChange.Dismissal? = nil) throws -> ActivityChange {
        ActivityChange(contentState: .patched(try RawJSONObject(json: patch)), end: end)
    }

    /// What an app tells of a phone that is named by a number, with the token of that number or another.
    package static func upload(
        _ number: Int,
        token: Int? = nil,
        issued: Double? = nil
    ) throws -> UpdateTokenRegistration {
        UpdateTokenRegistration(
            installation: self.phone(number),
            token: try StoreFixtures.token(token ?? number),
            environment: .production,
            issuedAt: issued.map(StoreFixtures.after)
        )
    }

    /// The phone of a number.
    package static func phone(_ number: Int) -> DeviceID { DeviceID(unchecked: "phone \(number)") }

    /// The token with which pushes start lessons on a phone that is named by a number.
    package static func startToken(_ number: Int, token: Int, issued: Double = 0) throws -> PushToStartToken {
        PushToStartToken(
            app: StoreFixtures.app,
            installation: self.phone(number),
            attributesType: self.type,
            token: try StoreFixtures.token(token),
            environment: .production,
            issuedAt: StoreFixtures.after(issued)
        )
    }

    /// A transition so many seconds before or after the lesson ends.
    package static func plan(
        _ key: TransitionKey,
        seconds: Int,
        _ change: ActivityChange,
        misfire: TransitionMisfirePolicy = .coalesce
    ) -> NewTransition {
        NewTransition(key: key, time: .relative(to: "endsAt", seconds: seconds), change: change, misfire: misfire)
    }

    /// What a push of priority 10 costs phones that were sent none before.
    package static func cost(phones: Int) throws -> BudgetImpact {
        let lifecycle = ActivityLifecycle(timestamp: 0, contentState: nil)
        var cost = BudgetImpact()
        for number in 0..<phones {
            let phone = ActivityParticipant(try self.upload(number), joining: lifecycle, now: StoreFixtures.now)
            _ = cost.add(phone, of: PushBudget(), now: StoreFixtures.now)
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
    package func addLesson(_ id: ActivityID = ActivityFixtures.lesson, phones: [Int] = [1]) async throws {
        if try await self.app(StoreFixtures.app) == nil { try await self.addSampleApp() }
        _ = try await self.createActivity(ActivityFixtures.activity(id), startingOn: [], now: StoreFixtures.now)
        for number in phones { _ = try await self.tell(ActivityFixtures.upload(number), id) }
    }

    /// Tells the update token of a phone.
    package func tell(
        _ upload: UpdateTokenRegistration,
        _ id: ActivityID = ActivityFixtures.lesson,
        now: Date = StoreFixtures.now
    ) async throws -> ActivityUpdateResult? {
        try await self.receive(upload, for: id, of: StoreFixtures.app, creating: nil, now: now)
    }

    /// Tells that a phone shows the sample lesson no more.
    package func leave(_ departure: ActivityEndReport, now: Date = StoreFixtures.now) async throws -> Bool {
        try await self.leave(departure, from: ActivityFixtures.lesson, of: StoreFixtures.app, now: now)
    }

    /// Changes one lesson, which is not refused.
    package func change(
        _ change: ActivityChange,
        _ id: ActivityID = ActivityFixtures.lesson,
        now: Date = StoreFixtures.now
    ) async throws -> ActivityUpdateResult {
        let order = ActivityUpdate(activity: id, change: change)
        let results = try await self.change([order], of: StoreFixtures.app, now: now)
        let receipt: ActivityUpdateResult? = if case .changed(let receipt)? = results.first { receipt } else { nil }
        return try #require(receipt, "the change came to \(results)")
    }

    /// The only batch that can be claimed.
    package func claimOne(now: Date = StoreFixtures.now) async throws -> ClaimedBatch {
        let claimed = try await self.claim(now: now)
        try #require(claimed.count == 1, "how many batches can be claimed")
        return claimed[0]
    }

    /// Settles a whole batch: everything was delivered but what failed.
    package func settleAll(
        _ claimed: ClaimedBatch,
        failures: [Settlement.Failure] = [],
        now: Date = StoreFixtures.now
    ) async throws {
        let settlement = Settlement(of: claimed, range: 0..<claimed.batch.targets.count, failures: failures)
        _ = try await self.settle(settlement, now: now)
        try await self.sendOn(now: now)
    }

    /// Does what is left to be done for phones that wait.
    package func sendOn(now: Date = StoreFixtures.now) async throws {
        while try await self.sendOnActivities(now: now) {}
    }

    /// The sample lesson.
    package func lesson(_ id: ActivityID = ActivityFixtures.lesson) async throws -> Activity {
        try #require(try await self.activity(id, of: StoreFixtures.app), "the activity")
    }

    /// The phones of the sample lesson.
    package func phones(_ id: ActivityID = ActivityFixtures.lesson) async throws -> [ActivityParticipant] {
        try await self.participants(of: id, app: StoreFixtures.app, after: nil, limit: 100).elements
    }

    /// What happened to the sample lesson.
    package func story(_ id: ActivityID = ActivityFixtures.lesson) async throws -> [TimelineEntry] {
        try await self.timeline(of: id, app: StoreFixtures.app, after: nil, limit: 100).elements
    }
}

extension ActivityFixtures {
    /// What the content of lessons has to look like.
    package static let rules = """
        {"type":"object","required":["status"],"additionalProperties":false,"properties":{
        "status":{"enum":["active","ending"]},"endTime":{"format":"swift-date","convert":true}}}
        """

    /// The type of lessons, or another one.
    package static func registered(_ rules: String, name: AttributesType = type) throws -> ActivityType {
        ActivityType(
            app: StoreFixtures.app,
            name: name,
            contentState: try JSONSchema(json: Array(rules.utf8)),
            attributes: nil,
            createdAt: StoreFixtures.now,
            updatedAt: StoreFixtures.now
        )
    }
}
