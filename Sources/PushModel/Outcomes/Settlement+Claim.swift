// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension Settlement {
    /// Settles a slice of a claimed batch, pruning and suspecting as the reasons' next steps say.
    ///
    /// A 410 without a time counts as of the batch's acceptance: a registration since then is not touched.
    /// - Parameters:
    ///   - claimed: the batch and the lease under which it was sent.
    ///   - range: the slice that was sent; it begins where the last settlement ended. Empty by default.
    ///   - resent: deferred targets that were sent to, exactly as they were deferred, by their indices.
    ///   - failures: what did not succeed; indices within the slice or of `resent`, each once.
    ///   - deferrals: what has no outcome; indices within the slice or of `resent`, each once, in their order.
    public init(
        of claimed: ClaimedBatch,
        range: Range<Int> = 0..<0,
        resent: [Deferral] = [],
        failures: [Failure],
        deferrals: [Deferral] = []
    ) {
        var prunes: [Prune] = []
        var suspects: [Suspicion] = []
        let accepted = claimed.batch.createdAt.millisecondsSince1970
        for failure in failures {
            guard case .rejected(let rejection) = failure.outcome else { continue }
            let target = claimed.batch.targets[failure.index]
            switch rejection.nextStep {
            case .pruneToken:
                let time = rejection.inactiveSince ?? accepted
                prunes.append(Prune(target: target, reason: rejection.reason, inactiveSince: time))
            case .suspectToken:
                suspects.append(Suspicion(target: target, reason: rejection.reason))
            case .retryNow, .retryLater, .never, .fixCredential, .fixRequest:
                continue
            }
        }
        self.init(
            batch: claimed.batch.id,
            lane: claimed.batch.lane,
            worker: claimed.worker,
            range: range,
            resent: resent,
            failures: failures,
            deferrals: deferrals,
            prunes: prunes,
            suspects: suspects
        )
    }
}
