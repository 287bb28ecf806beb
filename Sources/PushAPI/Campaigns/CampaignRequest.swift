// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore
import WallTime

/// A request to create a campaign.
struct CampaignRequest: Sendable {
    static let members = ["name", "audience", "message", "start", "ratePerSecond", "expiresAt", "startPaused"]
    var name: String
    var audience: Audience
    var message: CampaignMessage
    var start: CampaignStart
    var ratePerSecond: Int?
    var expiresAt: Date?
    var startsPaused: Bool
}

extension CampaignRequest {
    /// Reads the body of a request to create a campaign of an app.
    ///
    /// - Throws: ``Problem`` with every fault of the request.
    init(_ body: [UInt8], app: AppID, now: Date) throws(Problem) {
        var name: String?
        var audience: Audience?
        var message: CampaignMessage?
        var start: CampaignStart? = .now
        var ratePerSecond: Int?
        var expiresAt: Date?
        var startsPaused = false
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.string(path, bytes: 1...256)
            case "audience": audience = try reader.audience(path)
            case "message": message = try CampaignMessageParser.read(&reader, path, app: app)
            case "start": start = try CampaignStartParser.read(&reader, path)
            case "ratePerSecond": ratePerSecond = try reader.integer(path, in: Campaign.rateLimits)
            case "expiresAt": expiresAt = try reader.value(path, Timestamp.parse)
            case "startPaused": startsPaused = try reader.boolean(path) ?? false
            default: try reader.skip()
            }
        } finish: { reader in
            if let start, let expiresAt, expiresAt <= max(start.planningTime(createdAt: now), now) {
                reader.faults.add(.root.member("expiresAt"), expected: "a time after the start", got: "an earlier one")
            }
            let required = (reader.require(audience, "audience"), reader.require(message, "message"))
            guard case (let audience?, let message?) = required, let start else { return nil }
            return CampaignRequest(
                name: name ?? "",
                audience: audience,
                message: message,
                start: start,
                ratePerSecond: ratePerSecond,
                expiresAt: expiresAt,
                startsPaused: startsPaused
            )
        }
    }

    func campaign(of app: AppID, now: Date) -> Campaign {
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        let id = CampaignID(now: now)
        return Campaign(
            id: id,
            app: app,
            name: self.name.isEmpty ? id.description : self.name,
            audience: self.audience,
            message: self.message,
            start: self.start,
            ratePerSecond: self.ratePerSecond,
            expiresAt: self.expiresAt,
            startsPaused: self.startsPaused,
            createdAt: now
        )
    }
}

extension JSONReader {
    /// Parses an audience, and records its errors under its path.
    mutating func audience(_ path: FieldPath) throws(JSONSyntaxError) -> Audience? {
        guard let bytes = try self.rawObject(path) else { return nil }
        guard let json = try? JSONValue(json: bytes) else {
            self.faults.add(path, expected: "an object", got: "one that cannot be read")
            return nil
        }
        do {
            return try Audience(json: json, at: path.description)
        } catch {
            for failure in error.failures { self.faults.add(failure) }
            return nil
        }
    }
}

/// The member `start` of a request to create a campaign while it is read.
enum CampaignStartParser {
    static let members = ["now", "at", "local"]
    static let localMembers = ["time", "fallbackZone", "sendIfPassed"]

    /// Parses the object, and records errors.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> CampaignStart? {
        var names: [String] = []
        var start: CampaignStart?
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            names.append(member)
            switch member {
            case "now":
                let isNow = try reader.boolean(path)
                if isNow == false { reader.faults.add(path, expected: "true", got: "false") }
                start = .now
            case "at": start = try reader.value(path, Timestamp.parse).map(CampaignStart.at)
            case "local": start = try self.local(&reader, path).map(CampaignStart.local)
            default: try reader.skip()
            }
        }
        guard isObject else { return nil }
        guard names.count == 1 else {
            let got = names.isEmpty ? "none" : names.map { "'\($0)'" }.joined(separator: " and ")
            reader.faults.add(path, expected: "exactly one of the members 'now', 'at', 'local'", got: got)
            return nil
        }
        return start
    }

    private static func local(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> LocalStart? {
        var time: LocalTime?
        var zone: String? = "UTC"
        var sendIfPassed = true
        let isObject = try reader.object(path, members: self.localMembers) {
            reader,
            name,
            path throws(JSONSyntaxError) in
            switch name {
            case "time": time = try reader.value(path, LocalTime.init(_:))
            case "fallbackZone": zone = try reader.value(path, self.zone)
            case "sendIfPassed": sendIfPassed = try reader.boolean(path) ?? true
            default: try reader.skip()
            }
        }
        guard isObject, let time = reader.require(time, "time", at: path), let zone else { return nil }
        return LocalStart(time: time, fallbackZone: zone, sendIfPassed: sendIfPassed)
    }

    static func zone(_ text: String) throws(InvalidValueError) -> String {
        guard TimeZoneNames.contains(text) else {
            let value = "\(text.utf8.count) bytes with another value"
            throw InvalidValueError(field: "fallbackZone", rule: TimeZoneNames.rule, value: value)
        }
        return text
    }
}

/// The member `message` of a request to create a campaign while it is read.
struct CampaignMessageParser {
    static let members = ["pushType", "priority", "timeToLiveSeconds", "collapseID", "default", "variants"]

    /// The most variants of a message.
    static let maximumVariants = 100

    private var pushType: PushType?
    private var priority: Priority?
    private var timeToLiveSeconds: Int?
    private var collapseID: CollapseID?
    private var fallback: CampaignVariant?
    private var variants: [String: CampaignVariant] = [:]

    /// Parses the object, and records errors.
    static func read(
        _ reader: inout JSONReader,
        _ path: FieldPath,
        app: AppID
    ) throws(JSONSyntaxError) -> CampaignMessage? {
        var draft = CampaignMessageParser()
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "pushType": draft.pushType = try reader.value(path, ContentParser.knownPushType)
            case "priority": draft.priority = try ContentParser.priority(&reader, path)
            case "timeToLiveSeconds": draft.timeToLiveSeconds = try reader.integer(path, in: 0...2_592_000)
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

    /// Records missing members, and values that APNs would reject.
    private func message(_ reader: inout JSONReader, _ path: FieldPath, app: AppID) -> CampaignMessage? {
        guard let fallback = reader.require(self.fallback, "default", at: path) else { return nil }
        let message = CampaignMessage(
            pushType: self.pushType ?? .alert,
            priority: self.priority,
            timeToLive: self.timeToLiveSeconds,
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

/// A variant of a campaign's message, and its path in the request.
struct CampaignVariant {
    static let members = ["payload", "notification"]
    let template: MessageTemplate
    let path: FieldPath

    /// Parses the object, and records errors.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> CampaignVariant? {
        var found: [(path: FieldPath, payload: APNsPayload?)] = []
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            let isRaw = member == "payload"
            let payload =
                isRaw ? try ContentParser.rawPayload(&reader, path) : try AlertParser.read(&reader, path)
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

/// An audience that is to be counted.
struct EstimateAudienceRequest: Sendable {
    static let members = ["audience"]
    var audience: Audience
}

extension EstimateAudienceRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var audience: Audience?
        self = try JSONReader.read(body, members: Self.members) { reader, _, path throws(JSONSyntaxError) in
            audience = try reader.audience(path)
        } finish: { reader in
            reader.require(audience, "audience").map { EstimateAudienceRequest(audience: $0) }
        }
    }
}
