// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The parameters of `CreateTopic`.
public struct CreateTopicRequest: Hashable, Sendable {
    /// The topic's name.
    public let name: String
    /// Its attributes.
    public let settings: TopicSettings
    /// Its tags; `nil` when the call has none.
    public let tags: [SNSTag]?

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
