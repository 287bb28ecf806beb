// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The attributes of a topic that callers set.
public struct TopicSettings: Hashable, Sendable {
    /// The values, as they were given; what was set to the empty text is not among them.
    public private(set) var values: [String: String] = [:]

    /// The names that may be set when a topic is made, and what their values are.
    static let rules: [String: AttributeRule] = {
        var rules: [String: AttributeRule] = [
            "DisplayName": .text(maximumCharacters: 100), "DeliveryPolicy": .deliveryPolicy, "Policy": .jsonObject,
            "TracingConfig": .words(["PassThrough", "Active"]), "KmsMasterKeyId": .text(maximumCharacters: 2048),
            "SignatureVersion": .words(["1", "2"]), "FifoTopic": .flag, "ContentBasedDeduplication": .flag,
            "ArchivePolicy": .jsonObject, "FifoThroughputScope": .words(["Topic", "MessageGroup"]),
        ]
        for name in ["HTTP", "Firehose", "Lambda", "Application", "SQS"] {
            rules["\(name)SuccessFeedbackRoleArn"] = .text(maximumCharacters: 2048)
            rules["\(name)FailureFeedbackRoleArn"] = .text(maximumCharacters: 2048)
            rules["\(name)SuccessFeedbackSampleRate"] = .number(0...100)
        }
        return rules
    }()

    /// The names that cannot be changed later.
    private static let fixed: Set<String> = ["FifoTopic"]

    /// The names that other topics than FIFO ones do not know.
    private static let orderly: Set<String> = ["ContentBasedDeduplication", "ArchivePolicy", "FifoThroughputScope"]

    /// No attribute is set.
    public init() {}

    /// Attributes that were set before, from a store.
    public init(stored values: [String: String]) { self.values = values }

    /// The attributes of a new topic.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    public init(_ values: [String: String]) throws(SNSError) {
        let isFIFO = values["FifoTopic"]?.lowercased() == "true"
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            try self.set(name, to: value, at: .map, isFIFO: isFIFO)
        }
    }

    /// The value of an attribute; `nil` when it was not set.
    public subscript(name: String) -> String? { self.values[name] }

    /// With which hash deliveries to URLs are signed.
    public var signatureVersion: DeliveryIdentity.SignatureVersion {
        self.values["SignatureVersion"].flatMap(DeliveryIdentity.SignatureVersion.init(rawValue:)) ?? .sha1
    }

    /// How messages are delivered to URLs.
    public var deliveryPolicy: DeliveryPolicy {
        self.values["DeliveryPolicy"].flatMap(DeliveryPolicy.init(json:)) ?? DeliveryPolicy()
    }

    /// What callers have set of a topic of another server, out of all that `GetTopicAttributes` answers there.
    ///
    /// The policy that topics begin with was set by nobody, and is left out.
    ///
    /// - Parameters:
    ///   - attributes: the answer.
    ///   - arn: the topic's ARN there.
    /// - Returns: the settings, and why values are not taken, in the order of their names.
    public static func read(
        from attributes: [String: String],
        of arn: String
    ) -> (settings: TopicSettings, refusals: [SNSError]) {
        var settings = TopicSettings()
        var refusals: [SNSError] = []
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
            guard Self.rules[name] != nil, !Self.fixed.contains(name), !Self.orderly.contains(name) else { continue }
            if name == "Policy", TopicDescription.isDefaultPolicy(value, of: arn) { continue }
            do {
                try settings.set(SNSAttribute(name: name, value: value))
            } catch {
                refusals.append(error)
            }
        }
        return (settings, refusals)
    }

    /// Changes one attribute of a topic that is there.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    public mutating func set(_ attribute: SNSAttribute) throws(SNSError) {
        guard !Self.fixed.contains(attribute.name) else { throw AttributePlace.single.unknown(attribute.name) }
        try self.set(
            attribute.name,
            to: attribute.value,
            at: .single,
            isFIFO: self["FifoTopic"]?.lowercased() == "true"
        )
    }

    /// Checks that a topic with these attributes may be "made" once more with others.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` for one that differs or was not set before.
    public func checkAgreement(with others: TopicSettings) throws(SNSError) {
        guard others.values.allSatisfy({ self.values[$0.key] == $0.value }) else {
            throw .invalidParameter("Attributes", reason: "Topic already exists with different attributes")
        }
    }

    /// Checks that a topic with these tags may be "made" once more with others; `nil` always may.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` unless they are the same.
    public static func checkAgreement(of tags: [SNSTag], with others: [SNSTag]?) throws(SNSError) {
        guard let others, Set(tags) != Set(others) else { return }
        throw .invalidParameter("Tags", reason: "Topic already exists with different tags")
    }

    private mutating func set(
        _ name: String,
        to value: String,
        at place: AttributePlace,
        isFIFO: Bool
    ) throws(SNSError) {
        guard let rule = Self.rules[name], isFIFO || !Self.orderly.contains(name) else { throw place.unknown(name) }
        try rule.check(value, name: name, at: place)
        self.values[name] = value.isEmpty ? nil : value
    }
}
