// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// Apple's limits for Live Activities, and values derived from them.
public enum ActivityLimit {
    /// How many seconds an activity runs at most before the system ends it: 8 hours.
    public static let runningSeconds = 8 * 3600

    /// How many seconds an ended activity may stay on the Lock Screen: 4 hours.
    public static let dismissalSeconds = 4 * 3600

    /// The number of seconds without a change after which an activity ends that no device shows or was sent a start of:
    /// 30 days.
    public static let idleSeconds = 30 * 24 * 3600

    /// How many bytes a push to a Live Activity may have, and attributes and content state together.
    public static let bytes = PayloadLimit.device

    /// The maximum number of devices that are sent to in the transaction of the change; the rest follows in parts of
    /// this size.
    public static let participantsAtOnce = Batch.maximumTargets

    /// How many pushes of one change are urgent; more than that wait in the bulk lane.
    public static let urgentPushes = 1000

    /// How many activities one call may change.
    public static let changesAtOnce = Batch.maximumTargets

    /// How many entries of an activity's timeline are kept; the oldest go first.
    public static let timelineEntries = 1000

    /// The maximum number of devices of an activity whose timeline names each device; for more, it has counts.
    public static let namedParticipants = 100

    /// How many transitions an activity may have scheduled at a time.
    public static let transitions = 100

    /// How many rollouts of an activity may be under way at a time.
    public static let rollouts = 10

    /// How many rollouts of an activity that have ended are kept; the oldest go first.
    public static let endedRollouts = 20

    /// How many named instants an activity may have.
    public static let instants = 32

    /// How many devices and users an activity may name that may join it.
    public static let namedMembers = 10_000

    /// How many activities that an installation created may run at a time.
    public static let ofInstallation = 20
}
