// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: credentials", .timeLimit(.minutes(20)))
struct CredentialTests {
    @Test("a credential comes back as it was added", arguments: TestStoreBackend.allCases)
    func add(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let added = [
                Self.credential("key", kind: .key(keyID: "ABCDE12345", teamID: "TEAM123456"), age: 0),
                Self.credential(
                    "pem",
                    kind: .certificate(format: .pem),
                    environments: [.sandbox],
                    secret: .file(path: "/keys/push.pem"),
                    age: 1
                ),
                Self.credential(
                    "p12",
                    kind: .certificate(format: .pkcs12),
                    environments: [.production],
                    secret: .file(path: "/keys/push.p12", passwordPath: "/keys/password"),
                    age: 2
                ),
            ]
            for credential in added { try await store.addCredential(credential) }
            for credential in added {
                let credentialThen = try await store.credential(credential.id)
                #expect(credentialThen == credential, "the credential")
            }
            #expect(try await store.credential("none") == nil, "a credential that was never added")
            let listed = try await store.credentials(of: StoreFixtures.app)
            #expect(listed == added.reversed(), "the credentials, the youngest first")
            let credentialsOfOther = try await store.credentials(of: StoreFixtures.otherApp)
            #expect(credentialsOfOther == [], "those of another app")
        }
    }

    @Test("a credential needs an app, an environment and an id of its own", arguments: TestStoreBackend.allCases)
    func refuse(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let credential = Self.credential("key", kind: .key(keyID: "ABCDE12345", teamID: "TEAM123456"))
            try await expectError(.notFound, "a credential of no app") { try await store.addCredential(credential) }
            try await store.addSampleApp()
            var nowhere = credential
            nowhere.environments = []
            try await expectError(.invalid, "no environment") { try await store.addCredential(nowhere) }
            try await store.addCredential(credential)
            try await expectError(.conflict, "the same id again") { try await store.addCredential(credential) }
        }
    }

    @Test("a removed credential is gone", arguments: TestStoreBackend.allCases)
    func remove(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addCredential(Self.credential("key", kind: .certificate(format: .pem)))
            #expect(try await store.removeCredential("key"), "it was not removed")
            #expect(try await !store.removeCredential("key"), "removing it again")
            #expect(try await store.credential("key") == nil, "the credential")
        }
    }

    private static func credential(
        _ id: CredentialID,
        kind: CredentialKind,
        environments: Set<APNsEnvironment> = [.sandbox, .production],
        secret: CredentialSecret = .sealed([0, 1, 255]),
        age seconds: Double = 0
    ) -> Credential {
        Credential(
            id: id,
            app: StoreFixtures.app,
            kind: kind,
            environments: environments,
            secret: secret,
            createdAt: StoreFixtures.after(seconds)
        )
    }
}
