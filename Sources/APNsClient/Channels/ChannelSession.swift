// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Requests about the channels of one app, one after another on one connection.
///
/// The first request opens the connection, and a later one reopens it if it was lost. Requests are never retried: the
/// caller decides whether to repeat a request whose response was lost. For use by one task at a time.
public final class ChannelSession: Sendable {
    private let bundleID: Topic
    private let requests: RequestSession

    init(of bundleID: Topic, over requests: RequestSession) {
        self.bundleID = bundleID
        self.requests = requests
    }

    /// Creates a channel.
    ///
    /// - Parameter policy: the messages that APNs stores for offline devices.
    /// - Returns: the channel ID.
    public func create(_ policy: MessageStoragePolicy) async -> ChannelResult<APNsChannelID> {
        await self.perform(.createChannel(policy, of: self.bundleID), reading: \.channel)
    }

    /// Reads the message storage of a channel; APNs responds `ChannelNotRegistered` if it does not exist.
    public func read(_ channel: APNsChannelID) async -> ChannelResult<MessageStoragePolicy> {
        await self.perform(.readChannel(channel, of: self.bundleID), reading: \.policy)
    }

    /// Deletes a channel; APNs answers `ChannelNotRegistered` for one that does not exist.
    public func delete(_ channel: APNsChannelID) async -> ChannelResult<Void> {
        await self.perform(.deleteChannel(channel.rawValue, of: self.bundleID)) { _ in () }
    }

    /// All channels of the app in the environment: 10,000 at most.
    public func list() async -> ChannelResult<[APNsChannelID]> {
        await self.perform(.listChannels(of: self.bundleID), reading: \.channels)
    }

    private func perform<Value: Sendable>(
        _ request: APNsRequest,
        reading read: (APNsResponse) -> Value?
    ) async -> ChannelResult<Value> {
        do {
            return try await self.requests.send(request).answer(read)
        } catch let loss as RequestLoss {
            let code: ChannelRequestError.Code = loss.wasSent ? .lost : .unreachable
            return .failed(ChannelRequestError(code: code, message: loss.message))
        } catch let error as APNsClientError {
            return .failed(ChannelRequestError(code: .badCredential, message: error.description))
        } catch {
            return .failed(ChannelRequestError(code: .unreachable, message: "\(error)"))
        }
    }
}
