// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// To whom a message is sent.
public enum PublishTarget: Hashable, Sendable {
    /// All subscriptions of a topic.
    case topic(TopicARN)
    /// One endpoint.
    case endpoint(EndpointARN)
}

/// The parameters of `Publish`.
public struct PublishRequest: Hashable, Sendable {
    /// To whom the message is sent.
    public let target: PublishTarget
    /// The message, not yet checked.
    public let parameters: MessageParameters

    init(_ reader: inout ParameterReader, region: String?) throws(SNSError) {
        self.parameters = MessageParameters(&reader)
        try reader.finish()
        self.target = try Self.target(reader, region: region)
    }

    private static func target(_ reader: ParameterReader, region: String?) throws(SNSError) -> PublishTarget {
        let names = ["TopicArn", "TargetArn", "PhoneNumber"].filter { reader.text($0) != nil }
        guard names.count <= 1 else {
            throw .invalidParameter("TopicArn or TargetArn", reason: "only one of \(names.joined(separator: ", "))")
        }
        if let text = reader.text("TopicArn") { return .topic(try TopicARN(text, region: region)) }
        if let text = reader.text("TargetArn") {
            let arn = try ARN(text, parameter: "TargetArn", region: region)
            if arn.resource.hasPrefix("endpoint/") {
                return .endpoint(try EndpointARN(text, parameter: "TargetArn", region: region))
            }
            guard !arn.resource.contains("/") else {
                throw .invalidParameter("TargetArn", reason: "must be the ARN of an endpoint or of a topic")
            }
            return .topic(try TopicARN(text, parameter: "TargetArn", region: region))
        }
        guard reader.text("PhoneNumber") == nil else {
            throw .invalidParameter("PhoneNumber", reason: "text messages are not delivered by this server")
        }
        throw .invalidParameter("TopicArn or TargetArn", reason: "no value for required parameter")
    }
}
