// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// Why a change of an activity was refused; nothing of it was done.
public enum ActivityRefusal: Error, Hashable, Sendable, Codable {
    /// The activity was ended, or the system ended it after its 8 hours: phones ignore what comes after that.
    case over

    /// Phones need a content state, and none was ever given; a patch has nothing that it could change.
    case noContentState

    /// Attributes and content state, or the push with them, have more bytes than Apple takes.
    case tooLarge(bytes: Int)

    /// The new activity cannot be started by a push: it has no attributes, or no alert.
    case notStartable

    /// So many named instants or planned transitions are more than an activity may have.
    case tooMany(String, limit: Int)

    /// A number that JSON cannot hold: a relevance score that is not finite.
    case notFinite

    /// So many phones have no room for a push of priority 10 in their budgets; the fullest was sent that many within the last
    /// hour, and all have room again from a time on.
    case overBudget(phones: Int, used: Int, roomAt: Date)

    /// The content is not what the app's type, as it was registered, decodes.
    case mismatch([ValidationFailure])

    /// What is stored of the activity cannot be read.
    case damaged

    public var message: String {
        switch self {
        case .over: "The activity is over: phones ignore what is sent to it. Start another one."
        case .noContentState:
            "The activity has no content state yet, and phones need a whole one. Give `contentState` instead of a patch."
        case .tooLarge(let bytes):
            "Attributes and content state with what Apple needs around them have \(bytes) bytes; Apple takes at most "
                + "\(ActivityLimit.bytes). Send less, or have the app load the rest."
        case .notStartable:
            "A push starts an activity only with attributes, a content state and an alert; without one of them phones "
                + "drop it in silence. Give all three."
        case .tooMany(let what, let limit): "An activity has at most \(limit) \(what). Remove some."
        case .mismatch(let faults):
            "The app's type does not decode it: \(faults.first?.message ?? "")"
                + (faults.count > 1 ? " (and \(faults.count - 1) more)" : "")
        case .overBudget(let phones, let used, let roomAt):
            "\(phones) of its phones \(phones == 1 ? "has" : "have") no room for a push of priority 10: up to \(used) were sent "
                + "to one within the last hour. There is room again at \(roomAt.formatted(Date.ISO8601FormatStyle())). Send it "
                + "with priority 5, or with `budget` 'lower'."
        case .notFinite: "The relevance score has to be a finite number."
        case .damaged:
            "What is stored of the activity cannot be read: it is sent nothing. Restore the database from a backup, or start "
                + "another activity."
        }
    }
}
