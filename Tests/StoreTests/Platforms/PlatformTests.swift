// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: platforms", .timeLimit(.minutes(20)))
struct PlatformTests {
    @Test(
        "a platform application comes with its app and its credential, and is changed and removed by its name",
        arguments: TestStoreBackend.allCases
    )
    func application(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let made = PlatformFixtures.application("shop", attributes: ["Enabled": "true", "Note": "寿司 \"'"])
            try await store.putApplication(made, credential: PlatformFixtures.credential("credential"))
            let app = try #require(try await store.app(StoreFixtures.app), "the app")
            #expect(app.defaultEnvironment == .production, "the app's environment")
            let ids = try await store.credentials(of: app.id).map(\.id)
            #expect(ids == ["credential"], "the app's credentials")
            let application = try await store.application(made.name)
            #expect(application == made, "the application")
            let unknown = PlatformFixtures.name("none")
            #expect(try await store.application(unknown) == nil, "one that was never made")

            var changed = made
            changed.attributes = ["Note": "x", "Enabled": "true"]
            let set = try await store.changeApplication(
                made.name,
                attributes: ["Note": "x", "Other": ""],
                credential: nil
            )
            #expect(set == changed, "what was set")
            let next = PlatformFixtures.credential("next")
            let replaced = try await store.changeApplication(made.name, attributes: ["Note": ""], credential: next)
            changed.attributes = ["Enabled": "true"]
            changed.credential = "next"
            #expect(replaced == changed, "what has another credential")
            let storedApplication = try await store.application(made.name)
            #expect(storedApplication == changed, "what is stored of it")
            let credentials = try await store.credentials(of: app.id).map(\.id)
            #expect(credentials == ["next"], "the credentials then")
            let none = try await store.changeApplication(unknown, attributes: [:], credential: nil)
            #expect(none == nil, "what comes of changing one that there is not")

            let removed = try await store.removeApplication(made.name)
            #expect(removed == changed, "what was removed")
            #expect(try await store.removeApplication(made.name) == nil, "what is removed again")
            let credentialsLeft = try await store.credentials(of: app.id).map(\.id)
            #expect(credentialsLeft == [], "the credentials left")
            _ = try #require(try await store.app(StoreFixtures.app), "the app, which stays")
        }
    }

    @Test(
        "a platform application that is made once more keeps what it has, and cannot become another app's",
        arguments: TestStoreBackend.allCases
    )
    func createAgain(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.putApplication(
                PlatformFixtures.application("shop", attributes: ["A": "1"]),
                credential: PlatformFixtures.credential("credential")
            )
            let again = PlatformFixtures.application("shop", credential: "next", attributes: ["B": "2"])
            let put = try await store.putApplication(again, credential: PlatformFixtures.credential("next"))
            #expect(put.attributes == ["A": "1", "B": "2"], "its attributes")
            #expect(put.credential == "next", "its credential")
            let ids = try await store.credentials(of: StoreFixtures.app).map(\.id)
            #expect(ids == ["next"], "the app's credentials")
            let foreign = PlatformFixtures.application("shop", app: StoreFixtures.otherApp, credential: "foreign")
            try await expectError(.conflict, "the same name for another app") {
                let credential = PlatformFixtures.credential("foreign", app: StoreFixtures.otherApp)
                try await store.putApplication(foreign, credential: credential)
            }
            #expect(try await store.app(StoreFixtures.otherApp) == nil, "the other app, which is not made")
            try await store.deleteApp(StoreFixtures.app)
            #expect(try await store.application(again.name) == nil, "the application of an app that is gone")
        }
    }

    @Test(
        "platform applications are listed by platform and name, those of one app if asked for",
        arguments: TestStoreBackend.allCases
    )
    func list(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            for (number, name) in ["b", "a", "C"].enumerated() {
                let credential = CredentialID(unchecked: "credential \(number)")
                let app = number == 0 ? StoreFixtures.otherApp : StoreFixtures.app
                try await store.putApplication(
                    PlatformFixtures.application(name, app: app, credential: credential),
                    credential: PlatformFixtures.credential(credential, app: app)
                )
            }
            try await store.putApplication(
                PlatformFixtures.application(
                    "a",
                    platform: "APNS_SANDBOX",
                    environment: .sandbox,
                    credential: "sandbox"
                ),
                credential: PlatformFixtures.credential("sandbox")
            )
            func page(_ app: AppID?, after: PlatformApplication.Name?) async throws -> Page<String, String> {
                let page = try await store.applications(of: app, after: after, limit: 3)
                return Page(
                    elements: page.elements.map { "\($0.name.platform) \($0.name.text)" },
                    next: page.next?.text
                )
            }
            let first = try await page(nil, after: nil)
            #expect(first == Page(elements: ["APNS C", "APNS a", "APNS b"], next: "b"), "the first page")
            let second = try await page(nil, after: PlatformFixtures.name("b"))
            #expect(second == Page(elements: ["APNS_SANDBOX a"], next: nil), "the second page")
            let own = try await page(StoreFixtures.otherApp, after: nil)
            #expect(own == Page(elements: ["APNS b"], next: nil), "those of one app")
        }
    }

    @Test(
        "a device that is added as an endpoint is the one that has the token, if there is one",
        arguments: TestStoreBackend.allCases
    )
    func addEndpoint(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let draft = try PlatformFixtures.endpoint("one", token: 1, userData: "user 7")
            let (device, isNew) = try await store.addEndpoint(draft, now: StoreFixtures.now)
            #expect(isNew, "whether it is new")
            #expect(device.userData == "user 7", "its data")
            let deviceThen = try await store.device("one", of: StoreFixtures.app)
            #expect(deviceThen == device, "the device")
            let again = try await store.addEndpoint(
                PlatformFixtures.endpoint("two", token: 1),
                now: StoreFixtures.after(1)
            )
            #expect(!again.isNew, "whether it is new the second time")
            #expect(again.device == device, "the device that is there")
            let sandbox = try PlatformFixtures.endpoint("three", token: 1, environment: .sandbox)
            let other = try await store.addEndpoint(sandbox, now: StoreFixtures.now)
            #expect(other.isNew, "whether it is new in the other environment")
            try await expectError(.notFound, "an endpoint of no app") {
                var lost = draft
                lost.container = EndpointContainer(app: StoreFixtures.otherApp, environment: .production)
                _ = try await store.addEndpoint(lost, now: StoreFixtures.now)
            }
        }
    }

    @Test(
        "an endpoint is found with its application, in the environment of that one alone",
        arguments: TestStoreBackend.allCases
    )
    func findEndpoint(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let name = PlatformFixtures.name("a")
            #expect(try await store.endpoint("one", of: name) == nil, "whether none of no application is there")
            let application = PlatformFixtures.application("a")
            try await store.putApplication(application, credential: PlatformFixtures.credential("credential"))
            let unknown = try await store.endpoint("one", of: name)
            #expect(unknown?.application == application, "the application of an unknown device")
            #expect(unknown?.endpoint == nil, "the unknown device")
            let draft = try PlatformFixtures.endpoint("one", token: 1, userData: "user 7")
            let (device, _) = try await store.addEndpoint(draft, now: StoreFixtures.now)
            let found = try await store.endpoint("one", of: name)
            #expect(found?.application == application, "the application")
            let endpoint = PlatformEndpoint(
                installation: "one",
                target: device.target,
                status: device.status,
                userData: "user 7"
            )
            #expect(found?.endpoint == endpoint, "the device")
            _ = try await store.addEndpoint(
                PlatformFixtures.endpoint("two", token: 2, environment: .sandbox),
                now: StoreFixtures.now
            )
            let other = try await store.endpoint("two", of: name)
            #expect(other?.endpoint == nil, "a device of the other environment")
        }
    }

    @Test("many calls that add the same token at once make one device", arguments: TestStoreBackend.allCases)
    func concurrentAdds(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let installations = try await withThrowingTaskGroup(of: DeviceID.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let name = DeviceID(unchecked: "device-\(number)")
                        let draft = try PlatformFixtures.endpoint(name, token: 1)
                        return try await store.addEndpoint(draft, now: StoreFixtures.now).device.installation
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(installations.count == 1, "how many devices there were")
        }
    }

    @Test(
        "an endpoint that a caller has disabled is sent nothing until it is enabled again",
        arguments: TestStoreBackend.allCases
    )
    func disable(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let draft = try PlatformFixtures.endpoint("phone", token: 1, isEnabled: false)
            let (device, _) = try await store.addEndpoint(draft, now: StoreFixtures.now)
            #expect(device.status == .disabled(since: StoreFixtures.now), "its status")
            let storedDevice = try await store.device("phone", of: StoreFixtures.app)
            #expect(storedDevice == device, "what is stored of it")
            let app = StoreFixtures.app
            let targets = try await store.targets(of: app, installations: ["phone"])
            #expect(targets == [:], "where it is reached")
            let enabled = try await store.change("phone", by: EndpointUpdate(isEnabled: true))
            #expect(enabled?.status == .active, "its status then")
            #expect(enabled?.registeredAt == StoreFixtures.now, "when it registered last")
            let targetsThen = try await store.targets(of: app, installations: ["phone"])
            let expected: [DeviceID: Target] = ["phone": try StoreFixtures.target(1)]
            #expect(targetsThen == expected, "where it is reached then")
            let disabled = try await store.change("phone", by: EndpointUpdate(isEnabled: false))
            #expect(disabled?.status == .disabled(since: StoreFixtures.after(5)), "its status in the end")
        }
    }

    @Test(
        "an endpoint takes another token from whoever has it, and keeps its data while its app registers",
        arguments: TestStoreBackend.allCases
    )
    func moveToken(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            _ = try await store.addEndpoint(
                PlatformFixtures.endpoint("one", token: 1, userData: "a"),
                now: StoreFixtures.now
            )
            _ = try await store.addEndpoint(PlatformFixtures.endpoint("two", token: 2), now: StoreFixtures.now)
            let moved = try await store.change("one", by: EndpointUpdate(token: StoreFixtures.token(2)))
            let expected = try StoreFixtures.token(2)
            #expect(moved?.token == expected, "its token")
            #expect(moved?.registeredAt == StoreFixtures.after(5), "when it registered last")
            let device = try await store.device("one", of: StoreFixtures.app)
            #expect(device == moved, "what is stored of it")
            #expect(try await store.device("two", of: StoreFixtures.app) == nil, "who had the token")
            let registered = try await store.register(
                StoreFixtures.registration("one", token: 3),
                now: StoreFixtures.after(9)
            )
            #expect(registered.userData == "a", "its data behind a registration")
            let stored = try await store.device("one", of: StoreFixtures.app)
            #expect(stored == registered, "what is stored then")
            let cleared = try await store.change("one", by: EndpointUpdate(userData: ""))
            #expect(cleared?.userData == nil, "its data in the end")
            let sandbox = try await store.changeEndpoint(
                "one",
                in: EndpointContainer(app: StoreFixtures.app, environment: .sandbox),
                by: EndpointUpdate(isEnabled: false),
                now: StoreFixtures.now
            )
            #expect(sandbox == nil, "one of the other environment")
            #expect(try await store.change("none", by: EndpointUpdate()) == nil, "one that there is not")
        }
    }

    @Test("endpoints are the devices of one environment, page by page", arguments: TestStoreBackend.allCases)
    func listEndpoints(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 1...5 {
                let environment: APNsEnvironment = number == 2 ? .sandbox : .production
                let name = DeviceID(unchecked: "device-\(number)")
                _ = try await store.addEndpoint(
                    PlatformFixtures.endpoint(name, token: number, environment: environment),
                    now: StoreFixtures.now
                )
            }
            let container = EndpointContainer(app: StoreFixtures.app, environment: .production)
            let first = try await store.endpoints(in: container, after: nil, limit: 3)
            #expect(first.elements.map(\.installation) == ["device-1", "device-3", "device-4"], "the first page")
            let second = try await store.endpoints(in: container, after: first.next, limit: 3)
            #expect(second.elements.map(\.installation) == ["device-5"], "the second page")
            #expect(second.next == nil, "the cursor behind it")
            let other = EndpointContainer(app: StoreFixtures.otherApp, environment: .production)
            let none = try await store.endpoints(in: other, after: nil, limit: 3)
            #expect(none.elements == [], "those of no app")
        }
    }

    @Test("the sealed secret of an access key comes back as it was created", arguments: TestStoreBackend.allCases)
    func secret(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let secret = APIKeySecret.generate()
            let key = APIKey(
                id: secret.id,
                name: "worker",
                scopes: [.send],
                secretHash: secret.hash,
                sealedSigningSecret: [0, 255, 7],
                createdAt: StoreFixtures.now
            )
            try await store.createKey(key)
            let keyThen = try await store.key(key.id)
            #expect(keyThen == key, "the key")
        }
    }
}
