// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// The tokens of an app that APNs reported as unregistered, in the form of apns-proxy-server's feedback.
///
/// They are those of invalid devices, and those of failed targets, since the tokens of this protocol belong to no
/// registered device.
struct ProxyFeedback: Sendable {
    private static let pageSize = 1000

    let store: any DeviceStore & NotificationStore

    /// How many tokens a response has at most.
    let limit: Int

    /// Reads the `appid` of a request.
    static func application(in json: [UInt8]) throws(ProxyFault) -> String {
        let application: String?
        do {
            guard case .string(let text)? = try JSONValue(json: json)["appid"] else {
                throw ProxyFault(.invalid, "appid: expected a string")
            }
            application = text
        } catch let fault as ProxyFault {
            throw fault
        } catch {
            throw ProxyFault(.malformed, "expected a JSON object after the command byte")
        }
        guard let application, (1...256).contains(application.utf8.count), application.isStreamSafe else {
            throw ProxyFault(.invalid, "appid: expected a string of 1 to 256 bytes")
        }
        return application
    }

    /// Returns the tokens in the app's default environment as a JSON object, each with the time since which it is
    /// unregistered, in seconds since 1970.
    func response(of app: App) async throws -> [UInt8] {
        var times = try await self.failed(app)
        for (target, time) in try await self.invalidDevices(app) where times.count < self.limit {
            times[target] = max(time, times[target] ?? time)
        }
        var writer = JSONWriter(capacity: 80 * times.count + 2)
        writer.beginObject()
        for (target, time) in times {
            writer.key(target.token.hex)
            // Python's clients expect a number with a fraction.
            writer.raw("\(time.millisecondsSince1970 / 1000).0".utf8)
        }
        writer.endObject()
        return writer.bytes
    }

    private func invalidDevices(_ app: App) async throws -> [Target: Date] {
        var times: [Target: Date] = [:]
        var cursor: Int64?
        repeat {
            let page = try await self.store.devices(of: app.id, in: .invalid, after: cursor, limit: Self.pageSize)
            for device in page.elements where device.environment == app.defaultEnvironment {
                if case .invalid(_, let since) = device.status { times[device.target] = since }
            }
            cursor = page.next
        } while cursor != nil && times.count < self.limit
        return times
    }

    /// The latest failed targets, without those that a device has registered since.
    private func failed(_ app: App) async throws -> [Target: Date] {
        var times: [Target: Date] = [:]
        var cursor: APNsID?
        repeat {
            let page = try await self.store.unregisteredTargets(of: app.id, before: cursor, limit: Self.pageSize)
            let found = page.elements.filter { $0.target.environment == app.defaultEnvironment }
            let registered = try await self.store.registered(found.map(\.target), of: app.id)
            for outcome in found where !registered.contains(outcome.target) && times[outcome.target] == nil {
                times[outcome.target] = outcome.inactiveSince
            }
            cursor = page.next
        } while cursor != nil && times.count < self.limit
        return times
    }
}

extension TargetOutcome {
    /// Since when the token is unregistered: the time in the response of APNs, or that of the notification without one.
    fileprivate var inactiveSince: Date {
        guard case .rejected(let rejection) = self.outcome, let time = rejection.inactiveSince else {
            return BatchID.locate(self.apnsID).batch.createdAt
        }
        return Date(millisecondsSince1970: time)
    }
}
