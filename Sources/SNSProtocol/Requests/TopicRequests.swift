// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The parameters of `CreateTopic`.
package struct CreateTopicRequest: Hashable, Sendable {
    package let name: String
    package let settings: TopicSettings
    /// Its tags; `nil` when the call has none.
    package let tags: [SNSTag]?

    init(_ reader: inout ParameterReader, limits: SNSLimits) throws(SNSError) {
        self.name = reader.required("Name")
        let attributes = try reader.map("Attributes") ?? [:]
        self.tags = try reader.tags(limits: limits)
        try reader.finish()
        self.settings = try TopicSettings(attributes)
        try ResourceName.checkTopic(self.name, isFIFO: self.settings["FifoTopic"]?.lowercased() == "true")
        if let policy = reader.text("DataProtectionPolicy"), !policy.isEmpty {
            throw .invalidParameter("DataProtectionPolicy", reason: "is not supported by this server")
        }
    }
}

/// The parameters of `AddPermission`.
package struct AddPermissionRequest: Hashable, Sendable {
    package let topic: TopicARN
    /// The permission's name, which identifies it when it is removed.
    package let label: String
    /// Accounts, 12 digits each.
    package let accounts: [String]
    /// Operations such as `Publish`, or `*`.
    package let actions: [String]

    init(_ reader: inout ParameterReader, region: String?) throws(SNSError) {
        self.label = reader.required("Label")
        self.accounts = try reader.requiredList("AWSAccountId").compactMap(\.value)
        self.actions = try reader.requiredList("ActionName").compactMap(\.value)
        self.topic = try reader.topic(region)
        if let account = self.accounts.first(where: { !SNSScope.isAccount($0) }) {
            throw .invalidParameter("AWSAccountId", reason: "must be 12 digits, got '\(account.cut)'")
        }
    }
}

/// A tag of a topic.
package struct SNSTag: Hashable, Sendable {
    /// 1...128 characters; upper and lower case differ.
    package let key: String
    /// 0...256 characters.
    package let value: String

    /// A tag; nothing is checked.
    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    package static let tooMany = SNSError(
        .tagLimitExceeded,
        "Could not complete request: tag quota of per resource exceeded"
    )
}

extension ParameterReader {
    /// `Tags`; `nil` when there are none, which clients write as `Tags=`.
    mutating func tags(limits: SNSLimits) throws(SNSError) -> [SNSTag]? {
        guard let nodes = try self.list("Tags"), !nodes.isEmpty else { return nil }
        return try self.tags(nodes, limits: limits)
    }

    /// `Tags`, where they have to be.
    mutating func requiredTags(limits: SNSLimits) throws(SNSError) -> [SNSTag] {
        try self.tags(self.requiredList("Tags"), limits: limits)
    }

    private mutating func tags(_ nodes: [ParameterNode], limits: SNSLimits) throws(SNSError) -> [SNSTag] {
        var tags: [SNSTag] = []
        for (index, node) in nodes.enumerated() {
            var reader = ParameterReader(node, path: "\(self.constraintPath("Tags")).\(index + 1).member.")
            let tag = SNSTag(key: reader.required("Key"), value: reader.required("Value"))
            self.add(reader)
            guard reader.missing.isEmpty else { continue }
            try Self.check(tag.key, 1...128, at: reader.constraintPath("key"))
            try Self.check(tag.value, 0...256, at: reader.constraintPath("value"))
            tags.append(tag)
        }
        guard Set(tags.map(\.key)).count == tags.count else {
            throw .invalidParameter("Duplicated keys are not allowed.")
        }
        guard tags.count <= limits.tags else { throw SNSTag.tooMany }
        return tags
    }

    private static func check(_ text: String, _ sizes: ClosedRange<Int>, at path: String) throws(SNSError) {
        let bound: String
        if text.count < sizes.lowerBound {
            bound = "greater than or equal to \(sizes.lowerBound)"
        } else if text.count > sizes.upperBound {
            bound = "less than or equal to \(sizes.upperBound)"
        } else {
            guard let fault = XMLText.fault(in: text) else { return }
            throw .invalidParameter(path, reason: fault)
        }
        throw SNSError(
            .validationError,
            "1 validation error detected: Value '\(text.cut)' at '\(path)' failed to satisfy constraint:"
                + " Member must have length \(bound)"
        )
    }
}
