// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation
import PushAPI
import PushModel
import PushStore
import SNSProtocol

/// Copies the subscriptions of one topic.
struct TopicImport {
    /// The subscriptions of how many endpoints are asked for at once.
    private static let concurrency = 8

    /// The attributes that are copied besides the filter.
    private static let plainNames = ["DeliveryPolicy", "RedrivePolicy", "SubscriptionRoleArn"]

    let topic: TopicName
    let source: SNSSourceClient
    let store: any PushStore

    /// The applications whose endpoints may be subscribed.
    let applications: [PlatformApplication.Name: PlatformApplication]

    /// Whether nothing is stored.
    let isDryRun: Bool

    /// The result of the import.
    private(set) var report = SNSImport.Report()

    /// Who is subscribed at the source.
    private var listed: Set<Subscriber> = []

    init(
        _ topic: TopicName,
        from source: SNSSourceClient,
        into store: any PushStore,
        applications: [PlatformApplication.Name: PlatformApplication],
        isDryRun: Bool
    ) {
        self.topic = topic
        self.source = source
        self.store = store
        self.applications = applications
        self.isDryRun = isDryRun
    }

    /// Copies a page of `ListSubscriptionsByTopic`.
    mutating func copy(_ page: XMLElement) async throws {
        var entries: [(arn: String, draft: Subscription, application: PlatformApplication.Name)] = []
        for element in page.members(of: "Subscriptions") {
            let arn = element["SubscriptionArn"]?.text ?? ""
            let kind = element["Protocol"]?.text ?? ""
            guard kind == "application", let endpoint = element["Endpoint"]?.text else {
                self.report.note("\(arn): subscriptions of the kind '\(kind)' are not copied")
                continue
            }
            guard let installation = SNSImport.installation(ofEndpoint: endpoint),
                let name = SNSImport.name(ofEndpoint: endpoint), let application = self.applications[name]
            else {
                self.report.note(
                    "\(arn): its endpoint \(endpoint) does not belong to a copied application"
                )
                continue
            }
            let now = Date(millisecondsSince1970: Date().millisecondsSince1970)
            let draft = Subscription(
                id: SubscriptionID(arn.split(separator: ":").last ?? "") ?? SubscriptionID(now: now),
                topic: self.topic,
                subscriber: .device(application.app, installation),
                createdAt: now
            )
            self.listed.insert(draft.subscriber)
            entries.append((arn, draft, name))
        }
        var rest = entries[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.concurrency)
            rest = rest.dropFirst(Self.concurrency)
            let found = try await self.source.attributes(ofSubscriptions: part.map(\.arn))
            for (entry, attributes) in zip(part, found) {
                do {
                    try await self.copy(entry.draft, by: entry.application, attributes.get())
                } catch let refusal as SNSSourceClient.Refusal {
                    self.report.note(refusal, of: entry.arn)
                } catch let error as SNSError {
                    self.report.note("\(entry.arn): \(error.message)")
                }
            }
        }
    }

    /// Returns the settings of a subscription; leaves out, with a note, those that only affect its repeated creation.
    ///
    /// - Throws: `SNSError` for a filter policy that is invalid here.
    private mutating func settings(
        _ attributes: [String: String],
        of subscription: Subscription
    ) throws(SNSError) -> SubscriptionSettings {
        var settings = SubscriptionSettings()
        func set(_ name: String) throws(SNSError) {
            guard let value = attributes[name] else { return }
            try settings.set(SNSAttribute(name: name, value: value), target: .url(""), limits: .extended)
        }
        for name in ["FilterPolicyScope", "FilterPolicy"] { try set(name) }
        for name in Self.plainNames {
            do {
                try set(name)
            } catch {
                self.report.note("\(subscription.id): \(error.message)")
            }
        }
        return settings
    }

    private mutating func copy(
        _ subscription: Subscription,
        by application: PlatformApplication.Name,
        _ attributes: [String: String]
    ) async throws {
        let settings = try self.settings(attributes, of: subscription)
        var draft = subscription
        draft.set(settings, application: application)
        draft.attributes[Self.markName] = draft.filterMark
        guard !self.isDryRun else { return self.report.subscriptions += 1 }
        do {
            switch try await self.store.subscribe(draft, policyLimit: PushTopic.maximumPolicies) {
            case .created: self.report.subscriptions += 1
            case .existing(let known):
                self.noteAttributes(of: known, besides: draft)
                try await self.update(known, to: draft)
            case .noTopic, .tooManyURLs:
                self.report.note("\(draft.id): its topic was removed here while it was copied")
            case .noSubscriber: self.report.note("\(draft.id): its endpoint is not here")
            case .tooManyPolicies: throw TooManyPoliciesError(limit: PushTopic.maximumPolicies)
            }
        } catch let refusal as TooManyPoliciesError {
            self.report.note("\(draft.id): \(refusal.description)")
        }
    }

    /// Adds notes about attributes of an existing subscription that only affect its repeated creation.
    ///
    /// They are kept, because it is unknown whether they were changed after the copy.
    private mutating func noteAttributes(of known: Subscription, besides draft: Subscription) {
        let others = Self.plainNames.filter { known.attributes[$0] != draft.attributes[$0] }
        guard !others.isEmpty else { return }
        self.report.differingSubscriptions += 1
        self.report.note(
            "\(self.topic): the subscription \(known.id) is here already, with other \(others.joined(separator: ", ")), "
                + "which stay"
        )
    }

    /// Brings the filter of the source where the one that is here was copied, and not changed since.
    private mutating func update(_ known: Subscription, to draft: Subscription) async throws {
        guard known.filter != draft.filter else { return self.report.subscriptions += 1 }
        let mark = draft.filterMark
        let filter = draft.filter
        do {
            let stored = try await self.store.changeSubscription(known.id, policyLimit: PushTopic.maximumPolicies) {
                guard $0.attributes[Self.markName] == $0.filterMark else { return }
                $0.filter = filter
                $0.attributes[Self.markName] = mark
            }
            if stored?.filter == filter {
                self.report.subscriptions += 1
            } else {
                self.report.changedSubscriptions += 1
            }
        } catch let refusal as TooManyPoliciesError {
            self.report.note("\(known.id): \(refusal.description)")
        }
    }

    /// Adds notes about copied subscriptions that no longer exist at the source, after all of the topic was read.
    mutating func noteGone() async throws {
        var cursor: SubscriptionID?
        repeat {
            let page = try await self.store.subscriptions(to: self.topic, of: nil, after: cursor, limit: 1000)
            for known in page.elements
            where known.attributes[Self.markName] != nil && !self.listed.contains(known.subscriber) {
                self.report.goneSubscriptions += 1
                self.report.note(
                    "\(self.topic): the subscription \(known.id) no longer exists at the source, and is kept here"
                )
            }
            cursor = page.next
        } while cursor != nil
    }

    /// The name under which a copied subscription keeps the mark of its filter policy; no SNS attribute has this name.
    static let markName = "apus.copied"
}

extension Subscription {
    /// Distinguishes its filter policy from others.
    fileprivate var filterMark: String {
        self.filter.map { Hex.text($0.digest) } ?? "all"
    }
}
