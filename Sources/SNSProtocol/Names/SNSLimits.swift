// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How much a request may hold: as SNS has it, or more.
public struct SNSLimits: Hashable, Sendable {
    /// The longest message with its attributes, and the longest batch, in bytes; default 262,144.
    public var messageBytes = 262_144
    /// The most entries of a batch; default 10.
    public var batchEntries = 10
    /// The most names at the top of a filter policy; default 5.
    public var filterPolicyNames = 5
    /// The most combinations of values in a filter policy; default 150.
    public var filterPolicyCombinations = 150
    /// The longest filter policy, in bytes; default 262,144.
    public var filterPolicyBytes = 262_144
    /// The most filter policies of a topic; default 200.
    public var filterPolicies = 200
    /// The most fields of a request; default 10,000: a batch of 10 messages with 100 attributes each has 3,000.
    public var formFields = 10_000
    /// The most tags of a topic; default 50.
    public var tags = 50
    /// The most elements on a page; default 100.
    public var pageSize = 100

    /// The limits of SNS; change what differs.
    public init() {}

    /// The limits of SNS.
    public static let sns = SNSLimits()

    /// Only what keeps one request from taking the server's memory: 1 MiB a request, 1,000 entries a batch.
    public static let lifted: SNSLimits = {
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
