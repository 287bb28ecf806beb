// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The place of a device in its table.
struct DeviceIndex: Hashable, Sendable, Codable, BitwiseCopyable {
    let rawValue: Int32
}
