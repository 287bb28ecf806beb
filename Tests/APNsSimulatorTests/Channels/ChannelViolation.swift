// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

/// One way to break one rule of broadcasts or channel management, in the order in which rules are applied.
struct ChannelViolation: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: RejectionReason
    /// Which step of the order it belongs to.
    ///
    /// Violations of one step exclude one another.
    let step: Int
    let operations: [ChannelFixture.Operation]
    let spoil: @Sendable (ChannelFixture) throws -> Void

    var testDescription: String { self.name }

    private init(
        _ name: String,
        _ reason: RejectionReason,
        step: Int,
        _ operations: [ChannelFixture.Operation] = ChannelFixture.Operation.allCases,
        _ spoil: @escaping @Sendable (ChannelFixture) throws -> Void
    ) {
        self.name = name
        self.reason = reason
        self.step = step
        self.operations = operations
        self.spoil = spoil
    }

    private static let withChannel: [ChannelFixture.Operation] = [.read, .delete, .broadcast]
    private static let withBody: [ChannelFixture.Operation] = [.create, .broadcast]

    static let all: [ChannelViolation] = Self.requests + Self.channels + Self.bodies

    private static let requests: [ChannelViolation] = [
        ChannelViolation("another path", .badPath, step: 1) { $0.request.set(.path, "/1/apps/com.example.app") },
        ChannelViolation("the path of the other port", .badPath, step: 1) {
            $0.service = $0.service == .pushes ? .channelManagement : .pushes
        },
        ChannelViolation("a path with the channel in it", .badPath, step: 1, [.read, .delete]) {
            $0.request.set(.path, "/1/apps/com.example.app/channels/\($0.channel.id)")
        },
        ChannelViolation("a query", .badRequestParams, step: 1) { fixture in
            let path = fixture.request.fields.first { $0.0 == .path }?.1 ?? ""
            fixture.request.set(.path, path + "?limit=1")
        },
        ChannelViolation("another method", .methodNotAllowed, step: 2) { $0.request.set(.method, "PUT") },
        ChannelViolation("a repeated header", .badRequestParams, step: 3) {
            $0.request.set(.requestID, ChannelFixture.requestID)
            $0.request.add(.requestID, ChannelFixture.requestID)
        },
        ChannelViolation("no provider token", .missingProviderToken, step: 4) {
            $0.request.set(.authorization, nil)
        },
        ChannelViolation("no JWT", .invalidProviderToken, step: 4) { $0.request.set(.authorization, "bearer x") },
        ChannelViolation("an old provider token", .expiredProviderToken, step: 4) { fixture in
            try fixture.request.authorize(fixture.request.key, issuedAt: fixture.request.now - 3601)
        },
        ChannelViolation("an apns-request-id that is no UUID", .badMessageID, step: 6) {
            $0.request.set(.requestID, "42")
        },
        ChannelViolation("an apns-id in its place that is no UUID", .badMessageID, step: 6) {
            $0.request.set(.requestID, nil)
            $0.request.set(.apnsID, "42")
        },
    ]

    private static let channels: [ChannelViolation] = [
        ChannelViolation("no channel", .missingChannelID, step: 7, Self.withChannel) {
            $0.request.set(.channelID, nil)
        },
        ChannelViolation("an empty channel", .missingChannelID, step: 7, Self.withChannel) {
            $0.request.set(.channelID, "")
        },
        ChannelViolation("a channel that is no base64", .badChannelID, step: 7, Self.withChannel) {
            $0.request.set(.channelID, "not base64!")
        },
        ChannelViolation("a channel of 132 characters", .badChannelID, step: 7, Self.withChannel) {
            $0.request.set(.channelID, String(repeating: "YWJj", count: 33))
        },
        ChannelViolation("a channel that is none", .channelNotRegistered, step: 7, Self.withChannel) {
            $0.request.set(.channelID, "bm9uZQ==")
        },
        ChannelViolation("no push type", .missingPushType, step: 8, [.broadcast]) {
            $0.request.set(.pushType, nil)
        },
        ChannelViolation("another push type", .invalidPushType, step: 8, [.broadcast]) {
            $0.request.set(.pushType, "alert")
        },
        ChannelViolation("no expiration", .badExpirationDate, step: 9, [.broadcast]) {
            $0.request.set(.expiration, nil)
        },
        ChannelViolation("an expiration that is no number", .badExpirationDate, step: 9, [.broadcast]) {
            $0.request.set(.expiration, "tomorrow")
        },
        ChannelViolation("no priority", .badPriority, step: 10, [.broadcast]) { $0.request.set(.priority, nil) },
        ChannelViolation("priority 7", .badPriority, step: 10, [.broadcast]) { $0.request.set(.priority, "7") },
    ]

    private static let bodies: [ChannelViolation] = [
        ChannelViolation("no body", .payloadEmpty, step: 11, Self.withBody) { $0.request.body = [] },
        ChannelViolation("a body of 5121 bytes", .payloadTooLarge, step: 11, Self.withBody) {
            $0.request.body = Array(#"{"x":""#.utf8) + [UInt8](repeating: 0x78, count: 5113) + Array(#""}"#.utf8)
        },
        ChannelViolation("a body that is no JSON", .badRequestPayload, step: 11, Self.withBody) {
            $0.request.body = Array("hello".utf8)
        },
        ChannelViolation("an attribute that nobody knows", .badRequestParams, step: 12, [.create]) {
            $0.request.body = Array(
                #"{"message-storage-policy":1,"push-type":"LiveActivity","name":"x"}"#.utf8
            )
        },
        ChannelViolation("no storage policy", .badRequestParams, step: 12, [.create]) {
            $0.request.body = Array(#"{"push-type":"LiveActivity"}"#.utf8)
        },
        ChannelViolation("storage policy 2", .badRequestParams, step: 12, [.create]) {
            $0.request.body = Array(#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#.utf8)
        },
        ChannelViolation("a storage policy beyond all integers", .badRequestParams, step: 12, [.create]) {
            $0.request.body = Array(#"{"message-storage-policy":1e300,"push-type":"LiveActivity"}"#.utf8)
        },
        ChannelViolation("no push type in the body", .missingPushType, step: 12, [.create]) {
            $0.request.body = Array(#"{"message-storage-policy":1}"#.utf8)
        },
        ChannelViolation("another push type in the body", .invalidPushType, step: 12, [.create]) {
            $0.request.body = Array(#"{"message-storage-policy":1,"push-type":"Alert"}"#.utf8)
        },
    ]
}
