// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation
import PushAPI
import PushModel
import PushStore
import SNSProtocol

/// Copies endpoints, topics and subscriptions from SNS, or a compatible server, into a store.
///
/// ARNs do not change if account and region are the same: the ID of an endpoint becomes the device ID. A repetition
/// copies changes at the source, and keeps changes that were made here. It restores what was deleted here, if the
/// source has it.
struct SNSImport {
    let source: SNSSourceClient
    let store: any PushStore

    /// Whether nothing is stored.
    let isDryRun: Bool

    private(set) var report = Report()

    /// The applications that are there, with their ARNs at the source, which may have another account.
    private var applications: [PlatformApplication.Name: (application: PlatformApplication, arn: String)] = [:]

    /// The first thing that the source did not allow to read.
    private var denial: SNSSourceClient.Refusal?

    init(source: SNSSourceClient, store: any PushStore, isDryRun: Bool) {
        self.source = source
        self.store = store
        self.isDryRun = isDryRun
    }

    /// Copies everything.
    ///
    /// - Throws: ``CommandError`` of the source, also where it allows to read nothing at all; `StoreError`.
    mutating func run() async throws -> Report {
        try await self.copyApplications()
        try await self.copyEndpoints()
        var topics: [String] = []
        try await self.unlessRefused("the list of topics") { this in
            try await this.source.pages("ListTopics") { page in
                topics += page.members(of: "Topics").compactMap { $0["TopicArn"]?.text }
            }
        }
        for topic in topics { try await self.unlessRefused(topic) { try await $0.copyTopic(topic) } }
        if let denial = self.denial, self.report.endpoints == 0, self.report.topics == 0 {
            throw CommandError("sns_refused", "\(self.source.url) allows to read nothing: \(denial.message)")
        }
        return self.report
    }

    /// Copies a listed item, which may have been removed at the source since, or may not be readable.
    ///
    /// - Returns: whether all of it was read.
    /// - Throws: what `copy` throws, except a refusal, which is added to the notes.
    @discardableResult
    private mutating func unlessRefused(
        _ name: String,
        _ copy: (inout SNSImport) async throws -> Void
    ) async throws -> Bool {
        do {
            try await copy(&self)
            return true
        } catch let refusal as SNSSourceClient.Refusal {
            self.report.note(refusal, of: name)
            if !refusal.isAbsence, self.denial == nil { self.denial = refusal }
            return false
        }
    }

    // MARK: Applications and endpoints

    /// Finds the applications of the source in the store: a credential leaves no server of SNS again.
    private mutating func copyApplications() async throws {
        var listings: [(arn: String, attributes: [String: String])] = []
        try await self.unlessRefused("the list of platform applications") { this in
            try await this.source.pages("ListPlatformApplications") { page in
                listings += page.members(of: "PlatformApplications").compactMap { element in
                    element["PlatformApplicationArn"].map { (arn: $0.text, attributes: element.map("Attributes")) }
                }
            }
        }
        for (arn, attributes) in listings {
            guard let name = Self.name(ofApplication: arn) else {
                self.report.note("\(arn): only applications for Apple's devices are copied")
                continue
            }
            guard let application = try await self.store.application(name) else {
                self.report.note(
                    "\(arn): create the application here first, because SNS does not return its "
                        + "credential"
                )
                continue
            }
            self.applications[name] = (application, arn)
            self.report.applications += 1
            self.noteSettings(of: application, arn, attributes)
        }
    }

    /// Adds notes about settings of an application at the source that affect sending and that this server lacks.
    private mutating func noteSettings(
        of application: PlatformApplication,
        _ arn: String,
        _ attributes: [String: String]
    ) {
        // The account of the topics may be another one here.
        func topic(_ text: String?) -> Substring? { text?.split(separator: ":").last }
        for name in ApplicationAttributes.eventNames {
            guard let text = attributes[name], let there = topic(text), there != topic(application.attributes[name])
            else { continue }
            self.report.note("\(arn): its \(name) is \(text) at the source; set it here, once the topic is here")
        }
        if attributes["Enabled"]?.lowercased() == "false", application.isEnabled {
            self.report.note("\(arn): it is disabled at the source, and enabled here")
        }
    }

    private mutating func copyEndpoints() async throws {
        let applications = self.applications.sorted { $0.key < $1.key }.map(\.value)
        // An older version stored several applications with one container.
        let containers = Dictionary(grouping: applications) { $0.application.endpoints }
        for (container, applications) in containers.sorted(by: { $0.value[0].arn < $1.value[0].arn }) {
            var work = EndpointImport(container, store: self.store, isDryRun: self.isDryRun)
            var isWhole = true
            for (_, arn) in applications {
                let isRead = try await self.unlessRefused(arn) { this in
                    let parameters = ["PlatformApplicationArn": arn]
                    try await this.source.pages("ListEndpointsByPlatformApplication", parameters) { page in
                        try await work.copy(page)
                    }
                }
                isWhole = isWhole && isRead
            }
            if isWhole { try await work.noteGone() }
            self.report.add(work.report)
        }
    }

    // MARK: Topics and subscriptions

