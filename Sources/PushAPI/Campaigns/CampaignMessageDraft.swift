// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The member `message` of a request to create a campaign while it is read.
struct CampaignMessageDraft {
    static let members = ["pushType", "priority", "timeToLive", "collapseID", "default", "variants"]

    /// The most variants of a message.
    static let maximumVariants = 100

    private var pushType: PushType?
    private var priority: Priority?
    private var timeToLive: Int?
    private var collapseID: CollapseID?
    private var fallback: CampaignVariant?
    private var variants: [String: CampaignVariant] = [:]

    /// Reads the object; whatever is wrong is noted.
    static func read(
        _ reader: inout JSONReader,
        _ path: FieldPath,
        app: AppID
    ) throws(JSONSyntaxError) -> CampaignMessage? {
        var draft = CampaignMessageDraft()
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "pushType": draft.pushType = try reader.value(path, ContentDraft.knownPushType)
            case "priority": draft.priority = try ContentDraft.priority(&reader, path)
            case "timeToLive": draft.timeToLive = try reader.integer(path, in: 0...2_592_000)
            case "collapseID": draft.collapseID = try reader.value(path, CollapseID.init(_:))
            case "default": draft.fallback = try CampaignVariant.read(&reader, path)
            case "variants": try draft.readVariants(&reader, path)
            default: try reader.skip()
            }
        }
        return isObject ? draft.message(&reader, path, app: app) : nil
    }

    private mutating func readVariants(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) {
        var variants: [String: CampaignVariant] = [:]
        var folded: Set<String> = []
        try reader.eachMember(path) { reader, name, path throws(JSONSyntaxError) in
            if !(1...64).contains(name.utf8.count) {
                reader.faults.add(path, expected: "a locale of 1 to 64 bytes", got: "\(name.utf8.count) bytes")
            } else if !folded.insert(LocaleRange(name).folded).inserted {
                reader.faults.add(path, expected: "each locale once", got: "one in another spelling")
            }
            variants[name] = try CampaignVariant.read(&reader, path)
        }
        if variants.count > Self.maximumVariants {
            reader.faults.add(path, expected: "at most \(Self.maximumVariants) variants", got: "\(variants.count)")
        }
        self.variants = variants
    }

    /// Notes what is missing, and what Apple would refuse.
    private func message(_ reader: inout JSONReader, _ path: FieldPath, app: AppID) -> CampaignMessage? {
        guard let fallback = reader.require(self.fallback, "default", at: path) else { return nil }
        let message = CampaignMessage(
            pushType: self.pushType ?? .alert,
            priority: self.priority,
            timeToLive: self.timeToLive,
            collapseID: self.collapseID,
            fallback: fallback.template,
            variants: self.variants.mapValues(\.template)
        )
        do {
            let headers = try message.headers(for: app, sentAt: Date(timeIntervalSince1970: 0))
            // A size that no limit forbids: the payloads are measured one by one.
            for failure in headers.validate(payloadSize: 1) {
                let member = failure.field == RequestHeader.priority.rawValue ? "priority" : "pushType"
                reader.faults.add(failure, at: path.member(member))
            }
        } catch {
            reader.faults.add(error, at: path.member("pushType"))
        }
        let limit = message.pushType.maximumPayloadBytes
        for variant in [fallback] + self.variants.values where variant.template.minimumSize > limit {
            reader.faults.add(
                variant.path,
                expected: "at most \(limit) bytes for push type \(message.pushType)",
                got: "\(variant.template.minimumSize) bytes",
                code: .payloadTooLarge
            )
        }
        return message
    }
}

/// A text of a campaign's message, and where it stands in the request.
struct CampaignVariant {
    static let members = ["payload", "notification"]

    let template: MessageTemplate
    let path: FieldPath

    /// Reads the object; whatever is wrong is noted.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> CampaignVariant? {
        var found: [(path: FieldPath, payload: APNsPayload?)] = []
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            let isRaw = member == "payload"
            let payload =
                isRaw ? try ContentDraft.rawPayload(&reader, path) : try AlertDraft.read(&reader, path)
            found.append((path, payload))
        }
        guard isObject else { return nil }
        guard found.count == 1 else {
            let got = found.isEmpty ? "none" : "both"
            reader.faults.add(path, expected: "exactly one of the members 'payload', 'notification'", got: got)
            return nil
        }
        guard let payload = found[0].payload else { return nil }
        do {
            return CampaignVariant(template: try MessageTemplate(payload), path: found[0].path)
        } catch {
            reader.faults.add(error, at: found[0].path)
            return nil
        }
    }
}
