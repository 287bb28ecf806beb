// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import CommandLineSupport
import Foundation
import StoreTesting
import Testing

@testable import apus

@Suite("Broadcast channels of an app", .timeLimit(.minutes(20)))
struct ChannelTests {
    @Test(
        "are made at APNs with what they store, shown, listed beside what APNs has, and deleted",
        arguments: TestStoreBackend.allCases
    )
    func life(store: TestStoreBackend) async throws {
        try await ActivityStage.open(on: store) { stage in
            let made = try await stage.makeChannel("final")
            #expect(made.environment == "sandbox")
            #expect(made.messageStoragePolicy == "most_recent")
            #expect(made.state == "active")
            let plain = try await stage.makeChannel("plain", #","messageStoragePolicy":"none""#)
            let atAPNs = stage.simulator.channels(of: ServerInTest.app)
            #expect(atAPNs.map(\.id) == [made.id, plain.id])
            #expect(atAPNs.map(\.storagePolicy) == [.mostRecentMessageStored, .noMessageStored])
            // Another program makes one, and somebody deletes one of ours elsewhere.
            let foreign = try stage.simulator.createChannel(for: ServerInTest.app).id
            #expect(try await stage.channels().unmanaged == [foreign])
            let adopted = try await stage.makeChannel("adopted", #","id":"\#(foreign)""#)
            #expect(adopted.messageStoragePolicy == "none")
            try await stage.deleteElsewhere(try #require(plain.id))

            let listed = try await stage.channels()
            #expect(listed.channels.map(\.name) == ["adopted", "final", "plain"])
            #expect(listed.channels.map(\.existsAtAPNs) == [true, true, false])
            #expect(listed.unmanaged == [])
            #expect(try await stage.channel("plain?verify=true").existsAtAPNs == false)
            #expect(try await stage.channel("final?verify=true").existsAtAPNs == true)
            #expect(try await stage.channel("final").existsAtAPNs == nil)

            for name in ["adopted", "final", "plain"] { try await stage.deleteChannel(name) }
            #expect(stage.simulator.channels(of: ServerInTest.app).isEmpty)
            #expect(try await stage.channels().channels.isEmpty)
            #expect(await stage.refusal { try await stage.deleteChannel("final") } == "channel_not_found")
        }
    }

    @Test("are refused with what is wrong: here, with the credential, or at APNs")
    func refused() async throws {
        var switches = APNsSimulatorOptions()
        switches.channels.quota = 1
        try await ActivityStage.open(switches: switches) { stage in
            try await stage.makeChannel("final")
            #expect(await stage.refusal { try await stage.makeChannel("final") } == "channel_exists")
            #expect(await stage.refusal { try await stage.makeChannel("more") } == "channel_limit_exceeded")
            #expect(await stage.refusal { try await stage.channel("more") } == "channel_not_found")
            let bad = await stage.refusal {
                try await stage.makeChannel("", #","messageStoragePolicy":"all","id":"!""#)
            }
            #expect(bad == "invalid_request")
            let unknown = await stage.refusal { try await stage.makeChannel("more", #","id":"bm9uZQ==""#) }
            #expect(unknown == "channel_not_found")
            let id = try #require(try await stage.channel("final").id)
            #expect(await stage.refusal { try await stage.makeChannel("twin", #","id":"\#(id)""#) } == "channel_exists")

            stage.simulator.inject(SimulatorFault(.reject(Rejection(.internalServerError)), count: 1))
            #expect(await stage.refusal { try await stage.makeChannel("later") } == "apns_unavailable")
            stage.simulator.inject(SimulatorFault(.reject(Rejection(.invalidProviderToken)), count: 1))
            #expect(await stage.refusal { try await stage.makeChannel("later") } == "apns_rejected")
            stage.simulator.setBroadcastEnabled(false, for: ServerInTest.app)
            #expect(await stage.refusal { try await stage.makeChannel("more") } == "broadcast_disabled")
            // What APNs cannot say keeps nobody from seeing what is known here.
            let listed = try await stage.channels()
            #expect(listed.apnsError?.code == "broadcast_disabled")
            #expect(listed.channels.map(\.name) == ["final"])
            #expect(listed.unmanaged == nil)
            // With the capability Apple takes away all channels: there is nothing left to delete.
            try await stage.deleteChannel("final")

            try await stage.removeCredentials()
            #expect(await stage.refusal { try await stage.makeChannel("more") } == "credential_required")
            #expect(try await stage.channels().apnsError?.code == "credential_required")
        }
    }

    @Test("of which APNs' answer was lost are made, and deleted, by asking again", arguments: TestStoreBackend.allCases)
    func lost(store: TestStoreBackend) async throws {
        try await ActivityStage.open(on: store) { stage in
            stage.simulator.inject(SimulatorFault(.drop, count: 1, deliversFirst: true))
            #expect(await stage.refusal { try await stage.makeChannel("final") } == "apns_unavailable")
            let orphan = try #require(stage.simulator.channels(of: ServerInTest.app).first).id
            let before = try await stage.channels()
            #expect(before.channels.map(\.state) == ["creating"])
            #expect(before.unmanaged == [orphan])
            let made = try await stage.makeChannel("final", #","messageStoragePolicy":"none""#)
            #expect(made.id != orphan)
            #expect(made.messageStoragePolicy == "none")
            #expect(try await stage.channels().unmanaged == [orphan])

            stage.simulator.inject(SimulatorFault(.drop, count: 1, deliversFirst: true))
            #expect(await stage.refusal { try await stage.deleteChannel("final") } == "apns_unavailable")
            #expect(try await stage.channel("final").state == "deleting")
            #expect(await stage.refusal { try await stage.makeChannel("final") } == "channel_exists")
            try await stage.deleteChannel("final")
            #expect(try await stage.channels().channels.isEmpty)
            #expect(stage.simulator.channels(of: ServerInTest.app).map(\.id) == [orphan])
        }
    }

    @Test("made twice at the same time exist once")
    func twice() async throws {
        try await ActivityStage.open { stage in
            // Both have been made at APNs before either call hears of it.
            let held = stage.simulator.inject(SimulatorFault(.hold, count: 2))
            async let first = stage.refusal { try await stage.makeChannel("final") }
            async let second = stage.refusal { try await stage.makeChannel("final") }
            try await waitUntil { stage.simulator.channels(of: ServerInTest.app).count == 2 }
            stage.simulator.removeFault(held)
            let codes = await [first, second]
            #expect(codes.contains("channel_exists"))
            #expect(codes.contains(nil))
            let listed = try await stage.channels()
            #expect(listed.channels.map(\.state) == ["active"])
            #expect(listed.unmanaged == [])
        }
    }
}

extension ActivityStage {
    private static let channels = "/v1/apps/\(ServerInTest.app)/channels"

    /// Makes a channel.
    @discardableResult
    func makeChannel(_ name: String, _ members: String = "") async throws -> NamedChannelResponse {
        let body = Data(#"{"name":"\#(name)"\#(members)}"#.utf8)
        return try await self.backend.call(.post, Self.channels, body: body).decoded()
    }

    /// What the server says of a channel.
    @discardableResult
    func channel(_ name: String) async throws -> NamedChannelResponse {
        try await self.backend.call(.get, "\(Self.channels)/\(name)").decoded()
    }

    /// What the server says of the channels of the sandbox.
    func channels() async throws -> ChannelListResponse {
        try await self.backend.call(.get, "\(Self.channels)?environment=sandbox").decoded()
    }

    /// Deletes a channel.
    func deleteChannel(_ name: String) async throws {
        _ = try await self.backend.call(.delete, "\(Self.channels)/\(name)")
    }

    /// The code with which a call is refused; `nil` when it is not.
    func refusal<Value>(_ call: () async throws -> Value) async -> String? {
        do {
            _ = try await call()
            return nil
        } catch let failure as CommandError {
            return failure.code
        } catch {
            return "\(error)"
        }
    }
}
