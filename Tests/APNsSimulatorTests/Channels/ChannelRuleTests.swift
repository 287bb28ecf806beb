// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Testing

@testable import APNsSimulator

@Suite("Rules of broadcasts and channel management")
struct ChannelRuleTests {
    @Test(
        "a request in order succeeds, each with its status",
        arguments: [
            (ChannelFixture.Operation.create, 201), (.read, 200), (.delete, 204), (.list, 200), (.broadcast, 200),
        ]
    )
    func inOrder(operation: ChannelFixture.Operation, status: Int) throws {
        let answer = try ChannelFixture(operation).answer()
        #expect(answer.status == status)
        #expect(answer.requestID.description == ChannelFixture.requestID)
        #expect((answer.channelID != nil) == (operation == .create))
        #expect((answer.uniqueID != nil) == (operation == .broadcast))
        #expect(answer.body.isEmpty == (operation != .read && operation != .list))
    }

    @Test("a request that breaks one rule is refused with that rule's reason", arguments: ChannelViolation.all)
    func oneViolation(violation: ChannelViolation) throws {
        for operation in violation.operations {
            let fixture = try ChannelFixture(operation)
            try violation.spoil(fixture)
            let answer = try fixture.answer()
            #expect(answer.rejection == Rejection(violation.reason), "\(operation)")
            #expect(answer.status == violation.reason.entry?.status)
        }
    }

    @Test("apns-request-id is on refusals too, the request's or one that was made up", arguments: ChannelViolation.all)
    func requestIDs(violation: ChannelViolation) throws {
        for operation in violation.operations {
            let fixture = try ChannelFixture(operation)
            try violation.spoil(fixture)
            let isEchoed = try fixture.answer().requestID.description == ChannelFixture.requestID
            #expect(isEchoed == (violation.reason != .badMessageID), "\(operation)")
        }
    }

    @Test("of two broken rules the earlier one is named", arguments: ChannelViolation.all)
    func order(earlier: ChannelViolation) throws {
        for later in ChannelViolation.all where later.step > earlier.step {
            for operation in earlier.operations where later.operations.contains(operation) {
                let fixture = try ChannelFixture(operation)
                try later.spoil(fixture)
                try earlier.spoil(fixture)
                #expect(try fixture.refusal() == earlier.reason, "\(operation) with \(later.name)")
            }
        }
    }

    @Test(
        "a bundle identifier with a suffix, or none at all, is no app",
        arguments: [
            "com.example.app.push-type.liveactivity", "com.example.app.voip", "", "com.example app",
        ]
    )
    func suffix(bundleID: String) throws {
        let fixture = try ChannelFixture(.list)
        fixture.request.set(.path, "/1/apps/\(bundleID)/all-channels")
        #expect(try fixture.refusal() == .topicDisallowed)
    }

    @Test("a key with topics manages and broadcasts for these apps only")
    func topicKey() throws {
        for operation in ChannelFixture.Operation.allCases {
            let fixture = try ChannelFixture(operation)
            let key = SimulatorProviderKey.make()
            var provider = try ProviderKey(key)
            provider.scope = .topics([Array("com.example.other".utf8)])
            fixture.request.world.keys.add(provider)
            try fixture.request.authorize(key)
            #expect(try fixture.refusal() == .topicMismatch)
            provider.scope = .topics([Array(ChannelFixture.app.utf8)])
            fixture.request.world.keys.add(provider)
            #expect(try fixture.refusal() == nil)
        }
    }

    @Test("a certificate manages and broadcasts for the app that it names only")
    func certificates() throws {
        for operation in ChannelFixture.Operation.allCases {
            let fixture = try ChannelFixture(operation)
            fixture.request.set(.authorization, nil)
            func trust(_ topic: String, _ environments: Set<APNsEnvironment>) -> ConnectionAuthentication {
                ConnectionAuthentication(
                    certificate: CertificateTrust(
                        bundleID: topic,
                        topics: [Array(topic.utf8)],
                        environments: environments
                    )
                )
            }
            fixture.request.trust = trust("com.example.other", [.sandbox])
            #expect(try fixture.refusal() == .topicMismatch)
            fixture.request.trust = trust(ChannelFixture.app, [.production])
            #expect(try fixture.refusal() == .badCertificateEnvironment)
            fixture.request.trust = trust(ChannelFixture.app, [])
            #expect(try fixture.refusal() == .badCertificate)
            fixture.request.trust = trust(ChannelFixture.app, [.sandbox])
            #expect(try fixture.refusal() == nil)
        }
    }

    @Test("an app without the broadcast capability has no channels")
    func featureNotEnabled() throws {
        for operation in ChannelFixture.Operation.allCases {
            let fixture = try ChannelFixture(operation)
            fixture.request.world.channels.setEnabled(false, bundleID: ChannelFixture.app, now: fixture.request.now)
            #expect(try fixture.refusal() == .featureNotEnabled)
        }
        let fixture = try ChannelFixture(.list)
        fixture.request.switches.channels.enabledByDefault = false
        #expect(try fixture.refusal() == .featureNotEnabled)
        fixture.request.world.channels.setEnabled(true, bundleID: ChannelFixture.app, now: fixture.request.now)
        #expect(try fixture.refusal() == nil)
    }

    @Test("a provider token that changes too often is refused")
    func tokenUpdates() throws {
        let fixture = try ChannelFixture(.list)
        #expect(try fixture.refusal() == nil)
        try fixture.request.authorize(fixture.request.key, issuedAt: fixture.request.now - 1)
        #expect(try fixture.refusal() == nil)
        try fixture.request.authorize(fixture.request.key, issuedAt: fixture.request.now - 2)
        #expect(try fixture.refusal() == .tooManyProviderTokenUpdates)
    }

