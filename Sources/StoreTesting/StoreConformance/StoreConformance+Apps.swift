// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

extension StoreConformance {
    static let apps = [
        Check("an app comes back as it was created") { store in
            let app = App(
                id: StoreSamples.app,
                name: "Été 夏",
                defaultEnvironment: .sandbox,
                createdAt: StoreSamples.after(0.123)
            )
            try await store.createApp(app)
            try expectEqual(try await store.app(app.id), app, "the app")
            try expectEqual(try await store.app(StoreSamples.otherApp), nil, "an app that was never created")
        },
        Check("an app id is taken only once") { store in
            try await store.addSampleApp()
            try await expectError(.conflict, "creating an app twice") { try await store.addSampleApp() }
        },
        Check("apps are listed page by page in the order of their ids") { store in
            let ids: [AppID] = ["b.c", "a", "B", "a.b", "a-b"]
            for id in ids { try await store.addSampleApp(id) }
            var listed: [AppID] = []
            var cursor: AppID?
            repeat {
                let page = try await store.apps(after: cursor, limit: 2)
                try expect(page.elements.count <= 2, "a page has more elements than its limit")
                listed += page.elements.map(\.id)
                cursor = page.next
            } while cursor != nil
            try expectEqual(listed, ids.sorted(), "the apps listed")
        },
        Check("deleting an app takes along all that is its own, and nothing else") { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            for app in [StoreSamples.app, StoreSamples.otherApp] {
                try await store.register(
                    StoreSamples.registration("phone", token: 1, app: app, profile: DeviceProfile(topics: ["news"])),
                    now: StoreSamples.now
                )
            }
            let plan = try StoreSamples.plan(targets: 2)
            let kept = try StoreSamples.plan(app: StoreSamples.otherApp)
            try await store.accept(plan)
            try await store.accept(kept)
            try expect(try await store.deleteApp(StoreSamples.app), "the app was not deleted")
            try expectEqual(try await store.deleteApp(StoreSamples.app), false, "deleting it again")
            try expectEqual(try await store.app(StoreSamples.app), nil, "the app")
            try expectEqual(try await store.device("phone", of: StoreSamples.app), nil, "its device")
            try expectEqual(try await store.notification(plan.notification.id), nil, "its notification")
            try expectEqual(try await store.outcome(of: plan.batches[0].id.apnsID(at: 1)), nil, "its outcome")
            try expectEqual(try await store.claim().map(\.batch.id), [kept.batches[0].id], "the batches left")
            _ = try require(try await store.device("phone", of: StoreSamples.otherApp), "the other app's device")
            try await store.addSampleApp()
            let page = try await store.devices(of: StoreSamples.app, after: nil, limit: 10)
            try expect(page.elements.isEmpty, "an app created anew has the old one's devices")
        },
    ]
}
