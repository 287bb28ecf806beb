// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

/// Topics and subscriptions for tests.
package enum TopicFixtures {
    /// The topic of most tests.
    package static let topic: TopicName = "news"

    /// Why a change is not made.
    package struct Refusal: Error {
        /// No reason at all.
        package init() {}
    }
}
