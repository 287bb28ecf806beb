// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// An entry of a timeline that is to be stored.
struct TimelineDraft: Sendable {
    let activity: Int64
    /// Its place in the timeline; given to it when it is stored.
    var sequence = 0
    let time: Date
    let kind: TimelineEntry.Kind
    let version: Int
    var installation: InstallationID?
    var detail: String?
    /// What was changed, as JSON; see ``tell(_:)``.
    private(set) var changes: String?
    var sends = StoredSends()
    var waiting = 0
    /// What it costs phones of their budgets; it is told to the caller, and not stored.
    var cost: BudgetCost?

    /// Whether it is stored; otherwise it only gathers what is sent.
    var isTold = true

    /// How many bytes of one change a timeline keeps, and of all changes of an entry.
    private static let bytes = (change: 1024, entry: 4096)

    /// Records changes as an array of JSON objects, as many as fit; see ``ActivityChange/told(upTo:)``.
    mutating func tell(_ changes: [ActivityChange]) {
        var text: [UInt8] = []
        for change in changes {
            let told = change.told(upTo: Self.bytes.change)
            guard text.count + told.count <= Self.bytes.entry else { break }
            text.append(UInt8(ascii: text.isEmpty ? "[" : ","))
            text += told
        }
        guard !text.isEmpty else { return }
        text.append(UInt8(ascii: "]"))
        self.changes = String(decoding: text, as: UTF8.self)
    }

    /// Whether the oldest entries are to be removed: not with every entry, so that few wait for it.
    var isTimeToPrune: Bool {
        self.sequence > ActivityLimit.timelineEntries && self.sequence.isMultiple(of: 50)
    }
}

extension Activity {
    /// The content with which devices begin, as a change; empty without content.
    var beginning: [ActivityChange] { self.lifecycle.contentState == nil ? [] : [ActivityChange(beginning: self)] }
}
