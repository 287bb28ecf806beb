// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a call has sent of a Live Activity.
struct ActivityReceiptAnswer: Decodable {
    struct Warning: Decodable {
        let field: String
        let message: String
    }

    let activity: String
    let version: Int
    let state: String
    let sent: Int
    let waiting: Int
    let notification: String?
    let unreachable: [String]?
    let warnings: [Warning]?

    /// Tells of it: as it came, or in words.
    static func report(_ answer: APIAnswer, asJSON: Bool) throws {
        if asJSON { return Console.out(answer.text) }
        let receipt = try answer.decoded(as: ActivityReceiptAnswer.self)
        let waiting = receipt.waiting > 0 ? ", \(receipt.waiting) waiting" : ""
        Console.out(
            "\(receipt.activity) is \(receipt.state) at version \(receipt.version): \(receipt.sent) sent\(waiting)."
                .printable
        )
        let style = Style.standardOutput()
        if let names = receipt.unreachable, !names.isEmpty {
            let text = "No token to start it with: \(names.joined(separator: ", "))"
            Console.out(style.yellow(text.printable))
        }
        for warning in receipt.warnings ?? [] {
            Console.out(style.yellow("\(warning.field): \(warning.message)".printable))
        }
    }
}
