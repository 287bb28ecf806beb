// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// To whom a notification goes, as the caller says it.
enum TargetSelection: Sendable {
    /// Device tokens that the caller keeps; without an environment, they are of the app's default one.
    case tokens([DeviceToken], environment: APNsEnvironment?)

    /// Installations that were registered here.
    case devices([InstallationID])

    /// Users, each with all devices that were registered for them.
    case users([UserID])
}