    @Test("beyond the quota no channel is created; a deleted one makes room")
    func quota() throws {
        let fixture = try ChannelFixture(.create)
        fixture.request.switches.channels.quota = 2
        let created = try #require(try fixture.answer().channelID)
        #expect(try fixture.refusal() == .cannotCreateChannelConfig)
        let key = ChannelKey(bundleID: ChannelFixture.app, environment: .sandbox, id: created)
        let isDeleted = fixture.request.world.channels.delete(key, now: fixture.request.now)
        #expect(isDeleted)
        #expect(try fixture.refusal() == nil)
    }

    @Test("the quota counts for each app and environment on its own; by default it is 10,000")
    func quotaOwners() throws {
        #expect(ChannelOptions().quota == 10_000)
        var book = ChannelRegistry()
        func key(_ number: Int, _ bundleID: String, _ environment: APNsEnvironment) -> ChannelKey {
            ChannelKey(bundleID: bundleID, environment: environment, id: "\(number)")
        }
        for number in 0..<10_000 {
            try book.create(key(number, "a", .sandbox), policy: .noMessageStored, quota: 10_000, now: 0)
        }
        #expect(throws: RuleViolation(.cannotCreateChannelConfig)) {
            try book.create(key(10_000, "a", .sandbox), policy: .noMessageStored, quota: 10_000, now: 0)
        }
        try book.create(key(0, "a", .production), policy: .noMessageStored, quota: 10_000, now: 0)
        try book.create(key(0, "b", .sandbox), policy: .noMessageStored, quota: 10_000, now: 0)
        #expect(book.count("a", .sandbox) == 10_000)
    }

    @Test("a channel that stores nothing takes no expiration but 0")
    func expirationWithoutStorage() throws {
        let fixture = try ChannelFixture(.broadcast, policy: .noMessageStored)
        #expect(try fixture.refusal() == .badExpirationDate)
        fixture.request.set(.expiration, "0")
        #expect(try fixture.refusal() == nil)
    }

    @Test(
        "the push type of a broadcast may be written in any letters",
        arguments: [
            "liveactivity", "Liveactivity", "LiveActivity",
        ]
    )
    func pushTypeLetters(name: String) throws {
        let fixture = try ChannelFixture()
        fixture.request.set(.pushType, name)
        #expect(try fixture.refusal() == nil)
    }

    @Test("priorities 10, 5 and 1 are accepted; 1 by switch only", arguments: ["10", "5", "1"])
    func priorities(priority: String) throws {
        let fixture = try ChannelFixture()
        fixture.request.set(.priority, priority)
        #expect(try fixture.refusal() == nil)
        fixture.request.switches.channels.lowestPriority = .reject
        #expect(try fixture.refusal() == (priority == "1" ? .badPriority : nil))
    }

    @Test("by switch a channel takes so many broadcasts in an hour, by its storage policy")
    func budgets() throws {
        for policy in ChannelStoragePolicy.allCases {
            let fixture = try ChannelFixture(.broadcast, policy: policy)
            fixture.request.switches.channels.storedHourlyBudget = 1
            fixture.request.switches.channels.unstoredHourlyBudget = 2
            fixture.request.set(.expiration, "0")
            #expect(try fixture.refusal() == nil)
            #expect(try fixture.refusal() == (policy == .noMessageStored ? nil : .tooManyRequests))
            #expect(try fixture.refusal() == .tooManyRequests)
        }
    }

    @Test(
        "what only a fault brings about has apns-request-id, too",
        arguments: [
            RejectionReason.internalServerError, .serviceUnavailable, .shutdown,
        ]
    )
    func faults(reason: RejectionReason) throws {
        let fixture = try ChannelFixture()
        _ = fixture.request.world.faults.add(
            SimulatorFault(.reject(Rejection(reason))),
            now: fixture.request.now
        )
        let answer = try fixture.answer()
        #expect(answer.rejection == Rejection(reason))
        #expect(answer.requestID.description == ChannelFixture.requestID)
    }

    @Test("every reason of Apple's table can be had")
    func everyReason() {
        let elsewhere: Set<RejectionReason> = [
            .badCertificate, .badCertificateEnvironment, .topicMismatch, .featureNotEnabled, .topicDisallowed,
            .cannotCreateChannelConfig, .tooManyRequests, .tooManyProviderTokenUpdates, .internalServerError,
            .serviceUnavailable, .shutdown,
        ]
        let covered = Set(ChannelViolation.all.map(\.reason)).union(elsewhere)
        #expect(Set(RejectionReason.broadcast).subtracting(covered).isEmpty)
    }

    @Test(
        "a spoilt answer to a channel request names the request as others do",
        arguments: ChannelFixture.Operation.allCases
    )
    func garbled(operation: ChannelFixture.Operation) throws {
        let fixture = try ChannelFixture(operation)
        let body = ErrorBody(text: "<html>", size: 10, frameSize: 4)
        let fault = SimulatorFault(.garble(Rejection(.internalServerError), body))
        _ = fixture.request.world.faults.add(fault, now: fixture.request.now)
        let answer = try fixture.answer()
        #expect(answer.requestID.description == ChannelFixture.requestID)
        #expect(answer.status == 500)
        #expect(answer.body == Array("<html>    ".utf8))
        #expect(answer.maximumFrame == 4)
    }
}
