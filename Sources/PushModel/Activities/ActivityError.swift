// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// Why a change of an activity was refused; nothing of it was done.
public enum ActivityError: Error, Hashable, Sendable, Codable {
    /// The activity was ended, or the system ended it after 8 hours: devices ignore later pushes.
    case over

    /// The activity has no content state, which devices need; a patch has nothing to apply to.
    case noContentState

    /// Attributes and content state, or the push with them, have more bytes than Apple takes.
    case tooLarge(bytes: Int)

    /// The new activity cannot be started by a push: it has no attributes, or no alert.
    case notStartable

    /// The activity would have more named instants or transitions than the limit.
    case tooMany(String, limit: Int)

    /// A number that JSON cannot hold: a relevance score that is not finite.
    case notFinite

    /// This number of devices has no budget for a push of priority 10; one was sent `used` pushes in the last hour, and
    /// all have budget again after a time.
    case overBudget(devices: Int, used: Int, availableAt: Date)

    /// The content does not match the registered schema of the app's type.
    case mismatch([InvalidValueError])

    /// The stored activity is corrupt.
    case damaged

    public var message: String {
        switch self {
        case .over: "The activity has ended: devices ignore later pushes. Start another activity."
        case .noContentState:
            "The activity has no content state yet, and devices need a complete one. Send `contentState` instead of a "
                + "patch."
        case .tooLarge(let bytes):
            "Attributes and content state with the members that APNs requires have \(bytes) bytes; APNs accepts at "
                + "most \(ActivityLimit.bytes). Send less, or let the app load the rest."
        case .notStartable:
            "A push starts an activity only with attributes, a content state and an alert; without one of them, "
                + "devices silently drop it. Send all three."
        case .tooMany(let what, let limit): "An activity has at most \(limit) \(what). Remove some."
        case .mismatch(let faults):
            "The app's type does not decode it: \(faults.first?.message ?? "")"
                + (faults.count > 1 ? " (and \(faults.count - 1) more)" : "")
        case .overBudget(let devices, let used, let availableAt):
            "\(devices) of its devices \(devices == 1 ? "has" : "have") no budget for a push of priority 10: up to "
                + "\(used) were sent to one in the last hour. The next one is possible at "
                + "\(availableAt.formatted(Date.ISO8601FormatStyle())). Send it with priority 5, or with `budget` "
                + "'downgrade'."
        case .notFinite: "Invalid relevance score. Expected a finite number."
        case .damaged:
            "The stored activity is corrupt, so nothing is sent to it. Restore the database from a backup, or start "
                + "another activity."
        }
    }
}
