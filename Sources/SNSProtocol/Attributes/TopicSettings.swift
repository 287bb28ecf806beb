// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The attributes of a topic that callers set.
package struct TopicSettings: Hashable, Sendable {
    /// The values as they were set, without empty ones and without `FifoTopic` of `false`, which SNS never shows.
    package private(set) var values: [String: String] = [:]

    /// The attributes that can be set when a topic is created, and their rules.
    static let rules: [String: AttributeConstraint] = {
        var rules: [String: AttributeConstraint] = [
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

    package init() {}

    /// Attributes that were set before, from a store.
    package init(stored values: [String: String]) {
        self.values = values.filter { !Self.isDefault($0.value, of: $0.key) }
    }

    /// The attributes of a new topic.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    package init(_ values: [String: String]) throws(SNSError) {
        let isFIFO = values["FifoTopic"]?.lowercased() == "true"
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            try self.set(name, to: value, at: .map, isFIFO: isFIFO)
        }
    }

    package subscript(name: String) -> String? { self.values[name] }

    /// With which hash deliveries to URLs are signed.
    package var signatureVersion: SigningIdentity.SignatureVersion {
        self.values["SignatureVersion"].flatMap(SigningIdentity.SignatureVersion.init(rawValue:)) ?? .sha1
    }

    package var deliveryPolicy: DeliveryPolicy {
        self.values["DeliveryPolicy"].flatMap(DeliveryPolicy.init(json:)) ?? DeliveryPolicy()
    }

    /// Selects the attributes that callers have set for a topic of another server, from the result of
    /// `GetTopicAttributes`.
    ///
    /// The default policy of topics was not set by a caller, and is omitted.
    ///
    /// - Returns: the settings, and the errors of invalid values, in the order of their names.
    package static func read(
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
    package mutating func set(_ attribute: SNSAttribute) throws(SNSError) {
        guard !Self.fixed.contains(attribute.name) else { throw AttributeLocation.single.unknown(attribute.name) }
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
    package func checkAgreement(with others: TopicSettings) throws(SNSError) {
        let isSame = others.values.allSatisfy { name, value in
            self.values[name].map { Self.rules[name]?.areEqual($0, value) ?? false } ?? false
        }
        guard isSame else {
            throw .invalidParameter("Attributes", reason: "Topic already exists with different attributes")
        }
    }

    /// Checks that a topic with these tags can be created again with others; `nil` always can.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` for a tag that the topic does not have.
    package static func checkAgreement(of tags: [SNSTag], with others: [SNSTag]?) throws(SNSError) {
        guard let others, !Set(others).isSubset(of: tags) else { return }
        throw .invalidParameter("Tags", reason: "Topic already exists with different tags")
    }

    private mutating func set(
        _ name: String,
        to value: String,
        at place: AttributeLocation,
        isFIFO: Bool
    ) throws(SNSError) {
        guard let rule = Self.rules[name], isFIFO || !Self.orderly.contains(name) else { throw place.unknown(name) }
        try rule.check(value, name: name, at: place)
        self.values[name] = value.isEmpty || Self.isDefault(value, of: name) ? nil : value
    }

    private static func isDefault(_ value: String, of name: String) -> Bool {
        name == "FifoTopic" && value.lowercased() == "false"
    }
}

/// Permissions: statements of the attribute `Policy`, by their labels.
extension TopicSettings {
    /// The operations that a statement may name.
    private static let permittedActions: Set<String> = [
        "*", "AddPermission", "DeleteTopic", "GetTopicAttributes", "ListSubscriptionsByTopic", "ListTagsForResource",
        "Publish",
        "Receive", "RemovePermission", "SetTopicAttributes", "Subscribe",
    ]

    /// Adds a statement to the policy.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` for an operation that no policy names, a label that there is already,
    ///   and a policy whose statements are no list.
    package mutating func addPermission(_ request: AddPermissionRequest) throws(SNSError) {
        guard !request.label.isEmpty, request.label.utf8.count <= 80, request.label.utf8.allSatisfy(Self.isLabel) else {
            throw .invalidParameter("Label", reason: "must be 1 to 80 letters, digits, hyphens or underscores")
        }
        guard !request.accounts.isEmpty else { throw SNSError.missing(["aWSAccountId"]) }
        guard !request.actions.isEmpty else { throw SNSError.missing(["actionName"]) }
        guard request.actions.allSatisfy(Self.permittedActions.contains) else {
            throw .invalidParameter("Policy statement action out of service scope!")
        }
        var (policy, statements) = try self.statements(of: request.topic)
        guard !statements.contains(where: { $0["Sid"] == .string(request.label) }) else {
            throw .invalidParameter("Statement already exists")
        }
        let partition = request.topic.scope.partition
        let principals = request.accounts.map { JSONValue.string("arn:\(partition):iam::\($0):root") }
        let actions = request.actions.map { JSONValue.string("SNS:\($0)") }
        statements.append([
            "Sid": .string(request.label), "Effect": "Allow", "Principal": ["AWS": Self.oneOrMany(principals)],
            "Action": Self.oneOrMany(actions), "Resource": .string(request.topic.description),
        ])
        policy["Statement"] = .array(statements)
        try self.set(SNSAttribute(name: "Policy", value: Self.text(policy)))
    }

    /// Takes the statement of a label out of the policy, if there is one.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` for a policy whose statements are no list.
    package mutating func removePermission(_ label: String, of topic: TopicARN) throws(SNSError) {
        var (policy, statements) = try self.statements(of: topic)
        let kept = statements.filter { $0["Sid"] != .string(label) }
        guard kept.count != statements.count else { return }
        statements = kept
        policy["Statement"] = .array(statements)
        try self.set(SNSAttribute(name: "Policy", value: Self.text(policy)))
    }

    private func statements(
        of topic: TopicARN
    ) throws(SNSError) -> (policy: [String: JSONValue], statements: [JSONValue]) {
        let text = self["Policy"] ?? TopicDescription.defaultPolicy(of: topic)
        guard case .object(let policy)? = try? JSONValue(json: Array(text.utf8)) else {
            throw .invalidParameter("Policy", reason: "the topic's policy is not a JSON object")
        }
        switch policy["Statement"] {
        case nil: return (policy, [])
        case .array(let statements)?: return (policy, statements)
        case .object?: return (policy, [policy["Statement"] ?? .null])
        default: throw .invalidParameter("Policy", reason: "the statements of the topic's policy are not a list")
        }
    }

    private static func oneOrMany(_ values: [JSONValue]) -> JSONValue {
        values.count == 1 ? values[0] : .array(values)
    }

    private static func text(_ policy: [String: JSONValue]) throws(SNSError) -> String {
        guard let bytes = try? JSONValue.object(policy).json() else {
            throw .invalidParameter("Policy", reason: "the topic's policy cannot be written")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension JSONWriter {
    mutating func members(_ members: [(name: String, value: String)]) {
        for member in members {
            self.key(member.name)
            self.string(member.value)
        }
    }

    mutating func object(_ members: [(name: String, value: String)]) {
        self.beginObject()
        self.members(members)
        self.endObject()
    }
}
