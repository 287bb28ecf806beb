// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient

/// What the answers to one slice say of the line that it went over.
struct Evidence: Hashable {
    /// How many were accepted, or rejected for the sake of the target or the request.
    var served = 0

    /// How many were answered with 429 or 5xx.
    var overloads = 0

    /// The last of those.
    var overload: Rejection?

    /// APNs refused the credential, with this.
    var refusal: Rejection?

    /// There was no connection, in the client's words.
    var unreachability: String?

    /// Looks at the answers to a slice.
    init(_ answers: [SendOutcome]) {
        for answer in answers {
            switch (answer, SendVerdict(answer)) {
            case (_, .refused(let rejection)): self.refusal = self.refusal ?? rejection
            case (_, .unreachable(let message)): self.unreachability = self.unreachability ?? message
            case (.rejected(let rejection), _) where rejection.status == 429 || rejection.status >= 500:
                self.overloads += 1
                self.overload = rejection
            case (.accepted, _), (.rejected, _): self.served += 1
            case (.failed, _): continue
            }
        }
    }

    /// Evidence as it is.
    init(
        served: Int = 0,
        overloads: Int = 0,
        overload: Rejection? = nil,
        refusal: Rejection? = nil,
        unreachability: String? = nil
    ) {
        self.served = served
        self.overloads = overloads
        self.overload = overload
        self.refusal = refusal
        self.unreachability = unreachability
    }

    /// How many answers APNs gave that say something of how it is.
    var answers: Int { self.served + self.overloads }

    /// Whether APNs was reached.
    var isAnswered: Bool { self.answers > 0 || self.refusal != nil }
}
