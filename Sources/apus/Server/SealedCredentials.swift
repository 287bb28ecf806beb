// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// The credentials, webhooks and access keys of a store that only its master key opens.
struct SealedCredentials {
    /// Something sealed: whose it is, and whether a key opens it.
    private typealias Sealed = (owner: String, isOpened: (MasterKey) -> Bool)

    private let all: [Sealed]

    /// Reads them all.
    init(in store: some APIKeyStore & AppStore & CredentialStore & WebhookStore) async throws {
        var all: [Sealed] = []
        var cursor: AppID?
        repeat {
            let page = try await store.apps(after: cursor, limit: 1000)
            for app in page.elements {
                for credential in try await store.credentials(of: app.id) {
                    guard case .sealed(let bytes) = credential.secret else { continue }
                    all.append((app.id.rawValue, { (try? $0.open(bytes, for: credential.id)) != nil }))
                }
                for webhook in try await store.webhooks(of: app.id) {
                    all.append((app.id.rawValue, { (try? $0.secret(of: webhook)) != nil }))
                }
            }
            cursor = page.next
        } while cursor != nil
        var keyCursor: APIKeyID?
        repeat {
            let page = try await store.keys(after: keyCursor, limit: 1000)
            for key in page.elements where key.sealedSigningSecret != nil && key.revokedAt == nil {
                let owner = key.app?.rawValue ?? "the key \(key.id)"
                all.append((owner, { ((try? $0.signingSecret(of: key)) ?? nil) != nil }))
            }
            keyCursor = page.next
        } while keyCursor != nil
        self.all = all
    }

    var count: Int { self.all.count }

    /// The apps that have one, each once, in order; of many the first few and how many there are.
    var apps: String { Self.list(self.all.map(\.owner)) }

    /// The apps of which a master key does not open everything; `nil` when it opens all of them.
    func apps(closedTo key: MasterKey) -> String? {
        let closed = self.all.filter { !$0.isOpened(key) }
        return closed.isEmpty ? nil : Self.list(closed.map(\.owner))
    }

    private static func list(_ owners: [String]) -> String {
        let names = Set(owners).sorted()
        let more = names.count > 3 ? " and \(names.count - 3) more" : ""
        return names.prefix(3).joined(separator: ", ") + more
    }
}
