// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import PushModel
import PushStore

extension StoreConformance {
    static let channels = [
        Check("a channel is noted, kept under APNs' identifier, listed by its environment and forgotten") { store in
            try await store.addSampleApp()
            let draft = ChannelSamples.draft("final")
            try expectEqual(try await store.beginChannel(draft), nil, "what is in the way")
            try expectEqual(try await store.channel("final", of: StoreSamples.app), draft, "what is noted")
            let kept = draft.made(as: ChannelSamples.id(1))
            try expectEqual(try await store.keep(kept), true, "whether it is kept")
            let other = ChannelSamples.draft("a", policy: .noMessage).made(as: ChannelSamples.id(2))
            try expectEqual(try await store.keep(other), true, "whether one is kept that was not noted")
            let production = ChannelSamples.draft("p", in: .production).made(as: ChannelSamples.id(2))
            try expectEqual(try await store.keep(production), true, "whether one of the other environment is kept")
            let app = StoreSamples.app
            try expectEqual(try await store.channels(of: app, in: .sandbox), [other, kept], "the sandbox's")
            try expectEqual(try await store.channels(of: app, in: .production), [production], "production's")
            try expectEqual(try await store.channels(of: StoreSamples.otherApp, in: .sandbox), [], "an unknown app's")
            try expectEqual(try await store.forget(kept), true, "whether it was there")
            try expectEqual(try await store.forget(kept), false, "whether it is there still")
            try expectEqual(try await store.channel("final", of: app), nil, "what is left of it")
        },
        Check("a channel's name is taken once APNs has it, and free for another try before") { store in
            try await store.addSampleApp()
            let first = ChannelSamples.draft("final")
            _ = try await store.beginChannel(first)
            let second = ChannelSamples.draft("final", in: .production, policy: .noMessage)
            try expectEqual(try await store.beginChannel(second), nil, "what is in the way of another try")
            let kept = second.made(as: ChannelSamples.id(1))
            try expectEqual(try await store.keep(kept), true, "whether it is kept")
            try expectEqual(try await store.keep(kept), true, "whether it is kept when that is said again")
            try expectEqual(try await store.keep(first.made(as: ChannelSamples.id(2))), false, "whether a late one is")
            try expectEqual(try await store.beginChannel(first), kept, "what is in the way")
            try expectEqual(try await store.forget(first), false, "whether what is no more is forgotten")
            let twin = ChannelSamples.draft("twin", in: .production).made(as: ChannelSamples.id(1))
            try expectEqual(try await store.keep(twin), false, "whether one identifier has two names")
            try expectEqual(try await store.channel("final", of: StoreSamples.app), kept, "the channel")
        },
        Check("a channel that is being deleted is in the way until it is forgotten, however often that begins") {
            store in
            try await store.addSampleApp()
            let app = StoreSamples.app
            let kept = ChannelSamples.draft("final").made(as: ChannelSamples.id(1))
            _ = try await store.keep(kept)
            var deleting = kept
            deleting.state = .deleting(ChannelSamples.id(1))
            for _ in 0..<2 {
                let begun = try await store.beginDeletion(ofChannel: "final", of: app)
                try expectEqual(begun, .begun(deleting), "what is being deleted")
            }
            try expectEqual(try await store.keep(kept), false, "whether it can be kept")
            try expectEqual(try await store.beginChannel(ChannelSamples.draft("final")), deleting, "what is in the way")
            try expectEqual(try await store.forget(kept), false, "whether what it was before is forgotten")
            try expectEqual(try await store.forget(deleting), true, "whether it is forgotten")
            let unknown = try await store.beginDeletion(ofChannel: "final", of: app)
            try expectEqual(unknown, .unknown, "what becomes of it then")
            let draft = ChannelSamples.draft("draft")
            _ = try await store.beginChannel(draft)
            let begun = try await store.beginDeletion(ofChannel: "draft", of: app)
            try expectEqual(begun, .begun(draft), "one that APNs never had")
        },
        Check("channels are an app's own, and go with it") { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            _ = try await store.keep(ChannelSamples.draft("final").made(as: ChannelSamples.id(1)))
            try expectEqual(try await store.channel("final", of: StoreSamples.otherApp), nil, "another app's")
            _ = try await store.deleteApp(StoreSamples.app)
            try await store.addSampleApp()
            try expectEqual(try await store.channel("final", of: StoreSamples.app), nil, "what is left")
            let error = try await storeError {
                _ = try await store.keep(ChannelSamples.lost.made(as: ChannelSamples.id(1)))
            }
            try expectEqual(error?.code, .notFound, "a channel of an app that there is not")
        },
    ]
}

/// Channels for checks.
package enum ChannelSamples {
    /// A channel that is about to be made.
    package static func draft(
        _ name: ChannelName,
        in environment: APNsEnvironment = .sandbox,
        policy: MessageStoragePolicy = .newestMessage
    ) -> BroadcastChannel {
        BroadcastChannel(
            app: StoreSamples.app,
            name: name,
            environment: environment,
            policy: policy,
            createdAt: StoreSamples.now
        )
    }

    /// One of an app that does not exist.
    package static let lost = BroadcastChannel(
        app: "com.example.none",
        name: "lost",
        environment: .sandbox,
        policy: .noMessage,
        createdAt: StoreSamples.now
    )

    /// One of APNs' identifiers.
    package static func id(_ number: Int) -> APNsChannelID {
        guard let id = APNsChannelID(rawValue: "dGVzdA\(number)==") else {
            preconditionFailure("that is an identifier")
        }
        return id
    }
}
