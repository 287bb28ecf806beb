// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// By what a provider may prove that it may send a type of push.
public enum ProviderTrust: String, Hashable, Sendable, Codable, CaseIterable {
    /// A provider token, or any push certificate of the app.
    case any
    /// A provider token, or a certificate whose extensions list the very topic.
    case certificateListingTopic
    /// A provider token only.
    case tokenOnly
}
