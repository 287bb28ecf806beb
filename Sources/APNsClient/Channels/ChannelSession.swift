// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Requests about the channels of one app, one after another on one connection.
///
/// The connection is opened by the first request, and anew by the next one where it was lost. Nothing is ever sent twice by
/// itself: whether a request whose answer was lost is repeated is up to the caller. To be used by one task at a time.
public final class ChannelSession: Sendable {
    private let bundleID: Topic
    private let requests: RequestSession

    init(of bundleID: Topic, over requests: RequestSession) {
        self.bundleID = bundleID
        self.requests = requests
    }

    /// Creates a channel.
    ///
    /// - Parameter policy: what it keeps for devices that are offline.
    /// - Returns: the channel's identifier.
    public func create(_ policy: MessageStoragePolicy) async -> ChannelAnswer<APNsChannelID> {
        await self.perform(.createChannel(policy, of: self.bundleID), reading: \.channel)
    }

    /// Reads what a channel keeps; APNs answers `ChannelNotRegistered` for one that does not exist.
    public func read(_ channel: APNsChannelID) async -> ChannelAnswer<MessageStoragePolicy> {
        await self.perform(.readChannel(channel, of: self.bundleID), reading: \.policy)
    }

    /// Deletes a channel; APNs answers `ChannelNotRegistered` for one that does not exist.
    public func delete(_ channel: APNsChannelID) async -> ChannelAnswer<Void> {
        await self.perform(.deleteChannel(channel.rawValue, of: self.bundleID)) { _ in () }
    }

    /// All channels of the app in the environment: 10,000 at most.
    public func list() async -> ChannelAnswer<[APNsChannelID]> {
        await self.perform(.listChannels(of: self.bundleID), reading: \.channels)
    }

    private func perform<Value: Sendable>(
        _ request: APNsRequest,
        reading read: (APNsResponse) -> Value?
    ) async -> ChannelAnswer<Value> {
        do {
            return try await self.requests.send(request).answer(read)
        } catch let loss as RequestLoss {
            let code: ChannelFailure.Code = loss.wasSent ? .lost : .unreachable
            return .failed(ChannelFailure(code: code, message: loss.message))
        } catch let error as APNsClientError {
            return .failed(ChannelFailure(code: .badCredential, message: error.description))
        } catch {
            return .failed(ChannelFailure(code: .unreachable, message: "\(error)"))
        }
    }
}
