// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The parts of an Amazon Resource Name of SNS: `arn:<partition>:sns:<region>:<account>:<resource>`.
struct ARN: Hashable, Sendable {
    let scope: SNSScope
    let resource: String

    /// Reads an ARN.
    ///
    /// - Parameters:
    ///   - text: the ARN.
    ///   - parameter: where it stands, for an error: `TopicArn`.
    ///   - region: the region of the call; `nil` for calls that are not signed.
    /// - Throws: ``SNSError`` `InvalidParameter`.
    init(_ text: String, parameter: String, region: String?) throws(SNSError) {
        let parts = text.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6 else {
            throw .invalidParameter(
                parameter,
                reason: "An ARN must have at least 6 elements, not \(parts.count)"
            )
        }
        guard parts[0] == "arn", parts[2] == "sns", let scope = SNSScope(region: parts[3], account: parts[4]),
            parts[1] == scope.partition, region == nil || region == scope.region
        else { throw .invalidParameter(parameter) }
        self.scope = scope
        self.resource = parts[5]
    }

    init(scope: SNSScope, resource: String) {
        self.scope = scope
        self.resource = resource
    }

    /// The ARN as text.
    var text: String { "arn:\(self.scope.partition):sns:\(self.scope.region):\(self.scope.account):\(self.resource)" }
}
