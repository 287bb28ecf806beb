// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: apps", .timeLimit(.minutes(5)))
struct AppTests {
    @Test("an app comes back as it was created", arguments: StoreInTest.allCases)
    func create(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            let app = App(
                id: StoreSamples.app,
                name: "Été 夏",
                defaultEnvironment: .sandbox,
                createdAt: StoreSamples.after(0.123)
            )
            try await store.createApp(app)
            let appThen = try await store.app(app.id)
            #expect(appThen == app, "the app")
            #expect(try await store.app(StoreSamples.otherApp) == nil, "an app that was never created")
        }
    }

    @Test("an app id is taken only once", arguments: StoreInTest.allCases)
    func idIsUnique(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await expectError(.conflict, "creating an app twice") { try await store.addSampleApp() }
        }
    }

    @Test("apps are listed page by page in the order of their ids", arguments: StoreInTest.allCases)
    func list(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            let ids: [AppID] = ["b.c", "a", "B", "a.b", "a-b"]
            for id in ids { try await store.addSampleApp(id) }
            var listed: [AppID] = []
            var cursor: AppID?
            repeat {
                let page = try await store.apps(after: cursor, limit: 2)
                #expect(page.elements.count <= 2, "a page has more elements than its limit")
                listed += page.elements.map(\.id)
                cursor = page.next
            } while cursor != nil
            #expect(listed == ids.sorted(), "the apps listed")
        }
    }

    @Test("deleting an app takes along all that is its own, and nothing else", arguments: StoreInTest.allCases)
    func delete(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
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
            #expect(try await store.deleteApp(StoreSamples.app), "the app was not deleted")
            #expect(try await !store.deleteApp(StoreSamples.app), "deleting it again")
            #expect(try await store.app(StoreSamples.app) == nil, "the app")
            #expect(try await store.device("phone", of: StoreSamples.app) == nil, "its device")
            #expect(try await store.notification(plan.notification.id) == nil, "its notification")
            #expect(try await store.outcome(of: plan.batches[0].id.apnsID(at: 1)) == nil, "its outcome")
            let ids = try await store.claim().map(\.batch.id)
            #expect(ids == [kept.batches[0].id], "the batches left")
            _ = try #require(try await store.device("phone", of: StoreSamples.otherApp), "the other app's device")
            try await store.addSampleApp()
            let page = try await store.devices(of: StoreSamples.app, in: nil, after: nil, limit: 10)
            #expect(page.elements.isEmpty, "an app created anew has the old one's devices")
        }
    }
}
