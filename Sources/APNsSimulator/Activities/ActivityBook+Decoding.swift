// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What the device's decoder says of attributes and content.
extension ActivityBook {
    /// Decodes by the shapes that are registered; an app that has registered none decodes anything.
    ///
    /// - Returns: what is decoded and yet looks wrong.
    func decode(
        attributes: JSONValue?,
        contentState: JSONValue?,
        type name: String,
        bundleID: String,
        now: Double
    ) throws(ActivityFault) -> [String] {
        guard let type = self.type(name, of: bundleID) else { return [] }
        do throws(AttributesShape.Mismatch) {
            var hints: [String] = []
            if let attributes { hints += try type.attributes.decode(attributes, path: "attributes", now: now) }
            if let contentState { hints += try type.contentState.decode(contentState, path: "content-state", now: now) }
            return hints
        } catch {
            throw ActivityFault(.undecodable, error.message)
        }
    }

    /// Checks what attributes and content state weigh together, written without white space.
    static func checkSize(attributes: JSONValue, contentState: JSONValue) throws(ActivityFault) {
        let count = attributes.count + contentState.count
        guard count > ActivityRecord.maximumBytes else { return }
        throw ActivityFault(
            .tooLarge,
            "attributes and content state: expected at most \(ActivityRecord.maximumBytes) bytes, got \(count)"
        )
    }
}

extension JSONValue {
    /// How many bytes it has as JSON.
    fileprivate var count: Int { (try? self.json().count) ?? 0 }
}
