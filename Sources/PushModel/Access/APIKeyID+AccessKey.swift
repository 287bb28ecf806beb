// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension APIKeyID {
    private static let accessKeyPrefix = "APUS"

    /// The id as clients of the SNS endpoint write it, who expect letters, digits and 20 of them: `APUS0123456789ABCDEF`.
    public var accessKeyID: String { Self.accessKeyPrefix + self.rawValue.uppercased() }

    /// Reads an ``accessKeyID``; `nil` for one that was not given out here.
    public init?(accessKeyID text: String) {
        guard text.hasPrefix(Self.accessKeyPrefix), text == text.uppercased() else { return nil }
        self.init(rawValue: text.dropFirst(Self.accessKeyPrefix.count).lowercased())
    }
}
