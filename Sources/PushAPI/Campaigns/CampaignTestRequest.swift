// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// To whom a campaign's message is sent first, to see what it looks like.
struct CampaignTestRequest: Sendable {
    static let members = ["devices", "users"]

    /// The most devices, or users, of one test.
    static let maximumRecipients = 100

    var devices: [InstallationID]
    var users: [UserID]

    /// Reads the body of a request.
    init(_ body: [UInt8]) throws(Problem) {
        var devices: [InstallationID]?
        var users: [UserID]?
        var names: [String] = []
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            names.append(member)
            if member == "devices" {
                devices = try Self.identifiers(&reader, path)
            } else {
                users = try Self.identifiers(&reader, path)
            }
        } finish: { reader in
            if names.count != 1 {
                let got = names.isEmpty ? "none" : "both"
                reader.faults.add(.root, expected: "exactly one of the members 'devices', 'users'", got: got)
            }
            return CampaignTestRequest(devices: devices ?? [], users: users ?? [])
        }
    }

    private init(devices: [InstallationID], users: [UserID]) {
        self.devices = devices
        self.users = users
    }

    private static func identifiers<ID: TextIdentifier>(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [ID]? {
        var found: [ID] = []
        let count = try reader.array(path) { reader, index throws(JSONSyntaxError) in
            let id: ID? = try reader.value(path.element(index), ID.init(validating:))
            if let id, !found.contains(id) { found.append(id) }
        }
        guard let count else { return nil }
        if !(1...self.maximumRecipients).contains(count) {
            reader.faults.add(path, expected: "1 to \(self.maximumRecipients) elements", got: "\(count)")
        }
        return found
    }
}

/// An audience that is to be counted.
struct EstimateRequest: Sendable {
    static let members = ["audience"]

    var audience: Audience

    /// Reads the body of a request.
    init(_ body: [UInt8]) throws(Problem) {
        var audience: Audience?
        self = try JSONReader.read(body, members: Self.members) { reader, _, path throws(JSONSyntaxError) in
            audience = try reader.audience(path)
        } finish: { reader in
            reader.require(audience, "audience").map { EstimateRequest(audience: $0) }
        }
    }

    private init(audience: Audience) {
        self.audience = audience
    }
}

/// How many devices an audience has, as it is written.
struct EstimateBody: Encodable {
    let count: Int
}
