// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

/// Changes as processes tell them to one another: words with a space between them.
///
/// `u` and `b` say that a batch is ready in the urgent or the bulk lane, `n` and a UUID that a notification is settled,
/// `m` that more happened than was told. Words that a process does not know mean `m`, so that newer ones may say more.
enum ChangeText {
    /// The most bytes of a text; PostgreSQL takes less than 8000.
    static let maximumBytes = 7900

    /// Puts changes into as few texts as they need.
    static func encode(_ changes: some Sequence<StoreChange>) -> [String] {
        var texts: [String] = []
        for change in changes {
            let word = self.word(change)
            if let last = texts.last, last.utf8.count + 1 + word.utf8.count <= self.maximumBytes {
                texts[texts.count - 1] += " " + word
            } else {
                texts.append(word)
            }
        }
        return texts
    }

    /// Reads a text.
    static func decode(_ text: String) -> [StoreChange] {
        text.split(separator: " ").map { word in
            switch word.first {
            case "u" where word.count == 1: .batchReady(.urgent)
            case "b" where word.count == 1: .batchReady(.bulk)
            case "n": NotificationID(word.dropFirst()).map { .notificationSettled($0) } ?? .missed
            default: .missed
            }
        }
    }

    private static func word(_ change: StoreChange) -> String {
        switch change {
        case .batchReady(.urgent): "u"
        case .batchReady(.bulk): "b"
        case .notificationSettled(let id): "n\(id)"
        case .missed: "m"
        }
    }
}

/// Changes that are to be told: each once, and not without bound.
struct ChangeBacklog: Sendable {
    static let maximumCount = 10_000

    private var changes: [StoreChange] = []
    private var known: Set<StoreChange> = []

    var isEmpty: Bool { self.changes.isEmpty }

    /// Adds a change; beyond the bound, all of them are replaced by the word that there were too many.
    mutating func add(_ change: StoreChange) {
        guard self.known.insert(change).inserted else { return }
        self.changes.append(change)
        if self.changes.count > Self.maximumCount { (self.changes, self.known) = ([.missed], [.missed]) }
    }

    /// Takes all changes out, in their order.
    mutating func takeAll() -> [StoreChange] {
        defer { self = ChangeBacklog() }
        return self.changes
    }
}
