// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@Suite("Rejection reasons")
struct RejectionReasonTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var name: String
        var nextStep: RejectionAction
        var testDescription: String { "\(self.status) \(self.name)" }

        init(_ status: Int, _ name: String, _ nextStep: RejectionAction) {
            (self.status, self.name, self.nextStep) = (status, name, nextStep)
        }
    }

    private static let quarterHour = RejectionAction.retryLater(after: .seconds(900))

    static let device: [Row] = [
        Row(400, "BadCollapseId", .fixRequest), Row(400, "BadDeviceToken", .suspectToken),
        Row(400, "BadExpirationDate", .fixRequest), Row(400, "BadMessageId", .fixRequest),
        Row(400, "BadPriority", .fixRequest), Row(400, "BadTopic", .fixRequest),
        Row(400, "DeviceTokenNotForTopic", .never), Row(400, "DuplicateHeaders", .fixRequest),
        Row(400, "IdleTimeout", .retryNow), Row(400, "InvalidPushType", .fixRequest),
        Row(400, "MissingDeviceToken", .fixRequest), Row(400, "MissingTopic", .fixRequest),
        Row(400, "PayloadEmpty", .fixRequest), Row(400, "TopicDisallowed", .fixCredential),
        Row(403, "BadCertificate", .fixCredential), Row(403, "BadCertificateEnvironment", .fixCredential),
        Row(403, "ExpiredProviderToken", .retryNow), Row(403, "Forbidden", .never),
        Row(403, "InvalidProviderToken", .fixCredential), Row(403, "MissingProviderToken", .fixCredential),
        Row(403, "UnrelatedKeyIdInToken", .retryNow), Row(403, "BadEnvironmentKeyIdInToken", .fixCredential),
        Row(403, "BadEnvironmentKeyInToken", .fixCredential), Row(404, "BadPath", .fixRequest),
        Row(405, "MethodNotAllowed", .fixRequest), Row(410, "ExpiredToken", .pruneToken),
        Row(410, "Unregistered", .pruneToken), Row(413, "PayloadTooLarge", .never),
        Row(429, "TooManyProviderTokenUpdates", .retryLater(after: .seconds(1200))),
        Row(429, "TooManyRequests", .retryLater(after: .seconds(60))), Row(500, "InternalServerError", quarterHour),
        Row(503, "ServiceUnavailable", quarterHour), Row(503, "Shutdown", quarterHour),
    ]

    static let broadcastOnly: [Row] = [
        Row(400, "FeatureNotEnabled", .fixCredential), Row(400, "MissingChannelId", .fixRequest),
        Row(400, "BadChannelId", .fixRequest), Row(400, "ChannelNotRegistered", .fixRequest),
        Row(400, "BadRequestParams", .fixRequest), Row(400, "BadRequestPayload", .fixRequest),
        Row(400, "MissingPushType", .fixRequest), Row(400, "CannotCreateChannelConfig", .fixRequest),
        Row(403, "TopicMismatch", .fixCredential),
    ]

    @Test(
        "every reason has Apple's status and the next step of Apple's retry policy",
        arguments: device + broadcastOnly
    )
    func entries(row: Row) throws {
        let reason = RejectionReason(rawValue: row.name)
        let entry = try #require(reason.entry)
        #expect(entry.status == row.status)
        #expect(entry.nextStep == row.nextStep)
        #expect(entry.meaning.hasSuffix("."))
        let rejection = Rejection(reason)
        #expect(rejection.status == row.status)
        #expect(rejection.nextStep == row.nextStep)
        #expect(rejection.description == "\(row.status) \(row.name)")
    }

    @Test("the list of all reasons is the table, each once")
    func complete() {
        #expect(RejectionReason.device.map(\.rawValue) == Self.device.map(\.name))
        #expect(RejectionReason.all.map(\.rawValue) == (Self.device + Self.broadcastOnly).map(\.name))
        #expect(Set(RejectionReason.all).count == RejectionReason.all.count)
        #expect(!RejectionReason.all.contains(.unknown))
    }

    @Test("broadcasts know their own reasons and share the others with devices")
    func broadcast() {
        let shared = [
            "PayloadEmpty", "BadMessageId", "InvalidPushType", "BadExpirationDate", "TopicDisallowed", "BadPriority",
            "BadCertificate", "BadCertificateEnvironment", "MissingProviderToken", "ExpiredProviderToken",
            "InvalidProviderToken", "BadPath", "MethodNotAllowed", "PayloadTooLarge", "TooManyRequests",
            "TooManyProviderTokenUpdates", "InternalServerError", "ServiceUnavailable", "Shutdown",
        ]
        #expect(Set(RejectionReason.broadcast.map(\.rawValue)) == Set(shared + Self.broadcastOnly.map(\.name)))
    }

    @Test("both spellings of the environment reason mean the same")
    func spellings() {
        #expect(RejectionReason.badEnvironmentKeyInToken.entry == RejectionReason.badEnvironmentKeyIDInToken.entry)
    }

    @Test(
        "a reason that is not known leaves the decision to the status",
        arguments: [
            (400, .fixRequest), (401, .fixCredential), (403, .fixCredential), (404, .fixRequest), (405, .fixRequest),
            (410, .pruneToken), (413, .never), (429, .retryLater(after: .seconds(60))), (500, quarterHour),
            (502, quarterHour), (503, quarterHour), (302, .never), (0, .never),
        ] as [(Int, RejectionAction)]
    )
    func unknown(status: Int, nextStep: RejectionAction) {
        #expect(Rejection(status: status, reason: .unknown).nextStep == nextStep)
    }
}
