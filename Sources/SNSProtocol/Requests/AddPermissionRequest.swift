// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The parameters of `AddPermission`.
public struct AddPermissionRequest: Hashable, Sendable {
    /// The topic.
    public let topic: TopicARN
    /// The permission's name, by which it is taken back.
    public let label: String
    /// Accounts, 12 digits each.
    public let accounts: [String]
    /// Operations such as `Publish`, or `*`.
    public let actions: [String]

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
