// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Synchronization
import Testing

@testable import PushAPI

@Suite("An id without a key", .timeLimit(.minutes(20)))
struct UnknownKeyTests {
    private static func key(_ secret: APIKeySecret) -> APIKey {
        APIKey(id: secret.id, name: "late", scopes: [.read], secretHash: secret.hash, createdAt: TestTime.start)
    }

    @Test("is looked up in the store once in 5 seconds, and works after that if another process has created the key")
    func request() async throws {
        let reads = Mutex(0)
        var setup = TestSetup()
        setup.wrap = { ProbedStore($0, StoreProbe(before: { if $0 == "key(_:)" { reads.withLock { $0 += 1 } } })) }
        let time = setup.time
        try await withAPI(setup) { api async throws in
            let secret = APIKeySecret.generate()
            for _ in 0..<10 {
                #expect(try await api.call(.get, "/v1/apps", key: secret.text).code == "invalid_api_key")
                time.advance(by: 0.4)
            }
            #expect(reads.withLock { $0 } == 1)
            try await api.store.createKey(Self.key(secret))
            time.advance(by: 1.1)
            #expect(try await api.call(.get, "/v1/apps", key: secret.text).status == 200)
            #expect(reads.withLock { $0 } == 2)
        }
    }

    @Test("is kept for 5 seconds, until the key is read, or until the cache is told to forget it")
    func lifetime() {
        var cache = RecordCache<APIKeyID, APIKey>(capacity: 8, lifetime: 1, unknownLifetime: 5)
        let secret = APIKeySecret.generate()
        let start = TestTime.start
        cache.keepUnknown(secret.id, generation: 0, now: start)
        #expect(cache.isUnknown(secret.id, now: start + 4.9))
        #expect(!cache.isUnknown(secret.id, now: start + 5))
        #expect(!cache.isUnknown(secret.id, now: start - 1))
        cache.keep(Self.key(secret), of: secret.id, generation: 0, now: start)
        #expect(!cache.isUnknown(secret.id, now: start))
        cache.keepUnknown(secret.id, generation: 0, now: start)
        cache.forget(secret.id)
        #expect(!cache.isUnknown(secret.id, now: start))
        // What was read before a key was created is not kept after it.
        cache.keepUnknown(secret.id, generation: 0, now: start)
        #expect(!cache.isUnknown(secret.id, now: start))
    }

    @Test("is kept beside at most 1023 others")
    func capacity() {
        var cache = RecordCache<APIKeyID, APIKey>(capacity: 8, lifetime: 1, unknownLifetime: 5)
        let ids = (0..<5000).map { APIKeyID(unchecked: "id\($0)") }
        for id in ids {
            cache.keepUnknown(id, generation: 0, now: TestTime.start)
            #expect(cache.isUnknown(id, now: TestTime.start))
        }
        #expect(ids.count { cache.isUnknown($0, now: TestTime.start) } <= RecordCache<APIKeyID, APIKey>.unknownCapacity)
    }
}
