// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

/// Changes as processes tell them to one another: words with a space between them.
///
/// `u` and `b` say that a batch is ready in the urgent or the bulk lane, `m` that more happened than was told. With a UUID
/// behind it `a` says that a batch has advanced, `n` that a notification is settled, `s` that a batch of one is, `h` that
/// a notification's batches were halted, and `c` that a campaign has changed. `e` with an app's id behind it says that its
/// feed has new events, `w` that webhooks have changed, `l` that something is to be done for Live Activities,
/// `j` that something is for jobs, and `t` that something is to be posted to subscribers of topics. Words that a process does not know mean `m`, so that newer ones may say more.
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
            case "w" where word.count == 1: .webhooksChanged
            case "l" where word.count == 1: .activitiesDue
            case "j" where word.count == 1: .jobsDue
            case "t" where word.count == 1: .topicDeliveriesReady
            case "e": AppID(rawValue: String(word.dropFirst())).map { .eventsAppended($0) } ?? .missed
            default: APNsID(canonical: word.dropFirst()).flatMap { self.change(word.first, $0) } ?? .missed
            }
        }
    }

    private static func change(_ letter: Character?, _ id: APNsID) -> StoreChange? {
        switch letter {
        case "a": BatchID(id).map { .batchAdvanced($0) }
        case "n": .notificationSettled(NotificationID(id))
        case "s": .batchSettled(NotificationID(id))
        case "h": .halted(NotificationID(id))
        case "c": .campaignChanged(CampaignID(id))
        default: nil
        }
    }

    private static func word(_ change: StoreChange) -> String {
        switch change {
        case .batchReady(.urgent): "u"
        case .batchReady(.bulk): "b"
        case .batchAdvanced(let id): "a\(id)"
        case .notificationSettled(let id): "n\(id)"
        case .batchSettled(let id): "s\(id)"
        case .halted(let id): "h\(id)"
        case .campaignChanged(let id): "c\(id)"
        case .eventsAppended(let app): "e\(app)"
        case .webhooksChanged: "w"
        case .activitiesDue: "l"
        case .jobsDue: "j"
        case .topicDeliveriesReady: "t"
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
