// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import CommandLineSupport
import Delivery
import Foundation
import NIOPosix
import PushAPI
import PushModel
import PushStore

extension Doctor {
    /// A push certificate that expires sooner is reported.
    private static let noticeDays = 30.0

    /// Reads and tries each credential as the sender does; with `--ask-apns` also at APNs.
    func checkCredentials() async -> [DoctorFinding] {
        switch await self.store.value {
        case .absent: return [.ok("there is none yet")]
        case .failed: return [.skipped("not checked, because the database cannot be read")]
        case .contents(let contents): return await self.check(contents)
        }
    }

    private func check(_ contents: StoreReading.Contents) async -> [DoctorFinding] {
        let key = (try? await self.masterKey.value.get()) ?? nil
        let directory = CredentialDirectory(self.configuration.credentialDirectory)
        let reader = CredentialReader(masterKey: key, directory: directory)
        var findings = self.appsWithoutCredential(contents)
        var usable: [(credential: Credential, read: APNsCredential)] = []
        var closed = 0
        for credential in contents.credentials {
            if case .sealed(let bytes) = credential.secret, key?.opens(bytes, of: .credential(credential.id)) != true {
                closed += 1
                continue
            }
            findings += self.exposedFiles(of: credential)
            do {
                let read = try reader.read(credential)
                let problems = self.problems(of: read, credential)
                findings += problems
                if problems.allSatisfy({ $0.severity < .error }) { usable.append((credential, read)) }
            } catch {
                findings.append(
                    .error(
                        error.message,
                        effect: self.effect(on: credential),
                        fix: "Add it again: apus apps credential add \(credential.app)"
                    )
                )
            }
        }
        if closed > 0 { findings.append(.skipped("\(closed) not checked, because the master key does not open them")) }
        if self.asksAPNs, !self.isOffline { findings += await self.ask(usable) }
        guard findings.isEmpty else { return findings }
        let isAsked = self.asksAPNs && !self.isOffline
        let asked = isAsked ? "and APNs accepts them" : "APNs was not asked (--ask-apns)"
        let apps = Set(usable.map { $0.credential.app })
        return [.ok("\(apps.count) of \(contents.apps.count) apps can be used; \(asked)")]
    }

    private func effect(on credential: Credential) -> String {
        let environments = credential.environments.map(\.rawValue).sorted().joined(separator: " and ")
        return "Pushes of app '\(credential.app)' in \(environments) fail, unless the app has another credential there."
    }

    private func appsWithoutCredential(_ contents: StoreReading.Contents) -> [DoctorFinding] {
        let provided = Set(
            contents.credentials.flatMap { credential in
                credential.environments.map { "\(credential.app) \($0.rawValue)" }
            }
        )
        return contents.apps.filter { !provided.contains("\($0.id) \($0.defaultEnvironment.rawValue)") }.map { app in
            DoctorFinding.warning(
                "App '\(app.id)' has no credential for \(app.defaultEnvironment.rawValue), its default environment.",
                effect: "Its pushes there fail with the code no_credential.",
                fix: "Add a key: apus apps credential add \(app.id) --p8 FILE --key-id ID --team-id ID"
            )
        }
    }

    private func exposedFiles(of credential: Credential) -> [DoctorFinding] {
        guard case .file(let path, let passwordPath) = credential.secret else { return [] }
        return [path, passwordPath].compactMap(\.self).compactMap { file in
            FilePermissions.exposedMode(of: file).map { mode in
                DoctorFinding.warning(
                    "Other users can read the credential file \(file) (mode \(mode)).",
                    effect: "They can send pushes to app '\(credential.app)' with it.",
                    fix: "Run: chmod 600 \(file). If they may have read it, revoke the key and create another one."
                )
            }
        }
    }

