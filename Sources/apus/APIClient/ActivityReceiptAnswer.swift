// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a call has sent of a Live Activity.
struct ActivityReceiptAnswer: Decodable {
    struct Warning: Decodable {
        let field: String
        let message: String
    }

    struct Budget: Decodable {
        let pushes: Int
        let over: Int
        let lowered: Int
        let used: Int
        let remaining: Int
        let roomAt: String?
    }

    let activity: String
    let version: Int
    let state: String
    let sent: Int
    let waiting: Int
    let notification: String?
    let unreachable: [String]?
    let takingPart: Int?
    let rollout: RolloutAnswer?
    let warnings: [Warning]?
    let budget: Budget?
    let dryRun: Bool?
    let audience: Int?
    let outcome: NotificationAnswer?

    /// Tells of it in words.
    func report() {
        let waiting = self.waiting > 0 ? ", \(self.waiting) waiting" : ""
        let style = Style.standardOutput()
        if self.dryRun == true {
            let would = "\(self.activity) would be \(self.state) at version \(self.version): \(self.sent) phones."
            Console.out(would.printable)
        } else {
            let sent = "\(self.activity) is \(self.state) at version \(self.version): \(self.sent) sent\(waiting)."
            Console.out(sent.printable)
        }
        if let budget, self.dryRun == true || budget.over > 0 {
            let room = budget.roomAt.map { ", room again at \($0)" } ?? ""
            let text =
                "Budget: \(budget.pushes) of priority 10, \(budget.lowered) lowered to 5, \(budget.over) phones over it\(room); "
                + "up to \(budget.used) within the last hour, \(budget.remaining) left"
            Console.out(budget.over > 0 ? style.yellow(text) : text)
        }
        if let names = self.unreachable, !names.isEmpty {
            let text = "No token to start it with: \(names.joined(separator: ", "))"
            Console.out(style.yellow(text.printable))
        }
        if let takingPart { Console.out("\(takingPart) take part already, and are not started again.") }
        if let audience { Console.out("The topic or audience has \(audience) devices.") }
        if let rollout {
            Console.out("Rollout \(rollout.id) has begun; `apus activity watch` shows how far it comes.".printable)
        }
        for warning in self.warnings ?? [] {
            Console.out(style.yellow("\(warning.field): \(warning.message)".printable))
        }
        guard let outcome else { return }
        Console.out("\(outcome.counts.delivered) of \(outcome.targetCount) accepted by APNs (\(outcome.id))")
        for failure in outcome.outcomes ?? outcome.failures ?? [] where failure.state != "delivered" {
            let why = [failure.status.map(String.init), failure.reason, failure.code].compactMap(\.self)
            Console.out(style.red("  \(failure.apnsID): \(why.joined(separator: " "))"))
        }
    }
}
