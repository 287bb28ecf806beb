// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushAPI
import PushModel
import PushStore
import SNSProtocol

/// Copies endpoints, topics and subscriptions from a server that speaks as SNS does into a store.
///
/// ARNs stay what they are where account and region do: an endpoint's id becomes the device's installation. Doing it again
/// brings what has changed at the source, and leaves alone what apps have said themselves meanwhile.
struct SNSImport {
    /// What was copied, and what was not.
    struct Report: Codable, Equatable {
        var applications = 0
        var endpoints = 0

        /// Endpoints whose app has registered by itself since.
        var newerEndpoints = 0
        var topics = 0
        var subscriptions = 0

        /// What cannot be copied, each with the reason.
        var notes: [String] = []
    }

    /// When endpoints were registered, which SNS does not tell: before everything else, so that whatever Apple says of a token
    /// counts.
    private static let registeredAt = Date(timeIntervalSince1970: 0)

    private static let maximumNotes = 1000

    let source: SNSSource
    let store: any PushStore

    /// Whether nothing is stored.
    let isDryRun: Bool

    let limits = SNSLimits.lifted
    private(set) var report = Report()

    /// The applications that are there, with their ARNs at the source, which may have another account.
    private var applications: [PlatformApplication.Name: (application: PlatformApplication, arn: String)] = [:]

    init(source: SNSSource, store: any PushStore, isDryRun: Bool) {
        self.source = source
        self.store = store
        self.isDryRun = isDryRun
    }

    /// Copies everything.
    ///
    /// - Throws: ``CommandFailure`` of the source, `StoreError`.
    mutating func run() async throws -> Report {
        try await self.copyApplications()
        for (_, (application, arn)) in self.applications.sorted(by: { $0.key < $1.key }) {
            try await self.unlessGone(arn) { try await $0.copyEndpoints(of: application, named: arn) }
        }
        var topics: [String] = []
        try await self.source.pages("ListTopics") { page in
            topics += page.members(of: "Topics").compactMap { $0["TopicArn"]?.text }
        }
        for topic in topics { try await self.unlessGone(topic) { try await $0.copyTopic(topic) } }
        return self.report
    }

    /// Copies what was listed, and may have been removed at the source since.
    private mutating func unlessGone(_ arn: String, _ copy: (inout SNSImport) async throws -> Void) async throws {
        do {
            try await copy(&self)
        } catch let gone as SNSSource.Gone {
            self.note("\(arn): it was removed while it was copied (\(gone.message))")
        }
    }

    private mutating func note(_ text: String) {
        guard self.report.notes.count < Self.maximumNotes else { return }
        self.report.notes.append(text)
    }

    // MARK: Applications and endpoints

    /// Finds the applications of the source in the store: a credential leaves no server of SNS again.
    private mutating func copyApplications() async throws {
        var arns: [String] = []
        try await self.source.pages("ListPlatformApplications") { page in
            arns += page.members(of: "PlatformApplications").compactMap { $0["PlatformApplicationArn"]?.text }
        }
        for arn in arns {
            guard let name = Self.name(ofApplication: arn) else {
                self.note("\(arn): only applications for Apple's devices are copied")
                continue
            }
            guard let application = try await self.store.application(name) else {
                self.note("\(arn): create the application here first, since SNS tells nobody its credential")
                continue
            }
            self.applications[name] = (application, arn)
            self.report.applications += 1
        }
    }

    private mutating func copyEndpoints(of application: PlatformApplication, named arn: String) async throws {
        var notes: [String] = []
        var (copied, newer) = (0, 0)
        let (store, isDryRun) = (self.store, self.isDryRun)
        try await self.source.pages("ListEndpointsByPlatformApplication", ["PlatformApplicationArn": arn]) { page in
            var registrations: [DeviceRegistration] = []
            var changes: [(InstallationID, EndpointChange)] = []
            for element in page.members(of: "Endpoints") {
                let (name, attributes) = (element["EndpointArn"]?.text ?? "", element.map("Attributes"))
                guard let id = Self.installation(ofEndpoint: name),
                    let token = try? DeviceToken(hex: attributes["Token"] ?? "")
                else {
                    notes.append("\(name): it has no token of Apple's")
                    continue
                }
                registrations.append(
                    DeviceRegistration(
                        app: application.app,
                        installation: id,
                        token: token,
                        environment: application.environment,
                        registeredAt: Self.registeredAt
                    )
                )
                let isEnabled = attributes["Enabled"]?.lowercased() != "false"
                changes.append((id, EndpointChange(isEnabled: isEnabled, userData: attributes["CustomUserData"] ?? "")))
            }
            guard !isDryRun else { return copied += registrations.count }
            let stored = try await store.register(registrations, now: Date())
            copied += stored
            newer += registrations.count - stored
            for (id, change) in changes { try await Self.apply(change, to: id, of: application, in: store) }
        }
        self.report.endpoints += copied
        self.report.newerEndpoints += newer
        for note in notes { self.note(note) }
    }

