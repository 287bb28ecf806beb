// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The keys of the SNS endpoint.
extension ConfigurationKey {
    static let sns = Self("sns.enabled", .boolean, fallback: "true", "whether the SNS endpoint is served")

    static let snsPath = Self(
        "sns.path",
        .text,
        fallback: "/",
        "the path of the SNS endpoint; clients sign it, so that a proxy must leave it as it is"
    )

    static let snsAccount = Self(
        "sns.account",
        .text,
        fallback: "000000000000",
        "the account in the ARNs of the SNS endpoint: 12 digits"
    )

    static let snsRegion = Self(
        "sns.region",
        .text,
        fallback: nil,
        "the only region for which requests to the SNS endpoint may be signed; default: any"
    )

    static let snsURL = Self(
        "sns.url",
        .url(schemes: ["http", "https"]),
        fallback: nil,
        "where the SNS endpoint is reached from outside, with its path; it stands in what URLs that are subscribed to topics are "
            + "posted; default: as the request that subscribed has it"
    )

    static let snsLiftsLimits = Self(
        "sns.liftLimits",
        .boolean,
        fallback: "false",
        "whether the SNS endpoint takes more than SNS does: messages up to 1 MiB, batches of 1000, larger filter policies"
    )
}
