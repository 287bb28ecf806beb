// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Foundation
import Logging
import PushModel
import PushStore
import Synchronization

/// Reports to the store when a credential begins to fail and when it works again.
///
/// The store decides for all processes. A state that this process reported within the last 30 seconds is not reported
/// again, so that sending costs no extra write. If the store fails, the next chunk reports the state again.
final class CredentialHealth: Sendable {
    /// A state of a credential that was not reported yet.
    struct Change: Sendable {
        let subject: CredentialFailure.Subject

        /// The failure; `nil` if the credential works.
        let cause: CredentialFailure.Cause?
    }

    private struct Told {
        let isTroubled: Bool
        let until: Date
    }

    private let store: any CredentialFailureStore
    private let logger: Logger
    private let told = Mutex<[CredentialFailure.Subject: Told]>([:])

    init(store: any CredentialFailureStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// Returns the state of the credential that follows from the results of a chunk, unless that was reported already.
    ///
    /// The caller must pass the change to ``report(_:now:)``.
    func change(by answers: [SendOutcome], for subject: CredentialFailure.Subject, now: Date) -> Change? {
        if answers.contains(where: \.provesCredential) {
            self.change(to: nil, for: subject, now: now)
        } else if let cause = answers.lazy.compactMap(\.credentialTrouble).first {
            self.change(to: cause, for: subject, now: now)
        } else {
            nil
        }
    }

    /// Returns a failure of a credential unless it was reported already; with `nil`, that the credential works.
    func change(to cause: CredentialFailure.Cause?, for subject: CredentialFailure.Subject, now: Date) -> Change? {
        self.isNews(subject, isTroubled: cause != nil, now: now) ? Change(subject: subject, cause: cause) : nil
    }

    func report(_ change: Change?, now: Date) async {
        guard let change else { return }
        do {
            if let cause = change.cause {
                let trouble = CredentialFailure(subject: change.subject, cause: cause)
                try await self.store.credentialFailed(trouble, now: now)
            } else {
                try await self.store.credentialRecovered(change.subject, now: now)
            }
        } catch {
            self.told.withLock { $0[change.subject] = nil }
            self.logger.warning(
                "Failed to store the state of a credential",
                metadata: ["app": "\(change.subject.app)", "error": "\(error)"]
            )
        }
    }

    private func isNews(_ subject: CredentialFailure.Subject, isTroubled: Bool, now: Date) -> Bool {
        self.told.withLock { told in
            if let last = told[subject], last.isTroubled == isTroubled, last.until > now { return false }
            told = told.filter { $0.value.until > now }
            told[subject] = Told(isTroubled: isTroubled, until: now.addingTimeInterval(30))
            return true
        }
    }
}

extension SendOutcome {
    /// Whether APNs accepted the credential, because it evaluated the token.
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

    /// The failure of the credential; `nil` if the result says nothing about it.
    fileprivate var credentialTrouble: CredentialFailure.Cause? {
        switch self {
        case .accepted: nil
        case .rejected(let rejection):
            switch rejection.nextStep {
            case .fixCredential: .rejected(rejection.reason)
            // The client has already tried another connection and a new provider token.
            case .retryNow where rejection.status == 403: .rejected(rejection.reason)
            case .retryNow, .retryLater, .never, .pruneToken, .suspectToken, .fixRequest: nil
            }
        case .failed(let failure):
            switch failure.code {
            case .badCredential: .failed(.invalidCredential)
            case .certificateRefused: .rejected(Rejection(inTLS: failure).reason)
            case .deadlineExceeded, .connectionLost, .streamReset, .unreachable, .notSent, .cancelled, .shuttingDown:
                nil
            }
        }
    }
}
