// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The attributes of an application, as one call gives them.
package struct ApplicationAttributes: Hashable, Sendable {
    /// The stored and returned attributes: all except the credential.
    package let values: [String: String]
    private let credentialText: String?
    private let principalText: String?

    package static let notFound = SNSError(.notFound, "PlatformApplication does not exist")

    package static let disabled = SNSError(.platformApplicationDisabled, "Platform application is disabled")

    /// The names of the events that are published to topics.
    package static let eventNames = [
        "EventEndpointCreated", "EventEndpointDeleted", "EventEndpointUpdated", "EventDeliveryFailure",
        "EventDeliveryAttemptFailure",
    ]

    private static let rules: [String: AttributeConstraint] = {
        var rules: [String: AttributeConstraint] = [
            "ApplePlatformTeamID": .text(maximumCharacters: 64), "ApplePlatformBundleID": .text(maximumCharacters: 255),
            "SuccessFeedbackRoleArn": .text(maximumCharacters: 2048),
            "FailureFeedbackRoleArn": .text(maximumCharacters: 2048), "SuccessFeedbackSampleRate": .number(0...100),
            "Enabled": .flag,
        ]
        for name in Self.eventNames { rules[name] = .topicARN }
        return rules
    }()

    /// Validates names and values.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` without credentials.
    init(_ values: [String: String]) throws(SNSError) {
        var kept = values
        self.credentialText = kept.removeValue(forKey: "PlatformCredential")
        self.principalText = kept.removeValue(forKey: "PlatformPrincipal")
        for (name, value) in kept.sorted(by: { $0.key < $1.key }) {
            guard let rule = Self.rules[name] else { throw AttributeLocation.map.unknown(name) }
            try rule.check(value, name: name, at: .map)
        }
        if let flag = kept["Enabled"] { kept["Enabled"] = flag.lowercased() }
        self.values = kept
    }

    /// Applies the attributes of this call: an empty value removes an attribute.
    package func merged(into stored: [String: String]) -> [String: String] {
        stored.merging(self.values) { $1 }.filter { !$0.value.isEmpty }
    }

    /// The credential that the call gives; `nil` when it gives none.
    ///
    /// Team and bundle are also looked up in the stored attributes.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    package func credential(stored: [String: String] = [:]) throws(SNSError) -> PlatformCredential? {
        let merged = self.merged(into: stored)
        return try PlatformCredential(
            credential: self.credentialText,
            principal: self.principalText,
            teamID: merged["ApplePlatformTeamID"],
            bundleID: merged["ApplePlatformBundleID"]
        )
    }

    /// The attributes of an application, for an answer, in the order of their names.
    ///
    /// - Returns: them, and `Enabled`.
    package static func description(of stored: [String: String]) -> [SNSAttribute] {
        stored.merging(["Enabled": "true"]) { own, _ in own }
            .map { SNSAttribute(name: $0.key, value: $0.value) }
            .sorted { $0.name < $1.name }
    }
}

extension ApplicationAttributes: CustomStringConvertible, CustomDebugStringConvertible {
    /// The names alone.
    package var description: String {
        let credential = self.credentialText == nil ? "no credential" : "a credential"
        return "\(self.values.keys.sorted().joined(separator: ", ")) and \(credential)"
    }

    package var debugDescription: String { self.description }
}
