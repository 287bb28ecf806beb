// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

extension APNsSimulatorSwitches {
    /// Every switch, with its positions and its default.
    public static let catalogue: [SimulatorSwitch] =
        Self.edges + ConnectionSwitches.catalogue + StorageSwitches.catalogue + DeviceSwitches.catalogue
        + ActivitySwitches.catalogue + ChannelSwitches.catalogue + LegacySwitches.catalogue

    /// The switches that belong to no group: edges of the provider API's rules.
    private static let edges: [SimulatorSwitch] = [
        .position("malformedExpiration", \.malformedExpiration, "apns-expiration that is negative or no integer"),
        .position("pastExpiration", \.pastExpiration, "apns-expiration in the past"),
        .position("upperCaseDeviceToken", \.upperCaseDeviceToken, "upper-case digits in the device token"),
        .position("undashedMessageID", \.undashedMessageID, "apns-id without dashes"),
        .position("upperCaseMessageID", \.upperCaseMessageID, "apns-id with upper-case digits"),
        .position("emptyCollapseID", \.emptyCollapseID, "empty apns-collapse-id"),
        .position("upperCaseBearer", \.upperCaseBearer, "Bearer in other than lower-case letters"),
        .position("quotedIssuedAt", \.quotedIssuedAt, "iat of the provider token as a string"),
        .optionalReason(
            "futureProviderToken",
            \.futureProviderToken,
            [.invalidProviderToken, .expiredProviderToken, .tooManyProviderTokenUpdates],
            "iat of the provider token more than an hour ahead"
        ),
        .reason(
            "otherTeam",
            \.otherTeam,
            [.invalidProviderToken, .forbidden],
            "provider token of another team than the connection's first"
        ),
        .reason(
            "otherEnvironmentKey",
            \.otherEnvironmentKey,
            [.badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken],
            "provider token by a key that is restricted to the other environment"
        ),
        .flag(
            "countsFirstProviderToken",
            \.countsFirstProviderToken,
            "whether the first provider token of a connection counts in the 20-minute rule"
        ),
        .position("priorityCheck", \.priorityCheck, "push types whose allowed priorities are enforced"),
        .position("backgroundWithoutPriority", \.backgroundWithoutPriority, "background push without apns-priority"),
        .optionalReason(
            "missingTopicSuffix",
            \.missingTopicSuffix,
            [.badTopic, .topicDisallowed, .invalidPushType],
            "topic without the suffix of its push type"
        ),
        .reason(
            "topicNotInCertificate",
            \.topicNotInCertificate,
            [.topicDisallowed, .badTopic],
            "topic that the certificate does not list"
        ),
        .optionalReason(
            "tokenOnlyPushType",
            \.tokenOnlyPushType,
            [.topicDisallowed, .invalidPushType, .forbidden],
            "push type that only provider tokens may send, on a certificate connection"
        ),
        .optionalReason("nonJSONPayload", \.nonJSONPayload, [.payloadEmpty], "body that is no JSON object in UTF-8"),
        .position("streamGrant", \.streamGrant, "what opens all streams of a token connection"),
    ]

    /// Puts a switch into a position, both by name.
    ///
    /// - Throws: ``ValidationFailure`` that lists the names there are.
    public mutating func set(_ name: String, to choice: String) throws(ValidationFailure) {
        guard let entry = Self.catalogue.first(where: { $0.name == name }) else {
            let names = Self.catalogue.map(\.name).joined(separator: ", ")
            throw ValidationFailure(field: "switch", rule: "one of \(names)", value: name)
        }
        guard entry.positions.contains(choice) else {
            throw ValidationFailure(field: "switch \(name)", rule: "\(entry.positions)", value: choice)
        }
        entry.write(&self, choice)
    }

    /// The position of every switch, by name.
    public var positions: [String: String] {
        Dictionary(uniqueKeysWithValues: Self.catalogue.map { ($0.name, $0.read(self)) })
    }
}
