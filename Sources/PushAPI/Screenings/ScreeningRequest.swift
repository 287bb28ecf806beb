// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a caller says of a new screening.
struct ScreeningRequest: Sendable {
    static let members = ["name", "audience", "spreadSeconds", "correct", "startAt"]

    var name: String
    var audience: Audience
    var spreadSeconds: Int
    var correct: Bool
    var startAt: Date?

    /// Reads the body of a request.
    ///
    /// - Throws: ``Problem`` with every fault of the request.
    init(_ body: [UInt8]) throws(Problem) {
        var name: String?
        var audience: Audience?
        var spreadSeconds: Int?
        var correct = false
        var startAt: Date?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.string(path, bytes: 1...256)
            case "audience": audience = try reader.audience(path)
            case "spreadSeconds": spreadSeconds = try reader.integer(path, in: Screening.spreads)
            case "correct": correct = try reader.boolean(path) ?? false
            case "startAt": startAt = try reader.value(path, Timestamp.parse)
            default: try reader.skip()
            }
        } finish: { reader in
            reader.require(spreadSeconds, "spreadSeconds").map {
                ScreeningRequest(
                    name: name ?? "",
                    audience: audience ?? .all,
                    spreadSeconds: $0,
                    correct: correct,
                    startAt: startAt
                )
            }
        }
    }

    private init(name: String, audience: Audience, spreadSeconds: Int, correct: Bool, startAt: Date?) {
        self.name = name
        self.audience = audience
        self.spreadSeconds = spreadSeconds
        self.correct = correct
        self.startAt = startAt
    }

    /// The screening that is asked for, as the campaign that carries it out.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - devices: how many devices the audience has.
    ///   - now: when it is created.
    /// - Returns: the campaign.
    /// - Throws: never, as long as the payload of screenings is one.
    func campaign(of app: AppID, devices: Int, now: Date) throws -> Campaign {
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        let id = CampaignID(now: now)
        return try Campaign(
            id: id,
            app: app,
            name: self.name.isEmpty ? id.description : self.name,
            audience: self.audience,
            screening: Screening(
                spreadSeconds: self.spreadSeconds,
                devices: devices,
                correctsDevices: self.correct
            ),
            start: self.startAt.map(CampaignStart.at) ?? .now,
            createdAt: now
        )
    }
}
