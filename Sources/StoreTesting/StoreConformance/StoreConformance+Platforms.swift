// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

extension StoreConformance {
    static let platforms = [
        Check("a platform application comes with its app and its credential, and is changed and removed by its name") {
            store in
            let made = PlatformSamples.application("shop", attributes: ["Enabled": "true", "Note": "寿司 \"'"])
            try await store.putApplication(made, credential: PlatformSamples.credential("credential"))
            let app = try require(try await store.app(StoreSamples.app), "the app")
            try expectEqual(app.defaultEnvironment, .production, "the app's environment")
            try expectEqual(try await store.credentials(of: app.id).map(\.id), ["credential"], "the app's credentials")
            try expectEqual(try await store.application(made.name), made, "the application")
            let unknown = PlatformSamples.name("none")
            try expectEqual(try await store.application(unknown), nil, "one that was never made")

            var changed = made
            changed.attributes = ["Note": "x", "Enabled": "true"]
            let set = try await store.changeApplication(
                made.name,
                attributes: ["Note": "x", "Other": ""],
                credential: nil
            )
            try expectEqual(set, changed, "what was set")
            let next = PlatformSamples.credential("next")
            let replaced = try await store.changeApplication(made.name, attributes: ["Note": ""], credential: next)
            changed.attributes = ["Enabled": "true"]
            changed.credential = "next"
            try expectEqual(replaced, changed, "what has another credential")
            try expectEqual(try await store.application(made.name), changed, "what is stored of it")
            try expectEqual(try await store.credentials(of: app.id).map(\.id), ["next"], "the credentials then")
            let none = try await store.changeApplication(unknown, attributes: [:], credential: nil)
            try expectEqual(none, nil, "what comes of changing one that there is not")

            try expectEqual(try await store.removeApplication(made.name), changed, "what was removed")
            try expectEqual(try await store.removeApplication(made.name), nil, "what is removed again")
            try expectEqual(try await store.credentials(of: app.id).map(\.id), [], "the credentials left")
            _ = try require(try await store.app(StoreSamples.app), "the app, which stays")
        },
        Check("a platform application that is made once more keeps what it has, and cannot become another app's") {
            store in
            try await store.addSampleApp()
            try await store.putApplication(
                PlatformSamples.application("shop", attributes: ["A": "1"]),
                credential: PlatformSamples.credential("credential")
            )
            let again = PlatformSamples.application("shop", credential: "next", attributes: ["B": "2"])
            let put = try await store.putApplication(again, credential: PlatformSamples.credential("next"))
            try expectEqual(put.attributes, ["A": "1", "B": "2"], "its attributes")
            try expectEqual(put.credential, "next", "its credential")
            try expectEqual(
                try await store.credentials(of: StoreSamples.app).map(\.id),
                ["next"],
                "the app's credentials"
            )
            let foreign = PlatformSamples.application("shop", app: StoreSamples.otherApp, credential: "foreign")
            try await expectError(.conflict, "the same name for another app") {
                let credential = PlatformSamples.credential("foreign", app: StoreSamples.otherApp)
                try await store.putApplication(foreign, credential: credential)
            }
            try expectEqual(try await store.app(StoreSamples.otherApp), nil, "the other app, which is not made")
            try await store.deleteApp(StoreSamples.app)
            try expectEqual(try await store.application(again.name), nil, "the application of an app that is gone")
        },
        Check("platform applications are listed by platform and name, those of one app if asked for") { store in
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
            try expectEqual(first, Page(elements: ["APNS C", "APNS a", "APNS b"], next: "b"), "the first page")
            let second = try await page(nil, after: PlatformSamples.name("b"))
            try expectEqual(second, Page(elements: ["APNS_SANDBOX a"], next: nil), "the second page")
            let own = try await page(StoreSamples.otherApp, after: nil)
            try expectEqual(own, Page(elements: ["APNS b"], next: nil), "those of one app")
        },
        Check("a device that is added as an endpoint is the one that has the token, if there is one") { store in
            try await store.addSampleApp()
            let draft = try PlatformSamples.endpoint("one", token: 1, userData: "user 7")
            let (device, isNew) = try await store.addEndpoint(draft, now: StoreSamples.now)
            try expectEqual(isNew, true, "whether it is new")
            try expectEqual(device.userData, "user 7", "its data")
            try expectEqual(try await store.device("one", of: StoreSamples.app), device, "the device")
            let again = try await store.addEndpoint(
                PlatformSamples.endpoint("two", token: 1),
                now: StoreSamples.after(1)
            )
            try expectEqual(again.isNew, false, "whether it is new the second time")
            try expectEqual(again.device, device, "the device that is there")
            let sandbox = try PlatformSamples.endpoint("three", token: 1, environment: .sandbox)
            let other = try await store.addEndpoint(sandbox, now: StoreSamples.now)
            try expectEqual(other.isNew, true, "whether it is new in the other environment")
            try await expectError(.notFound, "an endpoint of no app") {
                var lost = draft
                lost.app = StoreSamples.otherApp
                _ = try await store.addEndpoint(lost, now: StoreSamples.now)
            }
        },
        Check("an endpoint is found with its application, in the environment of that one alone") { store in
            try await store.addSampleApp()
            let name = PlatformSamples.name("a")
            try expectEqual(
                try await store.endpoint("one", of: name) == nil,
                true,
                "whether none of no application is there"
            )
            let application = PlatformSamples.application("a")
            try await store.putApplication(application, credential: PlatformSamples.credential("credential"))
            let unknown = try await store.endpoint("one", of: name)
            try expectEqual(unknown?.application, application, "the application of an unknown device")
            try expectEqual(unknown?.device, nil, "the unknown device")
            let draft = try PlatformSamples.endpoint("one", token: 1, userData: "user 7")
            let (device, _) = try await store.addEndpoint(draft, now: StoreSamples.now)
            let found = try await store.endpoint("one", of: name)
            try expectEqual(found?.application, application, "the application")
            try expectEqual(found?.device, device, "the device")
            _ = try await store.addEndpoint(
                PlatformSamples.endpoint("two", token: 2, environment: .sandbox),
                now: StoreSamples.now
            )
            let other = try await store.endpoint("two", of: name)
            try expectEqual(other?.device, nil, "a device of the other environment")
        },
        Check("many calls that add the same token at once make one device") { store in
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
            try expectEqual(installations.count, 1, "how many devices there were")
        },
        Check("an endpoint that a caller has disabled is sent nothing until it is enabled again") { store in
            try await store.addSampleApp()
            let draft = try PlatformSamples.endpoint("phone", token: 1, isEnabled: false)
            let (device, _) = try await store.addEndpoint(draft, now: StoreSamples.now)
            try expectEqual(device.status, .disabled(since: StoreSamples.now), "its status")
            try expectEqual(try await store.device("phone", of: StoreSamples.app), device, "what is stored of it")
            let app = StoreSamples.app
            try expectEqual(try await store.targets(of: app, installations: ["phone"]), [:], "where it is reached")
            let enabled = try await store.change("phone", by: EndpointChange(isEnabled: true))
            try expectEqual(enabled?.status, .active, "its status then")
            try expectEqual(enabled?.registeredAt, StoreSamples.now, "when it registered last")
            try expectEqual(
                try await store.targets(of: app, installations: ["phone"]),
                ["phone": StoreSamples.target(1)],
                "where it is reached then"
            )
            let disabled = try await store.change("phone", by: EndpointChange(isEnabled: false))
            try expectEqual(disabled?.status, .disabled(since: StoreSamples.after(5)), "its status in the end")
        },
        Check("an endpoint takes another token from whoever has it, and keeps its data while its app registers") {
            store in
            try await store.addSampleApp()
            _ = try await store.addEndpoint(
                PlatformSamples.endpoint("one", token: 1, userData: "a"),
                now: StoreSamples.now
            )
            _ = try await store.addEndpoint(PlatformSamples.endpoint("two", token: 2), now: StoreSamples.now)
            let moved = try await store.change("one", by: EndpointChange(token: StoreSamples.token(2)))
            try expectEqual(moved?.token, try StoreSamples.token(2), "its token")
            try expectEqual(moved?.registeredAt, StoreSamples.after(5), "when it registered last")
            try expectEqual(try await store.device("one", of: StoreSamples.app), moved, "what is stored of it")
            try expectEqual(try await store.device("two", of: StoreSamples.app), nil, "who had the token")
            let registered = try await store.register(
                StoreSamples.registration("one", token: 3),
                now: StoreSamples.after(9)
            )
            try expectEqual(registered.userData, "a", "its data behind a registration")
            try expectEqual(try await store.device("one", of: StoreSamples.app), registered, "what is stored then")
            let cleared = try await store.change("one", by: EndpointChange(userData: ""))
            try expectEqual(cleared?.userData, nil, "its data in the end")
            let sandbox = try await store.changeEndpoint(
                "one",
                of: StoreSamples.app,
                in: .sandbox,
                by: EndpointChange(isEnabled: false),
                now: StoreSamples.now
            )
            try expectEqual(sandbox, nil, "one of the other environment")
            try expectEqual(try await store.change("none", by: EndpointChange()), nil, "one that there is not")
        },
        Check("endpoints are the devices of one environment, page by page") { store in
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
            try expectEqual(
                first.elements.map(\.installation),
                ["device-1", "device-3", "device-4"],
                "the first page"
            )
            let second = try await store.endpoints(of: app, in: .production, after: first.next, limit: 3)
            try expectEqual(second.elements.map(\.installation), ["device-5"], "the second page")
            try expectEqual(second.next, nil, "the cursor behind it")
            let none = try await store.endpoints(of: StoreSamples.otherApp, in: .production, after: nil, limit: 3)
            try expectEqual(none.elements, [], "those of no app")
        },
        Check("the sealed secret of an access key comes back as it was created") { store in
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
            try expectEqual(try await store.key(key.id), key, "the key")
        },
    ]
}
