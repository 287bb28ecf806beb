// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// For what a signature is good: one key on one day in one region for one service.
public struct CredentialScope: Hashable, Sendable {
    /// The last part of every scope.
    static let terminator = "aws4_request"

    /// The public half of the key pair.
    public var accessKeyID: String
    /// The day in UTC: `20150830`.
    public var day: String
    /// The region: `ap-northeast-1`.
    public var region: String
    /// The service: `sns`.
    public var service: String

    /// A scope of these parts.
    public init(accessKeyID: String, day: String, region: String, service: String) {
        self.accessKeyID = accessKeyID
        self.day = day
        self.region = region
        self.service = service
    }

    /// Reads `<key id>/<day>/<region>/<service>/aws4_request`.
    ///
    /// - Throws: ``SNSError`` `IncompleteSignature`, or `SignatureDoesNotMatch` for another last part.
    init(_ text: String) throws(SNSError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5 else {
            throw SNSError(
                .incompleteSignature,
                "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term,"
                    + " got \(parts.count)"
            )
        }
        guard parts[4] == Self.terminator else {
            throw SNSError(
                .signatureDoesNotMatch,
                "Credential should be scoped with a valid terminator: '\(Self.terminator)', not '\(parts[4].cut)'."
            )
        }
        guard (1...128).contains(parts[0].utf8.count) else {
            throw SNSError(.incompleteSignature, "Credential must begin with an access key id of 1...128 characters")
        }
        self.init(accessKeyID: parts[0], day: parts[1], region: parts[2], service: parts[3])
    }

    /// The scope without the key, as it stands in what is signed.
    var text: String { "\(self.day)/\(self.region)/\(self.service)/\(Self.terminator)" }

    /// Checks that the scope is for a service, on the day of the signature, and in a region whose name can be one.
    ///
    /// - Throws: ``SNSError`` `SignatureDoesNotMatch`.
    func check(service: String, time: AmzDate) throws(SNSError) {
        guard self.service == service else {
            throw SNSError(
                .signatureDoesNotMatch,
                "Credential should be scoped to correct service: '\(service)', not '\(self.service.cut)'."
            )
        }
        guard SNSScope.isRegion(self.region) else {
            throw SNSError(
                .signatureDoesNotMatch,
                "Credential should be scoped to a valid region, not '\(self.region.cut)'."
            )
        }
        guard self.day == time.day else {
            throw SNSError(
                .signatureDoesNotMatch,
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP:"
                    + " '\(self.day.cut)' != '\(time.day)', from '\(time)'."
            )
        }
    }
}
