// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A request of the query protocol, read: `Action=Publish&Version=2010-03-31&TopicArn=...`.
package struct SNSQueryRequest: Sendable {
    /// The context of parsing a call.
    package struct Context: Hashable, Sendable {
        /// The region of the signature, in which every ARN has to lie; `nil` for a call that is not signed.
        package var region: String?
        package var limits: SNSLimits

        package init(region: String?, limits: SNSLimits = .sns) {
            self.region = region
            self.limits = limits
        }
    }

    package let action: SNSAction
    package let request: SNSRequest

    /// Reads the fields of a call.
    ///
    /// - Throws: ``SNSError`` with the code and the sentence of SNS.
    package init(_ form: FormFields, in context: Context) throws(SNSError) {
        let root = try ParameterNode(form)
        let action = try SNSAction(parameter: root["Action"]?.value)
        if let version = root["Version"]?.value, version != SNSAction.version {
            throw SNSError(
                .noSuchVersion,
                "The requested version ( \(version.cut) ) is not valid, it must be \(SNSAction.version)."
            )
        }
        self.action = action
        self.request = try SNSRequest(action, ParameterReader(root), in: context)
    }
}

/// How much a request may hold: as SNS has it, or more.
package struct SNSLimits: Hashable, Sendable {
    /// The longest message with its attributes, and the longest batch, in bytes; default 262,144.
    package var messageBytes = 262_144
    /// The most entries of a batch; default 10.
    package var batchEntries = 10
    /// The most names at the top of a filter policy; default 5.
    package var filterPolicyNames = 5
    /// The most combinations of values in a filter policy; default 150.
    package var filterPolicyCombinations = 150
    /// The longest filter policy, in bytes; default 262,144.
    package var filterPolicyBytes = 262_144
    /// The most filter policies of a topic; default 200.
    package var filterPolicies = 200
    /// The most fields of a request; default 10,000: a batch of 10 messages with 100 attributes each has 3,000.
    package var formFields = 10_000
    /// The most tags of a topic; default 50.
    package var tags = 50
    /// The most elements on a page; default 100.
    package var pageSize = 100

    /// Creates the limits of SNS; change the values that differ.
    package init() {}

    package static let sns = SNSLimits()

    /// Only the limits that protect the server's memory: 1 MiB per request, 1,000 entries per batch.
    package static let extended: SNSLimits = {
        var limits = SNSLimits()
        limits.messageBytes = 1 << 20
        limits.batchEntries = 1000
        limits.filterPolicyNames = 100
        limits.filterPolicyCombinations = 100_000
        limits.filterPolicies = 1_000_000
        limits.tags = 1000
        limits.formFields = 100_000
        return limits
    }()
}
