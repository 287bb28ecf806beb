// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import SNSProtocol
import SQLStore
import ServiceLifecycle
import StoreTesting
import Synchronization
import Testing
import TopicPosting
import Topics
import Webhooks

/// A store with a topic, and services that post to its URLs while the clock stands still.
struct TopicStage: Sendable {
    static let topic: TopicName = "news"

    private static let sharedKey = MasterKey.generate()

    /// What signs in every store that has no identity of its own: making an RSA key takes long.
    private static let sharedIdentity = Task {
        let store = IdentityStore()
        let signer = MessageSigner(store: store, masterKey: Self.sharedKey, now: { TestDateSource.beginning })
        _ = try await signer.identity()
        return try #require(await store.deliveryIdentity())
    }

    let store: any PushStore & SQLBacked

    /// What was booked of deliveries.
    let settlements: AsyncStream<TopicDeliveryResult>

    var masterKey = Self.sharedKey
    let now = TestDateSource()
    let clock = TestClock()
    var allowsPrivateNetworks = true
    var deadline = TopicHTTPDeliveryConfiguration.deadline
    var pollInterval: Duration = .seconds(1)

    /// The address of every host.
    var address = "127.0.0.1"

    /// What finds the addresses of hosts; `nil` for one that knows that address alone.
    var resolver: (any HostResolver)?

    /// Makes a stage on a store, and hands it to `body`.
    static func open(
        on choice: TestStoreBackend,
        _ body: @Sendable (inout TopicStage) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("apus-topics-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await choice.withStore(in: directory) { store in
            let (settlements, settled) = AsyncStream.makeStream(of: TopicDeliveryResult.self)
            var stage = TopicStage(store: WatchedStore(base: store, settled: settled), settlements: settlements)
            _ = try await store.createTopic(Self.topic, attributes: [:], tags: [:], for: nil, now: stage.now.date)
            try await body(&stage)
        }
    }

    var signer: MessageSigner {
        MessageSigner(store: self.store, masterKey: self.masterKey, now: { [now] in now.date })
    }

    var tokens: ConfirmationTokens { ConfirmationTokens(self.masterKey) }

    /// The URL of a receiver of this machine; the host's name leads there by the table of addresses alone.
    func url(_ receiver: HookReceiver, _ path: String = "sns") -> String {
        "http://hooks.example.com:\(receiver.port)/\(path)"
    }

    /// Subscribes a URL; a user is sealed.
    @discardableResult
    func subscribe(
        _ url: String,
        user: String? = nil,
        isConfirmed: Bool = true,
        filter: SubscriptionFilter? = nil,
        attributes: [String: String] = [:]
    ) async throws -> Subscription {
        let id = SubscriptionID(now: self.now.date)
        var draft = Subscription(
            id: id,
            topic: Self.topic,
            subscriber: .url(url),
            filter: filter,
            attributes: attributes,
            state: isConfirmed ? .confirmed(isAuthenticated: false) : .pending,
            confirmation: ConfirmationTokens.digest(of: self.tokens.token(of: id)),
            sealedUser: user.map { self.masterKey.seal(user: $0, for: id) },
            createdAt: self.now.date
        )
        let topic = try TopicARN("arn:aws:sns:eu-west-1:123456789012:news", region: nil)
        HTTPSubscription(topic: topic, server: "http://push.example.com/").write(to: &draft)
        guard case .created(let subscription) = try await self.store.subscribe(draft, policyLimit: 10) else {
            throw CancellationError()
        }
        return subscription
    }

    /// Publishes a message.
    @discardableResult
    func publish(_ message: SNSMessage) async throws -> TopicPublishResult {
        let draft = PublicationDraft(
            topic: Self.topic,
            attributes: message.attributes,
            body: message.text,
            urlContent: { try HTTPSubscriptionMessage.notification(message).content }
        ) { _ in [] }
        let publisher = TopicPublisher(store: self.store, urgentTargetLimit: 10)
        guard let receipt = try await publisher.publish(draft, now: self.now.date) else { throw CancellationError() }
        return receipt
    }

    /// Publishes texts.
    func publish(_ texts: String...) async throws {
        for text in texts { try await self.publish(SNSMessage(text: text)) }
    }

    /// Runs services for as long as `body` takes, and shuts them down gracefully.
    func post(workers: [WorkerID] = ["topics-1"], _ body: () async throws -> Void) async throws {
        _ = try await self.store.replaceDeliveryIdentity(nil, with: try await Self.sharedIdentity.value)
        let services = workers.map { worker in
            var sending = WebhookConfiguration()
            sending.allowsPrivateNetworks = self.allowsPrivateNetworks
            sending.deadline = self.deadline
            var configuration = TopicHTTPDeliveryConfiguration(worker: worker)
            configuration.pollInterval = self.pollInterval
            return TopicHTTPDeliveryService(
                store: self.store,
                sender: WebhookSender(
                    masterKey: nil,
                    configuration: sending,
                    resolver: self.resolver ?? OneAddress(text: self.address),
                    clock: self.clock
                ),
                signer: self.signer,
                tokens: self.tokens,
                masterKey: self.masterKey,
                configuration: configuration,
                clock: self.clock,
                now: { [now] in now.date },
                logger: .silent
            )
        }
        try await withServices(services, body)
    }

    /// What becomes of the next deliveries, in the order in which that was booked.
    func settled(_ count: Int = 1) async throws -> [TopicDeliveryResult] {
        var ends: [TopicDeliveryResult] = []
        for await end in self.settlements {
            ends.append(end)
            if ends.count == count { return ends }
        }
        throw CancellationError()
    }

    /// What waits at a time: claimed by somebody else, whose leases are over at once.
    func waiting(after seconds: Double = 0) async throws -> [TopicDelivery] {
        try await self.store.claimDeliveries(
            limit: 1000,
            each: 1000,
            worker: "onlooker",
            leaseDuration: .milliseconds(1),
            now: self.now.date.addingTimeInterval(seconds)
        )
    }

    /// Moves the time of day on, and lets the service poll by it.
    func poll(after duration: Duration) async throws {
        try await self.clock.timer(dueIn: self.pollInterval)
        self.now.advance(by: duration)
        self.clock.advance(by: self.pollInterval)
    }
}

/// Keeps an identity in memory.
private final class IdentityStore: SigningIdentityStore {
    private let identity = Mutex<StoredSigningIdentity?>(nil)

    func deliveryIdentity() async -> StoredSigningIdentity? { self.identity.withLock { $0 } }

    func replaceDeliveryIdentity(
        _ former: StoredSigningIdentity?,
        with identity: StoredSigningIdentity
    ) async -> StoredSigningIdentity {
        self.identity.withLock { $0 = identity }
        return identity
    }
}

/// Knows one address for all hosts.
private struct OneAddress: HostResolver {
    let text: String

    func addresses(of host: String) async throws -> [NetworkAddress] { [NetworkAddress(self.text)].compactMap(\.self) }
}

/// Tells what is booked of deliveries.
private struct WatchedStore: StoreDecorator {
    let base: any PushStore & SQLBacked
    let settled: AsyncStream<TopicDeliveryResult>.Continuation

    func settleDelivery(_ id: Int64, worker: WorkerID, as end: TopicDeliveryResult) async throws {
        try await self.base.settleDelivery(id, worker: worker, as: end)
        self.settled.yield(end)
    }
}
