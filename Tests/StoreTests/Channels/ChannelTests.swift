// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: channels", .timeLimit(.minutes(20)))
struct ChannelTests {
    @Test(
        "a channel is noted, kept under APNs' identifier, listed by its environment and forgotten",
        arguments: TestStoreBackend.allCases
    )
    func keepAndForget(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let draft = ChannelFixtures.draft("final")
            #expect(try await store.beginChannel(draft) == nil, "what is in the way")
            let channel = try await store.channel("final", of: StoreFixtures.app)
            #expect(channel == draft, "what is noted")
            let kept = draft.made(as: ChannelFixtures.id(1))
            #expect(try await store.keep(kept), "whether it is kept")
            let other = ChannelFixtures.draft("a", policy: .noMessage).made(as: ChannelFixtures.id(2))
            #expect(try await store.keep(other), "whether one is kept that was not noted")
            let production = ChannelFixtures.draft("p", in: .production).made(as: ChannelFixtures.id(2))
            #expect(try await store.keep(production), "whether one of the other environment is kept")
            let app = StoreFixtures.app
            let channels = try await store.channels(of: app, in: .sandbox)
            #expect(channels == [other, kept], "the sandbox's")
            let productionChannels = try await store.channels(of: app, in: .production)
            #expect(productionChannels == [production], "production's")
            let channelsOfOther = try await store.channels(of: StoreFixtures.otherApp, in: .sandbox)
            #expect(channelsOfOther == [], "an unknown app's")
            #expect(try await store.forget(kept), "whether it was there")
            #expect(try await !store.forget(kept), "whether it is there still")
            #expect(try await store.channel("final", of: app) == nil, "what is left of it")
        }
    }

    @Test(
        "a channel's name is taken once APNs has it, and free for another try before",
        arguments: TestStoreBackend.allCases
    )
    func nameIsUnique(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let first = ChannelFixtures.draft("final")
            _ = try await store.beginChannel(first)
            let second = ChannelFixtures.draft("final", in: .production, policy: .noMessage)
            #expect(try await store.beginChannel(second) == nil, "what is in the way of another try")
            let kept = second.made(as: ChannelFixtures.id(1))
            #expect(try await store.keep(kept), "whether it is kept")
            #expect(try await store.keep(kept), "whether it is kept when that is said again")
            #expect(try await !store.keep(first.made(as: ChannelFixtures.id(2))), "whether a late one is")
            let beginning = try await store.beginChannel(first)
            #expect(beginning == kept, "what is in the way")
            #expect(try await !store.forget(first), "whether what is no more is forgotten")
            let twin = ChannelFixtures.draft("twin", in: .production).made(as: ChannelFixtures.id(1))
            #expect(try await !store.keep(twin), "whether one identifier has two names")
            let channel = try await store.channel("final", of: StoreFixtures.app)
            #expect(channel == kept, "the channel")
        }
    }

    @Test(
        "a channel that is being deleted is in the way until it is forgotten, however often that begins",
        arguments: TestStoreBackend.allCases
    )
    func deleting(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let app = StoreFixtures.app
            let kept = ChannelFixtures.draft("final").made(as: ChannelFixtures.id(1))
            _ = try await store.keep(kept)
            var deleting = kept
            deleting.state = .deleting(ChannelFixtures.id(1))
            for _ in 0..<2 {
                let begun = try await store.beginDeletion(ofChannel: "final", of: app)
                #expect(begun == .begun(deleting), "what is being deleted")
            }
            #expect(try await !store.keep(kept), "whether it can be kept")
            let beginning = try await store.beginChannel(ChannelFixtures.draft("final"))
            #expect(beginning == deleting, "what is in the way")
            #expect(try await !store.forget(kept), "whether what it was before is forgotten")
            #expect(try await store.forget(deleting), "whether it is forgotten")
            let unknown = try await store.beginDeletion(ofChannel: "final", of: app)
            #expect(unknown == .unknown, "what becomes of it then")
            let draft = ChannelFixtures.draft("draft")
            _ = try await store.beginChannel(draft)
            let begun = try await store.beginDeletion(ofChannel: "draft", of: app)
            #expect(begun == .begun(draft), "one that APNs never had")
        }
    }

    @Test("channels are an app's own, and go with it", arguments: TestStoreBackend.allCases)
    func appOwns(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            _ = try await store.keep(ChannelFixtures.draft("final").made(as: ChannelFixtures.id(1)))
            #expect(try await store.channel("final", of: StoreFixtures.otherApp) == nil, "another app's")
            _ = try await store.deleteApp(StoreFixtures.app)
            try await store.addSampleApp()
            #expect(try await store.channel("final", of: StoreFixtures.app) == nil, "what is left")
            let error = try await storeError {
                _ = try await store.keep(ChannelFixtures.lost.made(as: ChannelFixtures.id(1)))
            }
            #expect(error?.code == .notFound, "a channel of an app that there is not")
        }
    }
}

/// Channels for tests.
enum ChannelFixtures {
    /// A channel that is about to be made.
    static func draft(
        _ name: ChannelName,
        in environment: APNsEnvironment = .sandbox,
        policy: MessageStoragePolicy = .mostRecentMessage
    ) -> BroadcastChannel {
        BroadcastChannel(
            app: StoreFixtures.app,
            name: name,
            environment: environment,
            policy: policy,
            createdAt: StoreFixtures.now
        )
    }

    /// One of an app that does not exist.
    static let lost = BroadcastChannel(
        app: "com.example.none",
        name: "lost",
        environment: .sandbox,
        policy: .noMessage,
        createdAt: StoreFixtures.now
    )

    /// One of APNs' identifiers.
    static func id(_ number: Int) -> APNsChannelID {
        guard let id = APNsChannelID(rawValue: "dGVzdA\(number)==") else {
            preconditionFailure("that is an identifier")
        }
        return id
    }
}
