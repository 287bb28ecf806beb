// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Something that happens by itself when its time has come.
enum TimedEvent: Codable, Hashable, Sendable {
    /// A device does something.
    case device(DeviceEvent)
    /// APNs takes note that a token is not used any more.
    case tokenEnds(RegistrationIndex)
    /// A Live Activity changes.
    case activity(ActivityEvent)
    /// A channel forgets its message.
    case channel(ChannelEvent)
}
