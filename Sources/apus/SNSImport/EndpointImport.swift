// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import Foundation
import PushModel
import PushStore
import SNSProtocol

/// Copies the endpoints of one container.
struct EndpointImport {
    private struct Entry {
        var installation: DeviceID
        var copy: EndpointSnapshot

        /// The data of the device that a registration keeps; empty for none.
        var knownData = ""
    }

    let container: EndpointContainer
    let store: any PushStore

    /// Whether nothing is stored.
    let isDryRun: Bool

    /// The result since it was last taken.
    var report = SNSImport.Report()

    /// The endpoints of the source.
    private var listed: Set<DeviceID> = []

    init(_ container: EndpointContainer, store: any PushStore, isDryRun: Bool) {
        self.container = container
        self.store = store
        self.isDryRun = isDryRun
    }

    /// Copies a page of `ListEndpointsByPlatformApplication`.
    mutating func copy(_ page: XMLElement) async throws {
        var entries: [Entry] = []
        for element in page.members(of: "Endpoints") {
            let (arn, attributes) = (element["EndpointArn"]?.text ?? "", element.map("Attributes"))
            guard let installation = SNSImport.installation(ofEndpoint: arn),
                let token = try? DeviceToken(hex: attributes["Token"] ?? "")
            else {
                self.report.note("\(arn): it has no token of Apple's")
                continue
            }
            self.listed.insert(installation)
            let copy = EndpointSnapshot(
                token: token,
                isEnabled: attributes["Enabled"]?.lowercased() != "false",
                userData: attributes["CustomUserData"] ?? ""
            )
            // A token has one device: of several endpoints with the same one the last stays, also where it is here
            // already.
            entries.removeAll { $0.copy.token == token }
            let entry = Entry(installation: installation, copy: copy)
            if let changed = try await self.changed(entry) { entries.append(changed) }
        }
        try await self.write(entries)
    }

    /// Returns the endpoint to store; `nil` if the store has it unchanged, or it no longer exists at the source.
    private mutating func changed(_ entry: Entry) async throws -> Entry? {
        guard let device = try await self.store.device(entry.installation, of: self.container.app) else { return entry }
        guard device.environment == self.container.environment, device.container == self.container.name,
            DeviceRegistration.isCopy(device.registeredAt)
        else {
            self.report.newerEndpoints += 1
            return nil
        }
        let here = EndpointSnapshot(device)
        guard here.mark == device.registeredAt else {
            self.report.changedEndpoints += 1
            return nil
        }
        guard here != entry.copy else {
            self.report.endpoints += 1
            return nil
        }
        var entry = entry
        entry.knownData = here.userData
        return entry
    }

    private mutating func write(_ entries: [Entry]) async throws {
        guard !entries.isEmpty else { return }
        guard !self.isDryRun else { return self.report.endpoints += entries.count }
        // First store them as a registration does, with a mark: after an interruption, the next import continues.
        let registrations = entries.map { entry in
            var registration = DeviceRegistration(
                app: self.container.app,
                installation: entry.installation,
                token: entry.copy.token,
                environment: self.container.environment,
                registeredAt: EndpointSnapshot(token: entry.copy.token, userData: entry.knownData).mark
            )
            registration.container = self.container.name
            return registration
        }
        let stored = try await self.store.register(registrations, now: Date())
        self.report.endpoints += stored
        self.report.newerEndpoints += registrations.count - stored
        for entry in entries
        where entry.copy != EndpointSnapshot(token: entry.copy.token, userData: entry.knownData) {
            let change = EndpointUpdate(
                isEnabled: entry.copy.isEnabled,
                userData: entry.copy.userData,
                copiedAt: entry.copy.mark
            )
            _ = try await self.store.changeEndpoint(
                entry.installation,
                in: self.container,
                by: change,
                now: Date()
            )
        }
    }

    /// Adds notes about copied endpoints that no longer exist at the source, after all of it was read.
    mutating func noteGone() async throws {
        var cursor: Int64?
        repeat {
            let page = try await self.store.endpoints(in: self.container, after: cursor, limit: 1000)
            for device in page.elements
            where DeviceRegistration.isCopy(device.registeredAt) && !self.listed.contains(device.installation) {
                self.report.goneEndpoints += 1
                self.report.note(
                    "\(self.container.app): the endpoint \(device.installation) no longer exists at the source, and is kept here"
                )
            }
            cursor = page.next
        } while cursor != nil
    }
}

/// The data of an endpoint in SNS: as the source has it, or as the device is stored here.
struct EndpointSnapshot: Hashable {
    var token: DeviceToken
    var isEnabled: Bool

    /// Empty for nothing.
    var userData: String

    init(token: DeviceToken, isEnabled: Bool = true, userData: String = "") {
        self.token = token
        self.isEnabled = isEnabled
        self.userData = userData
    }

    init(_ device: Device) {
        self.init(token: device.token, isEnabled: device.status.isEnabled, userData: device.userData ?? "")
    }

    /// The registration time of a device that was copied with these values.
    ///
    /// SNS returns no times. The mark is one of the times that mean "none"; the copied values determine which one. So a
    /// device whose time differs from the mark of its own copy was changed, or disabled, after the copy.
    var mark: Date {
        var hash = SHA256()
        hash.update(data: [UInt8(self.token.bytes.count)] + self.token.bytes + [self.isEnabled ? 1 : 0])
        hash.update(data: Array(self.userData.utf8))
        let number = hash.finalize().prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return Date(millisecondsSince1970: number % DeviceRegistration.copyTimes.upperBound)
    }
}
