// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a caller says of a new campaign.
struct CampaignRequest: Sendable {
    static let members = ["name", "audience", "message", "start", "throttle", "expiresAt", "paused"]

    var name: String
    var audience: Audience
    var message: CampaignMessage
    var start: CampaignStart
    var throttle: Int?
    var expiresAt: Date?
    var isPaused: Bool

    /// Reads the body of a request to create a campaign of an app.
    ///
    /// - Throws: ``Problem`` with every fault of the request.
    init(_ body: [UInt8], app: AppID, now: Date) throws(Problem) {
        var name: String?
        var audience: Audience?
        var message: CampaignMessage?
        var start: CampaignStart? = .now
        var throttle: Int?
        var expiresAt: Date?
        var isPaused = false
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.string(path, bytes: 1...256)
            case "audience": audience = try reader.audience(path)
            case "message": message = try CampaignMessageDraft.read(&reader, path, app: app)
            case "start": start = try CampaignStartDraft.read(&reader, path)
            case "throttle": throttle = try reader.integer(path, in: Campaign.throttles)
            case "expiresAt": expiresAt = try reader.value(path, Timestamp.parse)
            case "paused": isPaused = try reader.boolean(path) ?? false
            default: try reader.skip()
            }
        } finish: { reader in
            if let start, let expiresAt, expiresAt <= max(start.planningTime(createdAt: now), now) {
                reader.faults.add(.root.member("expiresAt"), expected: "a time behind the start", got: "an earlier one")
            }
            let required = (reader.require(audience, "audience"), reader.require(message, "message"))
            guard case (let audience?, let message?) = required, let start else { return nil }
            return CampaignRequest(
                name: name ?? "",
                audience: audience,
                message: message,
                start: start,
                throttle: throttle,
                expiresAt: expiresAt,
                isPaused: isPaused
            )
        }
    }

    private init(
        name: String,
        audience: Audience,
        message: CampaignMessage,
        start: CampaignStart,
        throttle: Int?,
        expiresAt: Date?,
        isPaused: Bool
    ) {
        self.name = name
        self.audience = audience
        self.message = message
        self.start = start
        self.throttle = throttle
        self.expiresAt = expiresAt
        self.isPaused = isPaused
    }

    /// The campaign that is asked for.
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
            throttle: self.throttle,
            expiresAt: self.expiresAt,
            startsPaused: self.isPaused,
            createdAt: now
        )
    }
}

extension JSONReader {
    /// Reads an audience; whatever is wrong with it is noted under its path.
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