    private func problems(of read: APNsCredential, _ credential: Credential) -> [DoctorFinding] {
        switch read {
        case .key(let key):
            do {
                _ = try key.authorization(now: self.now)
                return []
            } catch {
                return [.error(error.description, effect: self.effect(on: credential), fix: "Add the key again.")]
            }
        case .certificate(let certificate):
            let name = "The push certificate '\(credential.id)' of app '\(credential.app)'"
            guard let facts = APNsCredentialValidator.facts(of: certificate) else {
                return [.error("\(name) cannot be parsed.", effect: self.effect(on: credential), fix: "Add it again.")]
            }
            var problems: [DoctorFinding] = []
            let bundleID = facts.bundleID ?? "none"
            if bundleID != credential.app.rawValue, !bundleID.hasPrefix("\(credential.app.rawValue).") {
                problems.append(
                    .error(
                        "\(name) is for another app: its bundle ID is \(bundleID).",
                        effect: "APNs rejects pushes of the app with TopicDisallowed.",
                        fix: "Add the certificate of this app, or a key, which is valid for all apps of the team."
                    )
                )
            }
            let days = facts.expiresAt.timeIntervalSince(self.now) / 86_400
            let fix = "Create another one in the Apple developer account and add it. A key (.p8) does not expire."
            if days < 0 {
                let problem = "\(name) expired on \(facts.expiresAt.ISO8601Format())."
                problems.append(.error(problem, effect: self.effect(on: credential), fix: fix))
            } else if days < Self.noticeDays {
                let problem = "\(name) expires on \(facts.expiresAt.ISO8601Format())."
                problems.append(.warning(problem, effect: "After that: \(self.effect(on: credential))", fix: fix))
            }
            return problems
        }
    }
}

// MARK: - Asking APNs

extension Doctor {
    /// A well-formed device token that no device has.
    private static let unknownToken = [UInt8](repeating: 0, count: 32)

    /// Sends a push to a token that no device has.
    ///
    /// `BadDeviceToken` means that APNs accepts the credential.
    private func ask(_ credentials: [(credential: Credential, read: APNsCredential)]) async -> [DoctorFinding] {
        guard let endpoints = (try? self.configuration.deliveryConfiguration())?.endpoints,
            let token = try? DeviceToken(bytes: Self.unknownToken),
            let payload = try? APNsPayload(json: Array(#"{"aps":{}}"#.utf8))
        else { return [.skipped("APNs was not asked")] }
        let client = APNsClient(
            configuration: self.configuration.apnsClientConfiguration,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: Self.silent
        )
        let deadline = Duration.seconds(self.configuration.apnsTimeoutSeconds)
        return await withTaskGroup(of: DoctorFinding?.self) { group in
            for (credential, read) in credentials {
                guard let topic = try? Topic(credential.app.rawValue) else { continue }
                for environment in credential.environments {
                    guard let endpoint = endpoints[environment] else { continue }
                    group.addTask {
                        let outcome = await client.send(
                            NotificationHeaders(topic: topic, pushType: .alert, expiration: .once),
                            payload: payload,
                            token: token,
                            to: APNsDestination(endpoint: endpoint, credential: read),
                            deadline: deadline
                        )
                        return self.finding(outcome, of: credential, in: environment)
                    }
                }
            }
            return await group.reduce(into: [DoctorFinding]()) { if let finding = $1 { $0.append(finding) } }
        }
    }

    /// Returns the finding for an outcome of a credential; `nil` if APNs accepts it.
    private func finding(
        _ outcome: SendOutcome,
        of credential: Credential,
        in environment: APNsEnvironment
    ) -> DoctorFinding? {
        let name = "credential '\(credential.id)' of app '\(credential.app)' in \(environment.rawValue)"
        switch outcome {
        case .accepted: return nil
        case .rejected(let rejection) where rejection.reason == .expiredProviderToken:
            return .error(
                "APNs rejects the provider token of \(name): \(rejection).",
                effect: self.effect(on: credential),
                fix: "The clock of this machine is off by more than one hour. Synchronize it with NTP."
            )
        case .rejected(let rejection) where rejection.nextStep == .fixCredential:
            return .error(
                "APNs rejects \(name): \(rejection).",
                effect: self.effect(on: credential),
                fix:
                    "Compare key ID, team ID, bundle ID and environment with the developer account, and add it again."
            )
        case .failed(let failure) where failure.code == .certificateRefused || failure.code == .badCredential:
            return .error(
                "APNs rejects \(name): \(failure.message).",
                effect: self.effect(on: credential),
                fix: "Create another certificate in the Apple developer account, and add it."
            )
        case .rejected(let rejection):
            return rejection.reason == .badDeviceToken ? nil : .skipped("APNs responded \(rejection) to \(name)")
        case .failed(let failure): return .skipped("no response of APNs to \(name): \(failure.message)")
        }
    }
}
