// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// The credentials of a store that only its master key opens.
struct SealedCredentials {
    private let credentials: [(id: CredentialID, app: AppID, bytes: [UInt8])]

    /// Reads them all.
    init(in store: some AppStore & CredentialStore) async throws {
        var credentials: [(id: CredentialID, app: AppID, bytes: [UInt8])] = []
        var cursor: AppID?
        repeat {
            let page = try await store.apps(after: cursor, limit: 1000)
            for app in page.elements {
                for credential in try await store.credentials(of: app.id) {
                    guard case .sealed(let bytes) = credential.secret else { continue }
                    credentials.append((credential.id, app.id, bytes))
                }
            }
            cursor = page.next
        } while cursor != nil
        self.credentials = credentials
    }

    var count: Int { self.credentials.count }

    /// The apps that have one, each once, in order; of many the first few and how many there are.
    var apps: String { Self.list(self.credentials.map(\.app)) }

    /// The apps whose credentials a master key does not open; `nil` when it opens all of them.
    func apps(closedTo key: MasterKey) -> String? {
        let closed = self.credentials.filter { (try? key.open($0.bytes, for: $0.id)) == nil }
        return closed.isEmpty ? nil : Self.list(closed.map(\.app))
    }

    private static func list(_ apps: [AppID]) -> String {
        let names = Set(apps.map(\.rawValue)).sorted()
        let more = names.count > 3 ? " and \(names.count - 3) more" : ""
        return names.prefix(3).joined(separator: ", ") + more
    }
}