    private mutating func copyTopic(_ arn: String) async throws {
        guard let text = arn.split(separator: ":").last.map(String.init), let name = TopicName(rawValue: text),
            !text.hasSuffix(".fifo")
        else { return self.report.note("\(arn): FIFO topics are not supported") }
        let found = try await self.source.call("GetTopicAttributes", ["TopicArn": arn]).map("Attributes")
        let tagged = try await self.source.call("ListTagsForResource", ["ResourceArn": arn])
        let tags = tagged.members(of: "Tags").compactMap { tag in
            tag["Key"].map { ($0.text, tag["Value"]?.text ?? "") }
        }
        try await self.createTopic(name, arn, attributes: found, tags: Dictionary(tags) { $1 })
        self.report.topics += 1
        var work = TopicImport(
            name,
            from: self.source,
            into: self.store,
            applications: self.applications.mapValues(\.application),
            isDryRun: self.isDryRun
        )
        let isWhole = try await self.unlessRefused(arn) { this in
            try await this.source.pages("ListSubscriptionsByTopic", ["TopicArn": arn]) { page in
                try await work.copy(page)
            }
        }
        if isWhole { try await work.noteGone() }
        self.report.add(work.report)
    }

    /// Creates a topic; an existing one is not changed.
    private mutating func createTopic(
        _ name: TopicName,
        _ arn: String,
        attributes: [String: String],
        tags: [String: String]
    ) async throws {
        // Store all settings, so that programs that create it with the same attributes find the topic.
        let (settings, refusals) = TopicSettings.read(from: attributes, of: arn)
        let attributes = settings.values
        for refusal in refusals { self.report.note("\(arn): \(refusal.message)") }
        var known = try await self.store.topic(name, of: nil)
        if known == nil, !self.isDryRun {
            known = try await self.store.createTopic(
                name,
                attributes: attributes,
                tags: tags,
                for: nil,
                now: Date(),
                checking: nil
            ).topic
        }
        guard let known else { return }
        let names = Set(known.attributes.keys).union(attributes.keys)
        var others = names.filter { known.attributes[$0] != attributes[$0] }.sorted()
        if known.tags != tags { others.append("tags") }
        guard !others.isEmpty else { return }
        self.report.note("\(arn): the topic is here already, with other \(others.joined(separator: ", ")), which stay")
    }

    // MARK: ARNs

    /// Platform and name of an application; `nil` for one of another platform than Apple's.
    private static func name(ofApplication arn: String) -> PlatformApplication.Name? {
        let parts = arn.split(separator: ":", maxSplits: 5).last?.split(separator: "/").map(String.init) ?? []
        guard parts.count == 3, parts[0] == "app", SNSPlatform(rawValue: parts[1]) != nil else { return nil }
        return PlatformApplication.Name(platform: parts[1], text: parts[2])
    }

    static func name(ofEndpoint arn: String) -> PlatformApplication.Name? {
        let parts = arn.split(separator: ":", maxSplits: 5).last?.split(separator: "/").map(String.init) ?? []
        guard parts.count == 4, parts[0] == "endpoint" else { return nil }
        return PlatformApplication.Name(platform: parts[1], text: parts[2])
    }

    static func installation(ofEndpoint arn: String) -> DeviceID? {
        (try? EndpointARN(arn, region: nil))?.installation
    }
}

extension SNSImport {
    /// The result of an import: what was copied, and what was not.
    struct Report: Codable, Equatable {
        /// How many notes are kept.
        static let maximumNotes = 1000

        var applications = 0

        /// Endpoints that are here as they are at the source.
        var endpoints = 0

        /// Endpoints whose app has registered here since.
        var newerEndpoints = 0

        /// Endpoints that were changed here, or disabled because of APNs, since they were copied; they are kept.
        var changedEndpoints = 0

        /// Copied endpoints that no longer exist at the source; they are kept.
        var goneEndpoints = 0
        var topics = 0

        /// Subscriptions that are here with the filter that they have at the source.
        var subscriptions = 0

        /// Subscriptions that were created here, or got another filter policy here; they are kept.
        var changedSubscriptions = 0

        /// Subscriptions that were here already, and whose attributes but the filter are others here than at the
        /// source: those stay.
        var differingSubscriptions = 0

        /// Copied subscriptions that no longer exist at the source; they are kept.
        var goneSubscriptions = 0

        /// The items that cannot be copied, each with the reason.
        var notes: [String] = []

        /// Takes a note, up to ``maximumNotes`` of them.
        mutating func note(_ text: String) {
            if self.notes.count < Self.maximumNotes { self.notes.append(text) }
        }

        /// Adds a note about a refusal of the source.
        mutating func note(_ refusal: SNSSourceClient.Refusal, of arn: String) {
            let reason =
                refusal.isAbsence ? "it was removed while it was copied" : "the source does not allow to read it"
            self.note("\(arn): \(reason) (\(refusal.message))")
        }

        mutating func add(_ other: Report) {
            self.applications += other.applications
            self.endpoints += other.endpoints
            self.newerEndpoints += other.newerEndpoints
            self.changedEndpoints += other.changedEndpoints
            self.goneEndpoints += other.goneEndpoints
            self.topics += other.topics
            self.subscriptions += other.subscriptions
            self.changedSubscriptions += other.changedSubscriptions
            self.differingSubscriptions += other.differingSubscriptions
            self.goneSubscriptions += other.goneSubscriptions
            for note in other.notes { self.note(note) }
        }
    }
}
