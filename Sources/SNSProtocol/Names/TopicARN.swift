// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The ARN of a topic: `arn:aws:sns:<region>:<account>:<name>`.
public struct TopicARN: Hashable, Sendable, CustomStringConvertible {
    /// Region and account.
    public let scope: SNSScope
    /// The topic's name.
    public let name: String

    /// The ARN of a topic; `nil` unless the name can be one.
    public init?(scope: SNSScope, name: String) {
        guard ResourceName.isTopic(name) else { return nil }
        self.scope = scope
        self.name = name
    }

    /// Reads an ARN.
    ///
    /// - Parameters:
    ///   - text: the ARN.
    ///   - parameter: where it stands, for an error.
    ///   - region: the region of the call; `nil` for calls that are not signed.
    /// - Throws: ``SNSError`` `InvalidParameter`.
    public init(_ text: String, parameter: String = "TopicArn", region: String?) throws(SNSError) {
        let arn = try ARN(text, parameter: parameter, region: region)
        guard let topic = TopicARN(scope: arn.scope, name: arn.resource) else { throw .invalidParameter(parameter) }
        self = topic
    }

    /// Whether it is a FIFO topic: its name ends in `.fifo`.
    public var isFIFO: Bool { self.name.hasSuffix(ResourceName.fifoSuffix) }

    /// The ARN as text.
    public var description: String { ARN(scope: self.scope, resource: self.name).text }
}
