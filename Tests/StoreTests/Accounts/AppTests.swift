// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: apps", .timeLimit(.minutes(20)))
struct AppTests {
    @Test("an app comes back as it was created", arguments: TestStoreBackend.allCases)
    func create(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let app = App(
                id: StoreFixtures.app,
                name: "Été 夏",
                defaultEnvironment: .sandbox,
                createdAt: StoreFixtures.after(0.123)
            )
            try await store.createApp(app)
            let appThen = try await store.app(app.id)
            #expect(appThen == app, "the app")
            #expect(try await store.app(StoreFixtures.otherApp) == nil, "an app that was never created")
        }
    }

    @Test("an app id is taken only once", arguments: TestStoreBackend.allCases)
    func idIsUnique(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await expectError(.conflict, "creating an app twice") { try await store.addSampleApp() }
        }
    }

    @Test("apps are listed page by page in the order of their ids", arguments: TestStoreBackend.allCases)
    func list(kind: TestStoreBackend) async throws {
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

    @Test("deleting an app takes along all that is its own, and nothing else", arguments: TestStoreBackend.allCases)
    func delete(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            for app in [StoreFixtures.app, StoreFixtures.otherApp] {
                try await store.register(
                    StoreFixtures.registration("phone", token: 1, app: app, profile: DeviceProfile(topics: ["news"])),
                    now: StoreFixtures.now
                )
            }
            let plan = try StoreFixtures.plan(targets: 2)
            let kept = try StoreFixtures.plan(app: StoreFixtures.otherApp)
            try await store.accept(plan)
            try await store.accept(kept)
            #expect(try await store.deleteApp(StoreFixtures.app), "the app was not deleted")
            #expect(try await !store.deleteApp(StoreFixtures.app), "deleting it again")
            #expect(try await store.app(StoreFixtures.app) == nil, "the app")
            #expect(try await store.device("phone", of: StoreFixtures.app) == nil, "its device")
            #expect(try await store.notification(plan.notification.id) == nil, "its notification")
            #expect(try await store.outcome(of: plan.batches[0].id.apnsID(at: 1)) == nil, "its outcome")
            let ids = try await store.claim().map(\.batch.id)
            #expect(ids == [kept.batches[0].id], "the batches left")
            _ = try #require(try await store.device("phone", of: StoreFixtures.otherApp), "the other app's device")
            try await store.addSampleApp()
            let page = try await store.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 10)
            #expect(page.elements.isEmpty, "an app created anew has the old one's devices")
        }
    }
}
