// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import AppAttest
package import Foundation
import HTTPTypes
import Hummingbird
import Metrics
import PushModel
import PushStore

/// Verifies that a new installation is a copy of the app on a device of Apple's.
package protocol InstallationAttestor: Sendable {
    /// Returns the App Attest environment of the key.
    ///
    /// - Parameter appID: the app ID prefix, a point and the bundle ID.
    func verify(
        _ attestation: [UInt8],
        keyID: [UInt8],
        clientDataHash: [UInt8],
        appID: String,
        now: Date
    ) async throws(AttestationError) -> AttestationEnvironment
}

extension AttestationVerifier: InstallationAttestor {}

/// Checks the attestations of registrations, and issues the challenges for them.
struct AttestationGate: Sendable {
    static let attestationHeader = "Apus-Attestation"
    static let keyHeader = "Apus-Attestation-Key"
    static let challengeHeader = "Apus-Attestation-Challenge"

    private let store: any CredentialStore & DeviceStore
    private let attestor: (any InstallationAttestor)?
    private let masterKey: MasterKey?
    private let now: @Sendable () -> Date
    private let counters: [String: Counter]

    init(
        store: any CredentialStore & DeviceStore,
        attestor: (any InstallationAttestor)?,
        masterKey: MasterKey?,
        metrics: any MetricsFactory,
        now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.attestor = attestor
        self.masterKey = masterKey
        self.now = now
        let results = ["valid"] + Refusal.others.map(\.name) + AttestationError.allCases.map(\.rawValue)
        self.counters = results.reduce(into: [:]) { counters, result in
            let dimensions = [("result", result)]
            counters[result] = Counter(label: "apus_attestations_total", dimensions: dimensions, factory: metrics)
        }
    }

    /// Why an attestation does not count.
    private enum Refusal: Error {
        /// The request has none.
        case missing

        /// A header is no Base64, or the challenge is of another device or has expired.
        case challenge

        /// Neither the app nor a credential of it names the team.
        case team
        case invalid(AttestationError)

        static let others: [Refusal] = [.missing, .challenge, .team]

        var name: String {
            switch self {
            case .missing: "missing"
            case .challenge: "challenge"
            case .team: "team"
            case .invalid(let error): error.rawValue
            }
        }
    }

    func challenge(for device: DeviceID, of app: AppID) throws(Problem) -> AttestationChallenge {
        guard let masterKey,
            let challenge = AttestationChallenge(app: app, device: device, masterKey: masterKey, now: self.now())
        else { throw Problem(.masterKeyMissing, ProblemCode.masterKeyMissing.entry.meaning) }
        return challenge
    }

    /// Checks the attestation of a client key's registration of a new device.
    ///
    /// The installation secret binds later registrations of the device, so they need no attestation.
    /// - Throws: ``Problem`` `.attestationRequired`, `.attestationInvalid`; the errors of the store.
    func check(_ registration: DeviceRegistration, of app: App, in headers: HTTPFields) async throws {
        guard app.attestation.mode != .off, registration.access.isInstallation else { return }
        guard try await self.store.device(registration.installation, of: app.id) == nil else { return }
        do {
            try await self.verify(registration, of: app, in: headers)
            self.counters["valid"]?.increment()
        } catch let refusal as Refusal {
            self.counters[refusal.name]?.increment()
            guard app.attestation.mode == .required else { return }
            if case .missing = refusal {
                throw Problem(.attestationRequired, ProblemCode.attestationRequired.entry.meaning)
            }
            throw Problem(
                .attestationInvalid,
                "\(ProblemCode.attestationInvalid.entry.meaning) Failed check: \(refusal.name)."
            )
        }
    }

    private func verify(_ registration: DeviceRegistration, of app: App, in headers: HTTPFields) async throws {
        func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
        guard let attestation = header(Self.attestationHeader) else { throw Refusal.missing }
        guard let object = Data(base64Encoded: attestation),
            let keyID = header(Self.keyHeader).flatMap({ Data(base64Encoded: $0) }),
            let challenge = header(Self.challengeHeader), let masterKey,
            AttestationChallenge.isValid(
                challenge,
                app: app.id,
                device: registration.installation,
                masterKey: masterKey,
                now: self.now()
            )
        else { throw Refusal.challenge }
        guard let team = try await self.team(of: app) else { throw Refusal.team }
        guard let attestor else { throw Refusal.invalid(.certificates) }
        let environment: AttestationEnvironment
        do {
            environment = try await attestor.verify(
                Array(object),
                keyID: Array(keyID),
                clientDataHash: AttestationVerifier.clientDataHash(of: challenge),
                appID: "\(team).\(app.id.rawValue)",
                now: self.now()
            )
        } catch {
            throw Refusal.invalid(error)
        }
        // A build from Xcode has a development key, and tokens of the sandbox only.
        if environment == .development, registration.environment != .sandbox { throw Refusal.invalid(.environment) }
    }

    private func team(of app: App) async throws -> String? {
        if let team = app.attestation.teamID { return team }
        for credential in try await self.store.credentials(of: app.id) {
            if case .key(_, let team) = credential.kind { return team }
        }
        return nil
    }
}

extension AttestationChallenge: JSONWritable {
    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("challenge", self.text)
            writer.member("expiresAt", self.expiresAt)
        }
    }
}
