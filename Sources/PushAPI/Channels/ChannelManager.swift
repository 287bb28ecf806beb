// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import PushModel

/// Creates, reads, lists and deletes broadcast channels at APNs.
///
/// The API itself does not talk to APNs; whoever builds it hands it a manager. What fails is a
/// ``ChannelManagementFailure``, or the failure of a store in which credentials are looked for.
package protocol ChannelManager: Sendable {
    /// Creates a channel.
    ///
    /// - Throws: ``ChannelManagementFailure``, or the failure of a store.
    func create(
        _ policy: MessageStoragePolicy,
        for app: AppID,
        in environment: APNsEnvironment
    ) async throws -> APNsChannelID

    /// What a channel keeps; `nil` when APNs has none of that identifier.
    func policy(
        of channel: APNsChannelID,
        for app: AppID,
        in environment: APNsEnvironment
    ) async throws -> MessageStoragePolicy?

    /// Deletes a channel; one that APNs does not have is none to delete.
    func delete(_ channel: APNsChannelID, for app: AppID, in environment: APNsEnvironment) async throws

    /// All channels of an app in an environment: at most 10,000.
    func list(for app: AppID, in environment: APNsEnvironment) async throws -> [APNsChannelID]
}

/// Why a request about channels came to nothing, or why nobody knows what it came to.
package struct ChannelManagementFailure: Error, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The app has no credential for the environment, or none that can be read.
        case noCredential

        /// APNs has refused, with this.
        case rejected(Rejection)

        /// APNs has not seen the request.
        case unreachable

        /// The answer did not come: APNs may have done what it was asked for.
        case lost
    }

    package let code: Code

    /// What happened; holds no secret.
    package let message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Whether APNs may have done what it was asked for.
    package var mayHaveHappened: Bool { self.code == .lost }

    package var description: String { self.message }
}
