// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import Logging
import PushModel
import PushStore
import SQLStore
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

    @Test("is not looked up after 60 others of its address, while keys that were not read yet are")
    func flood() async throws {
        let reads = Mutex(0)
        let (listings, listed) = AsyncStream.makeStream(of: Void.self)
        var setup = TestSetup()
        setup.hasSocket = true
        let masterKey = MasterKey.generate()
        setup.masterKey = masterKey
        setup.wrap = { store in
            let before: StoreProbe.Action = { if $0 == "key(_:)" { reads.withLock { $0 += 1 } } }
            let after: StoreProbe.Action = { if $0 == "keys(after:limit:)" { listed.yield() } }
            return ProbedStore(store, StoreProbe(before: before, after: after))
        }
        try await withAPI(setup) { api async throws in
            // The key of the administrator has no code: its ID is read at the start.
            for await _ in listings { break }
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<300 {
                    group.addTask { try await api.call(.get, "/v1/apps", key: APIKeySecret.generate().text).code }
                }
                let codes = try await group.reduce(into: []) { $0.append($1) }
                #expect(codes.count { $0 == "invalid_api_key" } >= AuthenticationFailures.burst)
                #expect(codes.contains("too_many_failures"))
            }
            #expect(reads.withLock { $0 } < 200)
            #expect(try await api.call(.get, "/v1/apps").status == 200)
            let secret = APIKeySecret.generate(codes: APIKeyIDCodes(masterKey))
            try await api.store.createKey(Self.key(secret))
            #expect(try await api.call(.get, "/v1/apps", key: secret.text).status == 200)
            let answer = try await api.call(.post, "/v1/keys", #"{"name":"new","scopes":["read"]}"#)
            let key = try #require(answer.json["key"]?.text)
            let created = try #require(APIKeySecret(key))
            #expect(APIKeyIDCodes(masterKey).verify(created.id))
            #expect(try await api.call(.get, "/v1/apps", key: key).status == 200)
        }
    }

    @Test("is recognized if it was stored before the start, and if it has a code of a key that was added by a rotation")
    func recognition() async throws {
        try await withTemporaryStore { store in
            let former = APIKeySecret.generate(codes: APIKeyIDCodes(.generate()))
            try await store.createKey(Self.key(former))
            let (start, next) = (MasterKey.generate(), MasterKey.generate())
            let isRotated = Mutex(false)
            let masterKey = start.following { isRotated.withLock { $0 } ? next : nil }
            let (retries, retried) = AsyncStream.makeStream(of: Void.self)
            let faults = StoreFaults(1, of: "keys(after:limit:)")
            let probe = StoreProbe(before: { try faults.check($0) }, after: { _ in retried.yield() })
            let ids = KeyIDRecognizer(
                store: ProbedStore(store, probe),
                masterKey: masterKey,
                logger: Logger(label: "test")
            )
            let run = Task { try await ids.run() }
            for await _ in retries { break }
            try await waitUntil { ids.recognizes(former.id) }
            let code = APIKeySecret.generate(codes: APIKeyIDCodes(next)).id
            #expect(!ids.recognizes(code))
            isRotated.withLock { $0 = true }
            #expect(ids.recognizes(code, now: .now + .seconds(2)))
            #expect(ids.recognizes(APIKeySecret.generate(codes: APIKeyIDCodes(start)).id))
            #expect(!ids.recognizes(APIKeySecret.generate().id))
            run.cancel()
            try await run.value
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
