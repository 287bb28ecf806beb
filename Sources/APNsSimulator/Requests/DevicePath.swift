// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What the `:path` of a request names.
enum DevicePath {
    /// `/3/device/` and what follows: the device token in hexadecimal, or nothing.
    case device(UnsafeBufferPointer<UInt8>)
    /// A path that APNs does not serve.
    case unknown

    private static let prefix: StaticString = "/3/device/"

    init(_ path: UnsafeBufferPointer<UInt8>) {
        guard path.hasPrefix(Self.prefix) else {
            self = .unknown
            return
        }
        self = .device(UnsafeBufferPointer(rebasing: path[Self.prefix.utf8CodeUnitCount...]))
    }
}
