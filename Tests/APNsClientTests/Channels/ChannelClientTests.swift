// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import HTTP2Session
import NIOPosix
import Testing

@Suite("The management of channels", .timeLimit(.minutes(20)))
struct ChannelClientTests {
    /// Makes requests on one connection.
    private func manage<Value: Sendable>(
        _ simulator: APNsSimulator,
        of bundleID: String = app,
        _ body: (ChannelSession) async throws -> Value
    ) async throws -> Value {
        let client = ChannelClient(configuration: .quick, eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
        let destination = try simulator.channelDestination()
        return try await client.withSession(of: try Topic(bundleID), at: destination, body)
    }

    @Test("a channel is created, read, listed and deleted", arguments: MessageStoragePolicy.allCases)
    func whole(policy: MessageStoragePolicy) async throws {
        try await withTestSimulator { simulator in
            try await self.manage(simulator) { session in
                guard case .done(let id) = await session.create(policy) else {
                    Issue.record("no channel was created")
                    return
                }
                #expect(simulator.channels(of: app).map(\.id) == [id.rawValue])
                #expect(simulator.channels(of: app).map(\.storagePolicy.rawValue) == [policy.rawValue])
                #expect(await session.read(id) == .done(policy))
                #expect(await session.list() == .done([id]))
                guard case .done = await session.delete(id) else {
                    Issue.record("the channel was not deleted")
                    return
                }
                #expect(simulator.channels(of: app).isEmpty)
                #expect(await session.list() == .done([]))
                #expect(await session.read(id) == .rejected(Rejection(.channelNotRegistered)))
            }
            #expect(simulator.statistics.connections == 1)
        }
    }

    @Test("a list of thousands of channels is read whole")
    func longList() async throws {
        try await withTestSimulator { simulator in
            let made = try (0..<3000).map { _ in try simulator.createChannel(for: app).id }
            let listed = try await self.manage(simulator) { await $0.list() }
            #expect(listed == .done(made.compactMap(APNsChannelID.init(rawValue:))))
        }
    }

    @Test("what APNs refuses is a value with its reason")
    func refusals() async throws {
        var switches = APNsSimulatorOptions()
        switches.channels.quota = 0
        try await withTestSimulator(switches: switches) { simulator in
            let full = try await self.manage(simulator) { await $0.create(.noMessage) }
            #expect(full == .rejected(Rejection(.cannotCreateChannelConfig)))
            simulator.setBroadcastEnabled(false, for: app)
            let off = try await self.manage(simulator) { await $0.create(.noMessage) }
            #expect(off == .rejected(Rejection(.featureNotEnabled)))
            let suffix = try await self.manage(simulator, of: "\(app).voip") { await $0.list() }
            #expect(suffix == .rejected(Rejection(.topicDisallowed)))
        }
    }

    @Test("an answer that is lost is told apart from a request that APNs has not seen")
    func lost() async throws {
        try await withTestSimulator { simulator in
            simulator.inject(SimulatorFault(.drop, count: 1, deliversFirst: true))
            simulator.inject(SimulatorFault(.reset(.refusedStream), skip: 1, count: 1))
            try await self.manage(simulator) { session in
                let lost = await session.create(.noMessage)
                #expect(lost.failure?.code == .lost)
                #expect(lost.failure?.mayHaveHappened == true)
                // The next request has a connection of its own.
                let listed = await session.list()
                #expect(listed == .done(simulator.channels(of: app).compactMap { APNsChannelID(rawValue: $0.id) }))
                #expect(simulator.channels(of: app).count == 1)
                let refused = await session.create(.noMessage)
                #expect(refused.failure?.code == .unreachable)
                #expect(refused.failure?.mayHaveHappened == false)
            }
        }
    }

    @Test("a server that does not answer in time, or nowhere, leaves nobody waiting")
    func silence() async throws {
        let topic = try Topic(app)
        var configuration = APNsClientConfiguration.quick
        configuration.channelTimeout = .milliseconds(50)
        let client = ChannelClient(configuration: configuration, eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
        try await withTestSimulator { simulator in
            simulator.inject(SimulatorFault(.silence, deliversFirst: true))
            let destination = try simulator.channelDestination()
            let silent = await client.withSession(of: topic, at: destination) {
                await $0.create(.noMessage)
            }
            #expect(silent.failure?.code == .lost)
            // The request was on its way. On a busy machine the simulator reads it after the time-out.
            try await waitUntil { simulator.channels(of: app).count == 1 }
        }
        let port = try ReservedPort()
        try await withTestSimulator { simulator in
            var destination = try simulator.channelDestination()
            destination.endpoint.port = port.number
            let nowhere = await client.withSession(of: topic, at: destination) { await $0.list() }
            #expect(nowhere.failure?.code == .unreachable)
            destination.endpoint.trust = .certificateAuthority(pem: [])
            let broken = await client.withSession(of: topic, at: destination) { await $0.list() }
            #expect(broken.failure?.code == .badCredential)
        }
    }

    @Test("a server of another authority is not spoken to")
    func untrusted() async throws {
        try await withTestSimulator { simulator in
            let topic = try Topic(app)
            var destination = try simulator.channelDestination(host: "localhost")
            destination.endpoint.trust = .system
            let client = ChannelClient(configuration: .quick, eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
            let answer = await client.withSession(of: topic, at: destination) {
                await $0.create(.noMessage)
            }
            #expect(answer.failure?.code == .unreachable)
            #expect(simulator.channels(of: app).isEmpty)
        }
    }
}

extension ChannelResult {
    /// Why there is no answer.
    fileprivate var failure: ChannelRequestError? { if case .failed(let failure) = self { failure } else { nil } }
}

extension APNsSimulator {
    /// The server that manages channels, with the demo key.
    func channelDestination(host: String = "127.0.0.1") throws -> APNsDestination {
        var destination = try self.destination(host: host)
        destination.endpoint.port = self.channelPort
        return destination
    }
}
