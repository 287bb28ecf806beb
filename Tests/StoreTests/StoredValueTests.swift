// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import Testing

/// The columns that hold JSON, most of it written by derived `Codable` conformances: a renamed property would change them.
@Suite("Values that a store keeps as JSON")
struct StoredValueTests {
    /// Reads a text and writes the value again, as the stores do.
    private static let types: [String: @Sendable (String) throws -> String] = [
        "ActivityAlert": Self.copy(ActivityAlert.self),
        "ActivityChannel": Self.copy(ActivityChannel.self),
        "Audience": Self.copy(Audience.self),
        "Campaign": Self.copy(Campaign.self),
        "CampaignPlan": Self.copy(CampaignFanOut.self),
        "JobDefinition": Self.copy(JobDefinition.self),
        "LiveActivityAlert": Self.copy(LiveActivityAlert.self),
        "RolloutProgress": Self.copy(RolloutProgress.self),
        "TransitionPlan": { try StoredTransition.encode(StoredTransition.decode($0)) },
    ]

    private static func copy<Value: Codable & SendableMetatype>(
        _ type: Value.Type
    ) -> @Sendable (String) throws -> String {
        { text in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let value = try JSONDecoder().decode(Value.self, from: Data(text.utf8))
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        }
    }

    @Test("stored JSON is decoded and encoded without a change", arguments: Self.types.keys.sorted())
    func unchanged(type: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "StoredValues.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let texts = lines.filter { $0.hasPrefix("\(type)\t") }.map { String($0.dropFirst(type.count + 1)) }
        let copy = try #require(Self.types[type])
        #expect(!texts.isEmpty)
        #expect(lines.allSatisfy { line in Self.types.keys.contains { line.hasPrefix("\($0)\t") } })
        for text in texts { #expect(try copy(text) == text) }
    }
}
