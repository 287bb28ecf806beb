// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import PushModel

/// Creates, reads, lists and deletes broadcast channels at APNs.
///
/// The API itself does not call APNs; its creator passes a manager. Errors are ``ChannelManagementError``, or those
/// of the store that has the credentials.
package protocol ChannelManager: Sendable {
    /// Creates a channel.
    ///
    /// - Throws: ``ChannelManagementError``, or the failure of a store.
    func create(
        _ policy: MessageStoragePolicy,
        for app: AppID,
        in environment: APNsEnvironment
    ) async throws -> APNsChannelID

    /// Returns the message storage of a channel; `nil` if APNs has no channel with this ID.
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

/// Why a channel request failed, or why its result is unknown.
package struct ChannelManagementError: Error, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The app has no credential for the environment, or none that can be read.
        case noCredential

        /// APNs has refused, with this.
        case rejected(Rejection)

        /// APNs has not seen the request.
        case unreachable

        /// There was no response: APNs may have executed the request.
        case lost
    }

    package let code: Code

    /// The error; contains no secret.
    package let message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Whether APNs may have executed the request.
    package var mayHaveHappened: Bool { self.code == .lost }

    package var description: String { self.message }
}
