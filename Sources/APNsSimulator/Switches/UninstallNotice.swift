// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// When APNs takes note that an app was removed from a device.
public enum UninstallNotice: String, Sendable, Hashable, CaseIterable {
    /// With the removal.
    case immediate
    /// Some time after a push has reached the device, as Apple has it.
    case afterPush
}
