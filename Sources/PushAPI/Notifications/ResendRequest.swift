// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What a caller says of sending a notification again.
struct ResendRequest: Sendable {
    static let members = ["expiration"]

    /// Until when APNs keeps it; `nil` leaves that as it was.
    var expiration: APNsExpiration?

    /// Reads the body of a request; an empty one says nothing.
    init(_ body: [UInt8]) throws(Problem) {
        guard !body.isEmpty else {
            self.init(expiration: nil)
            return
        }
        var expiration: APNsExpiration?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "expiration":
                let seconds: Int64? = try reader.integer(path, in: 0...253_402_300_799)
                expiration = seconds.map(APNsExpiration.init(rawValue:))
            default: try reader.skip()
            }
        } finish: { _ in
            ResendRequest(expiration: expiration)
        }
    }

    private init(expiration: APNsExpiration?) {
        self.expiration = expiration
    }
}
