// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The keys of the SNS endpoint.
extension ConfigurationKey {
    static let sns = Self("sns.enabled", .boolean, fallback: "true", "serve the SNS endpoint")

    static let snsPath = Self(
        "sns.path",
        .text,
        fallback: "/",
        "path of the SNS endpoint; clients sign it, so a proxy must not change it"
    )

    static let snsAccount = Self(
        "sns.account",
        .text,
        fallback: "000000000000",
        "account in the ARNs of the SNS endpoint: 12 digits"
    )

    static let snsRegion = Self(
        "sns.region",
        .text,
        fallback: nil,
        "only region for which requests to the SNS endpoint may be signed; default: any"
    )

    static let snsURL = Self(
        "sns.url",
        .url(schemes: ["http", "https"]),
        fallback: nil,
        "public URL of the SNS endpoint, with its path; messages to HTTP subscriptions contain it. Without it, only "
            + "callers on this machine can subscribe URLs"
    )

    static let snsIgnoreSessionToken = Self(
        "sns.ignoreSessionToken",
        .boolean,
        fallback: "false",
        "ignore AWS_SESSION_TOKEN of clients, which an AWS Lambda function always sets; otherwise it is refused"
    )

    static let snsMaximumPresignedSeconds = Self(
        "sns.maximumPresignedSeconds",
        .integer(1...604_800),
        fallback: "604800",
        "longest X-Amz-Expires of presigned requests to the SNS endpoint, which can be repeated until then; the default "
            + "is the limit of AWS, 7 days"
    )

    static let snsExtendedLimits = Self(
        "sns.extendedLimits",
        .boolean,
        fallback: "false",
        "accept larger requests than SNS: messages up to 1 MiB, batches of 1000, larger filter policies"
    )
}
