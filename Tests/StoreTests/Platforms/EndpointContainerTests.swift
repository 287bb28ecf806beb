// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: endpoints of several applications", .timeLimit(.minutes(20)))
struct EndpointContainerTests {
    /// Creates two applications of one app and environment, and in both an endpoint with the same token.
    private static func two(
        in store: some PushStore
    ) async throws -> (first: PlatformApplication, second: PlatformApplication) {
        var made: [PlatformApplication] = []
        for name in ["a", "b"] {
            let id = CredentialID(unchecked: "credential \(name)")
            let application = try await store.putApplication(
                PlatformFixtures.application(name, credential: id),
                credential: PlatformFixtures.credential(id)
            )
            let draft = try PlatformFixtures.endpoint(
                DeviceID(unchecked: "phone \(name)"),
                token: 1,
                userData: "data \(name)",
                container: application.container
            )
            #expect(try await store.addEndpoint(draft, now: StoreFixtures.now).isNew, "whether \(name) has a new one")
            made.append(application)
        }
        return (made[0], made[1])
    }

    private static func endpoints(of application: PlatformApplication, _ store: some PushStore) async throws -> [String]
    {
        try await store.endpoints(in: application.endpoints, after: nil, limit: 10).elements
            .map { "\($0.installation) \($0.userData ?? "-")" }
    }

    @Test(
        "the same token in two applications is two endpoints, which are changed and removed apart",
        arguments: TestStoreBackend.allCases
    )
    func apart(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let (first, second) = try await Self.two(in: store)
            #expect(first.container.isEmpty)
            #expect(second.container == "APNS/b")
            #expect(try await Self.endpoints(of: first, store) == ["phone a data a"])
            #expect(try await Self.endpoints(of: second, store) == ["phone b data b"])
            #expect(try await store.endpoint("phone b", of: first.name)?.endpoint == nil)
            #expect(try await store.endpoint("phone b", of: second.name)?.endpoint?.userData == "data b")
            let change = EndpointUpdate(isEnabled: false, userData: "changed")
            let now = StoreFixtures.now
            let unchanged = try await store.changeEndpoint("phone b", in: first.endpoints, by: change, now: now)
            #expect(unchanged == nil, "an endpoint of the other application")
            let changed = try await store.changeEndpoint("phone b", in: second.endpoints, by: change, now: now)
            #expect(changed?.status.isEnabled == false)
            #expect(try await store.endpoint("phone a", of: first.name)?.endpoint?.status == .active)
            #expect(try await !store.removeEndpoint("phone b", of: first, now: StoreFixtures.now))
            #expect(try await store.removeEndpoint("phone b", of: second, now: StoreFixtures.now))
            #expect(try await Self.endpoints(of: first, store) == ["phone a data a"])
        }
    }

    @Test(
        "a registration replaces the app's own device with its token, and no endpoint of another application",
        arguments: TestStoreBackend.allCases
    )
    func registration(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let (first, second) = try await Self.two(in: store)
            var registration = try StoreFixtures.registration("own", token: 1)
            _ = try await store.register(registration, now: StoreFixtures.after(1))
            #expect(try await Self.endpoints(of: first, store) == ["own -"])
            #expect(try await Self.endpoints(of: second, store) == ["phone b data b"])
            // An endpoint that registers itself stays in its container, and takes a token from no other one.
            registration.installation = "phone b"
            let moved = try await store.register([registration], now: StoreFixtures.after(2))
            #expect(moved == 1)
            #expect(try await store.register(registration, now: StoreFixtures.after(3)).container == "APNS/b")
            #expect(try await Self.endpoints(of: first, store) == ["own -"])
            #expect(try await Self.endpoints(of: second, store) == ["phone b data b"])
        }
    }

    @Test("an audience has each token once, unless it is that of a topic", arguments: TestStoreBackend.allCases)
    func audience(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let (first, second) = try await Self.two(in: store)
            let app = StoreFixtures.app
            #expect(try await store.count(of: .all, app: app, through: nil) == 1)
            #expect(try await store.count(of: .container("APNS/b"), app: app, through: nil) == 0)
            let disabled = EndpointUpdate(isEnabled: false)
            _ = try await store.changeEndpoint("phone a", in: first.endpoints, by: disabled, now: StoreFixtures.now)
            #expect(try await store.count(of: .all, app: app, through: nil) == 1, "the enabled one")
            #expect(try await store.count(of: .container("APNS/b"), app: app, through: nil) == 1)
            let enabled = EndpointUpdate(isEnabled: true)
            _ = try await store.changeEndpoint("phone a", in: first.endpoints, by: enabled, now: StoreFixtures.now)

            let topic = try await store.makeTopic(for: app)
            for name in ["phone a", "phone b"] {
                let id = DeviceID(unchecked: name)
                _ = try await store.subscribe(TopicFixtures.subscription(.device(app, id)), policyLimit: 1)
            }
            let subscribers = Audience.subscribers(TopicAudience(topic: topic.id, policies: [TopicAudience.noPolicy]))
            #expect(try await store.count(of: subscribers, app: app, through: nil) == 2)
            let own = Audience.and([subscribers, .container(second.container)])
            #expect(try await store.count(of: own, app: app, through: nil) == 1)
        }
    }

    @Test(
        "a removed application gets its endpoints back, and leaves those of others alone",
        arguments: TestStoreBackend.allCases
    )
    func removal(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let (first, second) = try await Self.two(in: store)
            for application in [second, first] {
                _ = try await store.removeApplication(application.name)
                let other = application == first ? second : first
                let left = try await Self.endpoints(of: other, store)
                #expect(left.count == 1, "the endpoints of \(other.name)")
            }
            for application in [second, first] {
                let again = try await store.putApplication(
                    application,
                    credential: PlatformFixtures.credential(application.credential)
                )
                #expect(again.container == application.container)
                #expect(try await Self.endpoints(of: again, store).count == 1)
            }
        }
    }

    @Test(
        "a deleted endpoint leaves its subscription, which reaches nobody, until it is removed or copied again",
        arguments: TestStoreBackend.allCases
    )
    func subscriptions(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let (_, second) = try await Self.two(in: store)
            let app = StoreFixtures.app
            let topic = try await store.makeTopic(for: app)
            let subscription = TopicFixtures.subscription(.device(app, "phone b"))
            _ = try await store.subscribe(subscription, policyLimit: 1)
            #expect(try await store.removeEndpoint("phone b", of: second, now: StoreFixtures.now))
            let left = try #require(try await store.subscription(subscription.id))
            #expect(left.subscriber == .device(app, "phone b"))
            #expect(left.attributes == [Subscription.applicationAttribute: "APNS/b"])
            let listed = try await store.subscriptions(to: TopicFixtures.topic, of: app, after: nil, limit: 10)
            #expect(listed.elements == [left])
            let rule = TopicAudience(topic: topic.id, policies: [TopicAudience.noPolicy])
            #expect(try await store.count(of: .subscribers(rule), app: app, through: nil) == 0)

            let draft = try PlatformFixtures.endpoint("phone b", token: 1, container: second.container)
            #expect(try await store.addEndpoint(draft, now: StoreFixtures.now).isNew)
            guard case .created = try await store.subscribe(subscription, policyLimit: 1) else {
                Issue.record("The subscription was not copied again.")
                return
            }
            #expect(try await store.count(of: .subscribers(rule), app: app, through: nil) == 1)
            #expect(try await store.unsubscribe(subscription.id) != nil)
            #expect(try await store.subscription(subscription.id) == nil)
        }
    }
}
