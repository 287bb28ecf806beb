// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import PushModel
import PushStore

/// What the checks of `apus doctor` read from the store, which is opened for reading.
enum StoreReading: Sendable {
    /// The records that checks need.
    struct Contents: Sendable {
        var apps: [App] = []
        var credentials: [Credential] = []
        var keys: [APIKey] = []
        var sealed: SealedSecrets
    }

    /// There is no store yet.
    case absent
    case contents(Contents)
    case failed(CommandError)

    init(_ configuration: ServerConfiguration) async {
        do {
            let contents = try await ServerStore.read(
                data: configuration.data,
                url: configuration.storeURL,
                logger: Doctor.silent
            ) { store -> Contents in
                var contents = Contents(sealed: try await SealedSecrets(in: store))
                var cursor: AppID?
                repeat {
                    let page = try await store.apps(after: cursor, limit: 1000)
                    contents.apps += page.elements
                    for app in page.elements { contents.credentials += try await store.credentials(of: app.id) }
                    cursor = page.next
                } while cursor != nil
                var key: APIKeyID?
                repeat {
                    let page = try await store.keys(after: key, limit: 1000)
                    contents.keys += page.elements
                    key = page.next
                } while key != nil
                return contents
            }
            self = contents.map { StoreReading.contents($0) } ?? .absent
        } catch {
            self = .failed((error as? CommandError) ?? CommandError("failed", "\(error)", cause: error))
        }
    }

    var contents: Contents? {
        if case .contents(let contents) = self { contents } else { nil }
    }
}
