// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Foundation
import Logging
import PushModel
import PushStore
import Synchronization

/// Tells the store when a credential begins to be in trouble and when that is over.
///
/// The store knows for all processes; what this one told a short while ago is not told again, so that sending costs
/// nothing for it. A failure of the store is logged, and told again with the next chunk.
final class CredentialHealth: Sendable {
    private struct Told {
        let isTroubled: Bool
        let until: Date
    }

    /// How long the store is not asked again about the same.
    private static let lifetime: TimeInterval = 30

    private let store: any CredentialTroubleStore
    private let logger: Logger
    private let told = Mutex<[CredentialTrouble.Subject: Told]>([:])

    init(store: any CredentialTroubleStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// Takes note of what the answers to a chunk say of the credential; most say nothing new.
    func note(_ answers: [SendOutcome], for subject: CredentialTrouble.Subject, now: Date) async {
        if answers.contains(where: \.provesCredential) {
            await self.note(nil, for: subject, now: now)
        } else if let cause = answers.lazy.compactMap(\.credentialTrouble).first {
            await self.note(cause, for: subject, now: now)
        }
    }

    /// Takes note that nothing can be sent for a subject, or that something was.
    func note(_ cause: CredentialTrouble.Cause?, for subject: CredentialTrouble.Subject, now: Date) async {
        guard self.isNews(subject, isTroubled: cause != nil, now: now) else { return }
        do {
            if let cause {
                try await self.store.credentialTroubled(CredentialTrouble(subject: subject, cause: cause), now: now)
            } else {
                try await self.store.credentialRecovered(subject, now: now)
            }
        } catch {
            self.told.withLock { $0[subject] = nil }
            self.logger.warning(
                "What became of a credential could not be stored",
                metadata: ["app": "\(subject.app)", "error": "\(error)"]
            )
        }
    }

    private func isNews(_ subject: CredentialTrouble.Subject, isTroubled: Bool, now: Date) -> Bool {
        self.told.withLock { told in
            if let last = told[subject], last.isTroubled == isTroubled, last.until > now { return false }
            told = told.filter { $0.value.until > now }
            told[subject] = Told(isTroubled: isTroubled, until: now.addingTimeInterval(Self.lifetime))
            return true
        }
    }
}

extension SendOutcome {
    /// Whether APNs took the credential for sure: it judged the token.
    fileprivate var provesCredential: Bool {
        switch self {
        case .accepted: true
        case .rejected(let rejection):
            switch rejection.nextStep {
            case .pruneToken, .suspectToken: true
            case .retryNow, .retryLater, .never, .fixCredential, .fixRequest: false
            }
        case .failed: false
        }
    }

    /// What is wrong with the credential, where that is why nothing was sent.
    fileprivate var credentialTrouble: CredentialTrouble.Cause? {
        switch self {
        case .accepted: nil
        case .rejected(let rejection):
            switch rejection.nextStep {
            case .fixCredential: .rejected(rejection.reason)
            // Neither another connection nor a new provider token has helped.
            case .retryNow where rejection.status == 403: .rejected(rejection.reason)
            case .retryNow, .retryLater, .never, .pruneToken, .suspectToken, .fixRequest: nil
            }
        case .failed(let failure):
            switch failure.code {
            case .badCredential: .failed(.badCredential)
            case .certificateRefused: .rejected(Rejection(inTLS: failure).reason)
            case .deadlineExceeded, .connectionLost, .streamReset, .unreachable, .notSent, .cancelled, .shuttingDown:
                nil
            }
        }
    }
}
