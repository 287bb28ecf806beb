// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import JSONSchema
package import PushModel

extension ActivitySamples {
    /// What the content of lessons has to look like.
    package static let rules = """
        {"type":"object","required":["status"],"additionalProperties":false,"properties":{
        "status":{"enum":["active","ending"]},"endTime":{"format":"swift-date","adapt":true}}}
        """

    /// The type of lessons, or another one.
    package static func registered(_ rules: String, name: AttributesType = type) throws -> ActivityType {
        ActivityType(
            app: StoreSamples.app,
            name: name,
            contentState: try JSONSchema(json: Array(rules.utf8)),
            attributes: nil,
            createdAt: StoreSamples.now,
            changedAt: StoreSamples.now
        )
    }
}