    /// Brings what a registration does not say, unless the app has registered by itself.
    private static func apply(
        _ change: EndpointChange,
        to installation: InstallationID,
        of application: PlatformApplication,
        in store: any PushStore
    ) async throws {
        let now = Date()
        guard let device = try await store.device(installation, of: application.app),
            device.registeredAt == Self.registeredAt, change.applied(to: device, now: now) != device
        else { return }
        _ = try await store.changeEndpoint(
            installation,
            of: application.app,
            in: application.environment,
            by: change,
            now: now
        )
    }

    // MARK: Topics and subscriptions

    private mutating func copyTopic(_ arn: String) async throws {
        guard let text = arn.split(separator: ":").last.map(String.init), let name = TopicName(rawValue: text),
            !text.hasSuffix(".fifo")
        else { return self.note("\(arn): FIFO topics are not supported") }
        let found = try await self.source.call("GetTopicAttributes", ["TopicArn": arn]).map("Attributes")
        // What only means something within AWS stays there.
        let kept = found.filter { ["DisplayName", "DeliveryPolicy", "SignatureVersion"].contains($0.key) }
        let tagged = try await self.source.call("ListTagsForResource", ["ResourceArn": arn])
        let tags = tagged.members(of: "Tags").compactMap { tag in tag["Key"].map { ($0.text, tag["Value"]?.text ?? "") }
        }
        if !self.isDryRun {
            _ = try await self.store.createTopic(
                name,
                attributes: kept.filter { !$0.value.isEmpty },
                tags: Dictionary(tags) { $1 },
                for: nil,
                now: Date()
            )
        }
        self.report.topics += 1
        var subscriptions: [XMLElement] = []
        try await self.source.pages("ListSubscriptionsByTopic", ["TopicArn": arn]) { page in
            subscriptions += page.members(of: "Subscriptions")
        }
        for subscription in subscriptions {
            try await self.unlessGone(subscription["SubscriptionArn"]?.text ?? "") {
                try await $0.copy(subscription, to: name)
            }
        }
    }

    private mutating func copy(_ element: XMLElement, to topic: TopicName) async throws {
        let arn = element["SubscriptionArn"]?.text ?? ""
        let kind = element["Protocol"]?.text ?? ""
        guard kind == "application", let endpoint = element["Endpoint"]?.text else {
            return self.note("\(arn): subscriptions of the kind '\(kind)' are not copied")
        }
        guard let installation = Self.installation(ofEndpoint: endpoint),
            let name = Self.name(ofEndpoint: endpoint), let application = self.applications[name]?.application
        else { return self.note("\(arn): its endpoint \(endpoint) is none of the applications that were copied") }
        let attributes = try await self.source.call("GetSubscriptionAttributes", ["SubscriptionArn": arn])
            .map("Attributes")
        var settings = SubscriptionSettings()
        do {
            for key in ["FilterPolicyScope", "FilterPolicy"] {
                guard let value = attributes[key] else { continue }
                try settings.set(SNSAttribute(name: key, value: value), target: .url(endpoint), limits: self.limits)
            }
        } catch {
            return self.note("\(arn): \(error.message)")
        }
        let now = Date(millisecondsSince1970: Date().millisecondsSince1970)
        var draft = Subscription(
            id: SubscriptionID(arn.split(separator: ":").last ?? "") ?? SubscriptionID(now: now),
            topic: topic,
            subscriber: .device(application.app, installation),
            createdAt: now
        )
        draft.set(settings, application: name)
        self.report.subscriptions += 1
        guard !self.isDryRun else { return }
        let obstacle: String
        do {
            switch try await self.store.subscribe(draft, policyLimit: PushTopic.maximumPolicies) {
            case .created: return
            case .existing(let known):
                let changed = draft
                _ = try await self.store.changeSubscription(known.id, policyLimit: PushTopic.maximumPolicies) {
                    $0.filter = changed.filter
                    $0.attributes = changed.attributes
                }
                return
            case .noTopic, .tooManyURLs: obstacle = "its topic was removed here while it was copied"
            case .noSubscriber: obstacle = "its endpoint \(endpoint) is not here"
            case .tooManyPolicies: obstacle = TooManyPolicies(limit: PushTopic.maximumPolicies).description
            }
        } catch let refusal as TooManyPolicies {
            obstacle = refusal.description
        }
        self.report.subscriptions -= 1
        self.note("\(arn): \(obstacle)")
    }

    // MARK: ARNs

    /// Platform and name of an application; `nil` for one of another platform than Apple's.
    private static func name(ofApplication arn: String) -> PlatformApplication.Name? {
        let parts = arn.split(separator: ":", maxSplits: 5).last?.split(separator: "/").map(String.init) ?? []
        guard parts.count == 3, parts[0] == "app", SNSPlatform(rawValue: parts[1]) != nil else { return nil }
        return PlatformApplication.Name(platform: parts[1], text: parts[2])
    }

    private static func name(ofEndpoint arn: String) -> PlatformApplication.Name? {
        let parts = arn.split(separator: ":", maxSplits: 5).last?.split(separator: "/").map(String.init) ?? []
        guard parts.count == 4, parts[0] == "endpoint" else { return nil }
        return PlatformApplication.Name(platform: parts[1], text: parts[2])
    }

    static func installation(ofEndpoint arn: String) -> InstallationID? {
        (try? EndpointARN(arn, region: nil))?.installation
    }
}
