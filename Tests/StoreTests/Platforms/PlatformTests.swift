// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: platforms", .timeLimit(.minutes(5)))
struct PlatformTests {
    @Test(
        "a platform application comes with its app and its credential, and is changed and removed by its name",
        arguments: StoreInTest.allCases
    )
    func application(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            let made = PlatformSamples.application("shop", attributes: ["Enabled": "true", "Note": "寿司 \"'"])
            try await store.putApplication(made, credential: PlatformSamples.credential("credential"))
            let app = try #require(try await store.app(StoreSamples.app), "the app")
            #expect(app.defaultEnvironment == .production, "the app's environment")
            let ids = try await store.credentials(of: app.id).map(\.id)
            #expect(ids == ["credential"], "the app's credentials")
            let application = try await store.application(made.name)
            #expect(application == made, "the application")
            let unknown = PlatformSamples.name("none")
            #expect(try await store.application(unknown) == nil, "one that was never made")

            var changed = made
            changed.attributes = ["Note": "x", "Enabled": "true"]
            let set = try await store.changeApplication(
                made.name,
                attributes: ["Note": "x", "Other": ""],
                credential: nil
            )
            #expect(set == changed, "what was set")
            let next = PlatformSamples.credential("next")
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
            _ = try #require(try await store.app(StoreSamples.app), "the app, which stays")
        }
    }

    @Test(
        "a platform application that is made once more keeps what it has, and cannot become another app's",
        arguments: StoreInTest.allCases
    )
    func createAgain(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.putApplication(
                PlatformSamples.application("shop", attributes: ["A": "1"]),
                credential: PlatformSamples.credential("credential")
            )
            let again = PlatformSamples.application("shop", credential: "next", attributes: ["B": "2"])
            let put = try await store.putApplication(again, credential: PlatformSamples.credential("next"))
            #expect(put.attributes == ["A": "1", "B": "2"], "its attributes")
            #expect(put.credential == "next", "its credential")
            let ids = try await store.credentials(of: StoreSamples.app).map(\.id)
            #expect(ids == ["next"], "the app's credentials")
            let foreign = PlatformSamples.application("shop", app: StoreSamples.otherApp, credential: "foreign")
            try await expectError(.conflict, "the same name for another app") {
                let credential = PlatformSamples.credential("foreign", app: StoreSamples.otherApp)
                try await store.putApplication(foreign, credential: credential)
            }
            #expect(try await store.app(StoreSamples.otherApp) == nil, "the other app, which is not made")
            try await store.deleteApp(StoreSamples.app)
            #expect(try await store.application(again.name) == nil, "the application of an app that is gone")
        }
    }

    @Test(
        "platform applications are listed by platform and name, those of one app if asked for",
        arguments: StoreInTest.allCases
    )
    func list(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            for (number, name) in ["b", "a", "C"].enumerated() {
                let credential = CredentialID(unchecked: "credential \(number)")
                let app = number == 0 ? StoreSamples.otherApp : StoreSamples.app
                try await store.putApplication(
                    PlatformSamples.application(name, app: app, credential: credential),
                    credential: PlatformSamples.credential(credential, app: app)
                )
            }
            try await store.putApplication(
                PlatformSamples.application(
                    "a",
                    platform: "APNS_SANDBOX",
                    environment: .sandbox,
                    credential: "sandbox"
                ),
                credential: PlatformSamples.credential("sandbox")
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
            let second = try await page(nil, after: PlatformSamples.name("b"))
            #expect(second == Page(elements: ["APNS_SANDBOX a"], next: nil), "the second page")
            let own = try await page(StoreSamples.otherApp, after: nil)
            #expect(own == Page(elements: ["APNS b"], next: nil), "those of one app")
        }
    }

    @Test(
        "a device that is added as an endpoint is the one that has the token, if there is one",
        arguments: StoreInTest.allCases
    )
    func addEndpoint(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let draft = try PlatformSamples.endpoint("one", token: 1, userData: "user 7")
            let (device, isNew) = try await store.addEndpoint(draft, now: StoreSamples.now)
            #expect(isNew, "whether it is new")
            #expect(device.userData == "user 7", "its data")
            let deviceThen = try await store.device("one", of: StoreSamples.app)
            #expect(deviceThen == device, "the device")
            let again = try await store.addEndpoint(
                PlatformSamples.endpoint("two", token: 1),
                now: StoreSamples.after(1)
            )
            #expect(!again.isNew, "whether it is new the second time")
            #expect(again.device == device, "the device that is there")
            let sandbox = try PlatformSamples.endpoint("three", token: 1, environment: .sandbox)
            let other = try await store.addEndpoint(sandbox, now: StoreSamples.now)
            #expect(other.isNew, "whether it is new in the other environment")
            try await expectError(.notFound, "an endpoint of no app") {
                var lost = draft
                lost.app = StoreSamples.otherApp
                _ = try await store.addEndpoint(lost, now: StoreSamples.now)
            }
        }
    }

    @Test(
        "an endpoint is found with its application, in the environment of that one alone",
        arguments: StoreInTest.allCases
    )
    func findEndpoint(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let name = PlatformSamples.name("a")
            #expect(try await store.endpoint("one", of: name) == nil, "whether none of no application is there")
            let application = PlatformSamples.application("a")
            try await store.putApplication(application, credential: PlatformSamples.credential("credential"))
            let unknown = try await store.endpoint("one", of: name)
            #expect(unknown?.application == application, "the application of an unknown device")
            #expect(unknown?.endpoint == nil, "the unknown device")
            let draft = try PlatformSamples.endpoint("one", token: 1, userData: "user 7")
            let (device, _) = try await store.addEndpoint(draft, now: StoreSamples.now)
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
                PlatformSamples.endpoint("two", token: 2, environment: .sandbox),
                now: StoreSamples.now
            )
            let other = try await store.endpoint("two", of: name)
            #expect(other?.endpoint == nil, "a device of the other environment")
        }
    }

    @Test("many calls that add the same token at once make one device", arguments: StoreInTest.allCases)
    func concurrentAdds(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let installations = try await withThrowingTaskGroup(of: InstallationID.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let name = InstallationID(unchecked: "device-\(number)")
                        let draft = try PlatformSamples.endpoint(name, token: 1)
                        return try await store.addEndpoint(draft, now: StoreSamples.now).device.installation
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(installations.count == 1, "how many devices there were")
        }
    }

    @Test(
        "an endpoint that a caller has disabled is sent nothing until it is enabled again",
        arguments: StoreInTest.allCases
    )
    func disable(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let draft = try PlatformSamples.endpoint("phone", token: 1, isEnabled: false)
            let (device, _) = try await store.addEndpoint(draft, now: StoreSamples.now)
            #expect(device.status == .disabled(since: StoreSamples.now), "its status")
            let storedDevice = try await store.device("phone", of: StoreSamples.app)
            #expect(storedDevice == device, "what is stored of it")
            let app = StoreSamples.app
            let targets = try await store.targets(of: app, installations: ["phone"])
            #expect(targets == [:], "where it is reached")
            let enabled = try await store.change("phone", by: EndpointChange(isEnabled: true))
            #expect(enabled?.status == .active, "its status then")
            #expect(enabled?.registeredAt == StoreSamples.now, "when it registered last")
            let targetsThen = try await store.targets(of: app, installations: ["phone"])
            let expected: [InstallationID: Target] = ["phone": try StoreSamples.target(1)]
            #expect(targetsThen == expected, "where it is reached then")
            let disabled = try await store.change("phone", by: EndpointChange(isEnabled: false))
            #expect(disabled?.status == .disabled(since: StoreSamples.after(5)), "its status in the end")
        }
    }

    @Test(
        "an endpoint takes another token from whoever has it, and keeps its data while its app registers",
        arguments: StoreInTest.allCases
    )
    func moveToken(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            _ = try await store.addEndpoint(
                PlatformSamples.endpoint("one", token: 1, userData: "a"),
                now: StoreSamples.now
            )
            _ = try await store.addEndpoint(PlatformSamples.endpoint("two", token: 2), now: StoreSamples.now)
            let moved = try await store.change("one", by: EndpointChange(token: StoreSamples.token(2)))
            let expected = try StoreSamples.token(2)
            #expect(moved?.token == expected, "its token")
            #expect(moved?.registeredAt == StoreSamples.after(5), "when it registered last")
            let device = try await store.device("one", of: StoreSamples.app)
            #expect(device == moved, "what is stored of it")
            #expect(try await store.device("two", of: StoreSamples.app) == nil, "who had the token")
            let registered = try await store.register(
                StoreSamples.registration("one", token: 3),
                now: StoreSamples.after(9)
            )
            #expect(registered.userData == "a", "its data behind a registration")
            let stored = try await store.device("one", of: StoreSamples.app)
            #expect(stored == registered, "what is stored then")
            let cleared = try await store.change("one", by: EndpointChange(userData: ""))
            #expect(cleared?.userData == nil, "its data in the end")
            let sandbox = try await store.changeEndpoint(
                "one",
                of: StoreSamples.app,
                in: .sandbox,
                by: EndpointChange(isEnabled: false),
                now: StoreSamples.now
            )
            #expect(sandbox == nil, "one of the other environment")
            #expect(try await store.change("none", by: EndpointChange()) == nil, "one that there is not")
        }
    }

    @Test("endpoints are the devices of one environment, page by page", arguments: StoreInTest.allCases)
    func listEndpoints(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 1...5 {
                let environment: APNsEnvironment = number == 2 ? .sandbox : .production
                let name = InstallationID(unchecked: "device-\(number)")
                _ = try await store.addEndpoint(
                    PlatformSamples.endpoint(name, token: number, environment: environment),
                    now: StoreSamples.now
                )
            }
            let app = StoreSamples.app
            let first = try await store.endpoints(of: app, in: .production, after: nil, limit: 3)
            #expect(first.elements.map(\.installation) == ["device-1", "device-3", "device-4"], "the first page")
            let second = try await store.endpoints(of: app, in: .production, after: first.next, limit: 3)
            #expect(second.elements.map(\.installation) == ["device-5"], "the second page")
            #expect(second.next == nil, "the cursor behind it")
            let none = try await store.endpoints(of: StoreSamples.otherApp, in: .production, after: nil, limit: 3)
            #expect(none.elements == [], "those of no app")
        }
    }

    @Test("the sealed secret of an access key comes back as it was created", arguments: StoreInTest.allCases)
    func secret(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            let secret = APIKeySecret.generate()
            let key = APIKey(
                id: secret.id,
                name: "worker",
                scopes: [.send],
                secretHash: secret.hash,
                sealedSigningSecret: [0, 255, 7],
                createdAt: StoreSamples.now
            )
            try await store.createKey(key)
            let keyThen = try await store.key(key.id)
            #expect(keyThen == key, "the key")
        }
    }
}
