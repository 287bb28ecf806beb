// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Where resources live: a region, and an account in it.
public struct SNSScope: Hashable, Sendable {
    /// The region: `ap-northeast-1`.
    public let region: String
    /// The account: 12 digits.
    public let account: String

    /// A region and an account; `nil` unless both can be one.
    public init?(region: String, account: String) {
        guard Self.isRegion(region), Self.isAccount(account) else { return nil }
        self.region = region
        self.account = account
    }

    /// The partition that a region belongs to: `aws`, `aws-cn` or `aws-us-gov`.
    public var partition: String {
        if self.region.hasPrefix("cn-") { return "aws-cn" }
        return self.region.hasPrefix("us-gov-") ? "aws-us-gov" : "aws"
    }

    /// Whether a text can be a region's name: 1...64 lower-case letters, digits and dashes.
    public static func isRegion(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { ResourceName.isDigit($0) || (0x61...0x7A).contains($0) || $0 == 0x2D }
    }

    /// Whether a text can be an account: 12 digits.
    public static func isAccount(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 12 && text.utf8.allSatisfy(ResourceName.isDigit)
    }
}
