// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What became of many changes, as it is written: of each a receipt, or why it was refused.
///
/// It is written without an encoder, which takes longer over ten thousand of them than everything else that is done.
struct ActivityResultsBody {
    /// The JSON; names in alphabetical order, as in all answers.
    let json: [UInt8]

    /// Takes what became of each change, and what there is to warn of by the places of the changes.
    init(
        _ orders: [ActivityOrder],
        _ results: [ActivityResult],
        _ warnings: [Int: [ActivityWarningBody]],
        isDry: Bool = false
    ) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("changed")
        writer.integer(results.count { if case .changed = $0 { true } else { false } })
        if isDry {
            writer.key("dryRun")
            writer.bool(true)
        }
        writer.key("results")
        writer.beginArray()
        // Most often one for all of them.
        var notification: (id: NotificationID, text: String)?
        for (place, (order, result)) in zip(orders, results).enumerated() {
            writer.beginObject()
            writer.member("activity", order.activity.rawValue)
            switch result {
            case .changed(let receipt):
                if let id = receipt.notification, notification?.id != id { notification = (id, id.description) }
                writer.key("receipt")
                let text = receipt.notification == nil ? nil : notification?.text
                writer.receipt(receipt, of: order.activity, text, warnings[place] ?? [])
            case .refused(let refusal):
                let problem = Problem(refusal)
                writer.member("code", problem.code.rawValue)
                writer.member("detail", problem.detail)
                writer.faults(problem.faults)
            case .unknown:
                writer.member("code", ProblemCode.activityNotFound.rawValue)
                writer.member("detail", "There is no such activity.")
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        self.json = writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ value: String) {
        self.key(name)
        self.string(value)
    }

    fileprivate mutating func member(_ name: String, _ value: Int) {
        self.key(name)
        self.integer(value)
    }

    /// Writes an array of objects; nothing when there are none.
    private mutating func array<Element>(
        _ name: String,
        of elements: [Element],
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        guard !elements.isEmpty else { return }
        self.key(name)
        self.beginArray()
        for element in elements {
            self.beginObject()
            write(&self, element)
            self.endObject()
        }
        self.endArray()
    }

    /// Writes what ``ProblemBody/Fault`` says.
    fileprivate mutating func faults(_ faults: [ValidationFailure]) {
        self.array("errors", of: faults) { writer, fault in
            writer.member("field", fault.field)
            writer.member("rule", fault.rule)
            writer.member("value", fault.value)
        }
    }

    /// Writes what ``ActivityReceiptBody`` says.
    fileprivate mutating func receipt(
        _ receipt: ActivityReceipt,
        of activity: ActivityID,
        _ notification: String?,
        _ warnings: [ActivityWarningBody]
    ) {
        self.beginObject()
        self.member("activity", activity.rawValue)
        if let cost = receipt.cost { self.budget(cost) }
        if let notification { self.member("notification", notification) }
        self.member("sent", receipt.sent)
        self.member("state", receipt.state.rawValue)
        if !receipt.unreachable.isEmpty {
            self.key("unreachable")
            self.beginArray()
            for installation in receipt.unreachable { self.string(installation.rawValue) }
            self.endArray()
        }
        self.member("version", receipt.version)
        self.member("waiting", receipt.waiting)
        self.array("warnings", of: warnings) { writer, warning in
            writer.member("field", warning.field)
            writer.member("message", warning.message)
        }
        self.endObject()
    }

    /// Writes what ``BudgetBody`` says.
    private mutating func budget(_ cost: BudgetCost) {
        self.key("budget")
        self.beginObject()
        self.member("lowered", cost.lowered)
        self.member("over", cost.over)
        self.member("pushes", cost.pushes)
        self.member("remaining", cost.remaining ?? 0)
        if let roomAt = cost.roomAt { self.member("roomAt", roomAt.formatted(Timestamp.style)) }
        self.member("used", cost.used)
        self.endObject()
    }
}
