// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import JSONSchema
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A registered type of Live Activities as it is written.
struct ActivityTypeBody: Encodable {
    let app: String
    let name: String
    let contentState: JSONValue?
    let attributes: JSONValue?
    let createdAt: Date
    let changedAt: Date

    init(_ type: ActivityType) throws {
        self.app = type.app.rawValue
        self.name = type.name.rawValue
        self.contentState = try type.contentState.map { try JSONValue(json: $0.bytes) }
        self.attributes = try type.attributes.map { try JSONValue(json: $0.bytes) }
        self.createdAt = type.createdAt
        self.changedAt = type.changedAt
    }
}

/// The types of an app as they are written.
struct ActivityTypeListBody: Encodable {
    let types: [ActivityTypeBody]
}
