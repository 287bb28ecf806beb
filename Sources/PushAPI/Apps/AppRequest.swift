// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a caller says of a new app.
struct AppRequest: Sendable {
    static let members = ["id", "name", "defaultEnvironment"]

    var id: AppID
    var name: String?
    var defaultEnvironment: APNsEnvironment

    /// Reads the body of a request.
    init(_ body: [UInt8]) throws(Problem) {
        var id: AppID?
        var name: String?
        var environment: APNsEnvironment?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "id": id = try reader.value(path, AppID.init(validating:))
            case "name": name = try reader.string(path, bytes: 1...256)
            case "defaultEnvironment": environment = try reader.oneOf(APNsEnvironment.self, path)
            default: try reader.skip()
            }
        } finish: { reader in
            reader.require(id, "id").map {
                AppRequest(id: $0, name: name, defaultEnvironment: environment ?? .production)
            }
        }
    }

    private init(id: AppID, name: String?, defaultEnvironment: APNsEnvironment) {
        self.id = id
        self.name = name
        self.defaultEnvironment = defaultEnvironment
    }
}
