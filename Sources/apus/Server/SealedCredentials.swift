// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// The credentials and webhooks of a store that only its master key opens.
struct SealedCredentials {
    /// Something sealed: whose it is, and whether a key opens it.
    private typealias Sealed = (app: AppID, isOpened: (MasterKey) -> Bool)

    private let all: [Sealed]

    /// Reads them all.
    init(in store: some AppStore & CredentialStore & WebhookStore) async throws {
        var all: [Sealed] = []
        var cursor: AppID?
        repeat {
            let page = try await store.apps(after: cursor, limit: 1000)
            for app in page.elements {
                for credential in try await store.credentials(of: app.id) {
                    guard case .sealed(let bytes) = credential.secret else { continue }
                    all.append((app.id, { (try? $0.open(bytes, for: credential.id)) != nil }))
                }
                for webhook in try await store.webhooks(of: app.id) {
                    all.append((app.id, { (try? $0.secret(of: webhook)) != nil }))
                }
            }
            cursor = page.next
        } while cursor != nil
        self.all = all
    }

    var count: Int { self.all.count }

    /// The apps that have one, each once, in order; of many the first few and how many there are.
    var apps: String { Self.list(self.all.map(\.app)) }

    /// The apps of which a master key does not open everything; `nil` when it opens all of them.
    func apps(closedTo key: MasterKey) -> String? {
        let closed = self.all.filter { !$0.isOpened(key) }
        return closed.isEmpty ? nil : Self.list(closed.map(\.app))
    }

    private static func list(_ apps: [AppID]) -> String {
        let names = Set(apps.map(\.rawValue)).sorted()
        let more = names.count > 3 ? " and \(names.count - 3) more" : ""
        return names.prefix(3).joined(separator: ", ") + more
    }
}
