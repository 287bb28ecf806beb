// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a command that sends tells of its notification.
struct SendingReport {
    let notification: NotificationAnswer

    /// Whether the command has waited for the outcomes.
    let waited: Bool

    /// Whether the command has waited, and there are targets that APNs did not take, or that have no outcome yet.
    var hasFailed: Bool {
        self.waited
            && (!self.notification.isDone || self.notification.counts.delivered < self.notification.targetCount)
    }

    /// Tells in words what is under way, who was skipped, what APNs took, and why it did not take the rest.
    func show() {
        let notification = self.notification
        let style = Style.standardOutput()
        if !notification.isDone {
            let remaining = "\(notification.remaining) under way"
            Console.out("Accepted \(notification.targetCount) as \(notification.id); \(remaining).")
            if self.waited {
                Console.note("No outcome yet for these; the server goes on, and its log says what keeps it from APNs.")
            }
        }
        if let skipped = notification.skipped {
            let names = (skipped.devices ?? []) + (skipped.users ?? [])
            let more = skipped.count > names.count ? ", ..." : ""
            let text = "Skipped \(skipped.count) without a valid device: \(names.joined(separator: ", "))\(more)"
            Console.out(style.yellow(text.printable))
        }
        guard notification.isDone else { return }
        Console.out(
            "\(notification.counts.delivered) of \(notification.targetCount) accepted by APNs (\(notification.id))"
        )
        for outcome in notification.outcomes ?? notification.failures ?? [] where outcome.state != "delivered" {
            let name = outcome.device ?? outcome.user ?? outcome.apnsID
            let why = [outcome.status.map(String.init), outcome.reason, outcome.code].compactMap(\.self)
            Console.out(style.red("  \(name): \(why.joined(separator: " "))".printable))
        }
    }
}
