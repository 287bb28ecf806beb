// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session

/// How the body of an error answer departs from Apple's `{"reason":…}`.
public struct ErrorBody: Sendable, Hashable {
    /// What stands in its place, JSON or not; `nil` keeps Apple's.
    public var text: String?
    /// How long it is made with spaces behind it; `nil` leaves it as it is.
    ///
    /// Unit: bytes. Range: 0...1,048,576.
    public var size: Int?
    /// How many bytes of it one DATA frame carries at most; `nil` splits it as little as possible.
    public var frameSize: Int?

    /// A body; by default Apple's.
    public init(text: String? = nil, size: Int? = nil, frameSize: Int? = nil) {
        self.text = text
        self.size = size
        self.frameSize = frameSize
    }

    func bytes(for rejection: Rejection) -> [UInt8] {
        var bytes = self.text.map { Array($0.utf8) } ?? rejection.body
        if let size = self.size, size > bytes.count {
            bytes += [UInt8](repeating: UInt8(ascii: " "), count: size - bytes.count)
        }
        return bytes
    }
}
