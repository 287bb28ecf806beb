// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What the `:path` of a broadcast or of a channel management request names.
enum ChannelPath: Equatable {
    /// `/4/broadcasts/apps/<bundle id>`, on the provider port.
    case broadcast(bundleID: String)
    /// `/1/apps/<bundle id>/channels`, on the port of channel management.
    case channels(bundleID: String)
    /// `/1/apps/<bundle id>/all-channels`, on the port of channel management.
    case allChannels(bundleID: String)

    private static let broadcastPrefix: StaticString = "/4/broadcasts/apps/"

    /// Whether a path on the provider port is one for broadcasts: one look for all others.
    static func isBroadcast(_ path: UnsafeBufferPointer<UInt8>?) -> Bool {
        guard let path, path.count > 1, path[1] == UInt8(ascii: "4") else { return false }
        return path.hasPrefix(Self.broadcastPrefix)
    }

    /// Reads a path of either port; `nil` for one that is served at none.
    init?(_ path: UnsafeBufferPointer<UInt8>) {
        for service in [ProviderService.pushes, .channelManagement] {
            guard let read = ChannelPath(path, service: service) else { continue }
            self = read
            return
        }
        return nil
    }

    /// Reads a path of one of the two ports; `nil` for one that is not served there.
    init?(_ path: UnsafeBufferPointer<UInt8>, service: ProviderService) {
        let parts = String(decoding: path, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false)
        switch service {
        case .pushes:
            guard parts.count == 5, parts[0].isEmpty, parts[1...3] == ["4", "broadcasts", "apps"] else { return nil }
            self = .broadcast(bundleID: String(parts[4]))
        case .channelManagement:
            guard parts.count == 5, parts[0].isEmpty, parts[1...2] == ["1", "apps"] else { return nil }
            switch parts[4] {
            case "channels": self = .channels(bundleID: String(parts[3]))
            case "all-channels": self = .allChannels(bundleID: String(parts[3]))
            default: return nil
            }
        }
    }

    /// The app that it is about.
    var bundleID: String {
        switch self {
        case .broadcast(let bundleID), .channels(let bundleID), .allChannels(let bundleID): bundleID
        }
    }
}
