// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A request of the query protocol, read: `Action=Publish&Version=2010-03-31&TopicArn=...`.
public struct SNSCall: Sendable {
    /// What a call is read against.
    public struct Context: Hashable, Sendable {
        /// The region of the signature, in which every ARN has to lie; `nil` for a call that is not signed.
        public var region: String?
        /// How much a request may hold.
        public var limits: SNSLimits

        /// A region and limits.
        public init(region: String?, limits: SNSLimits = .sns) {
            self.region = region
            self.limits = limits
        }
    }

    /// The operation.
    public let action: SNSAction
    /// Its parameters.
    public let request: SNSRequest
    /// Names of parameters that the operation does not have, in the order of their names.
    ///
    /// SNS passes over them, and so is done here.
    public let unknownParameters: [String]

    /// Reads the fields of a call.
    ///
    /// - Throws: ``SNSError`` with the code and the sentence of SNS.
    public init(_ form: FormFields, in context: Context) throws(SNSError) {
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
        let known = action.parameters.union(["Action", "Version"]).union(QuerySignatureName.all)
        self.unknownParameters = root.names.filter { !known.contains($0) }.sorted()
    }
}
