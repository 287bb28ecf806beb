// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One device of a file: a line in JSON, or a record of CSV put into the same form.
struct DeviceLine: Sendable {
    /// What an export says of a device and an import passes over.
    static let passedOver = ["app", "createdAt", "seenAt", "status"]

    static let members = ["installation"] + DeviceRequest.members + ["registeredAt"] + Self.passedOver

    let installation: InstallationID
    let device: DeviceRequest

    /// When the app registered the device; `nil` when the line does not say.
    let registeredAt: Date?

    /// Reads a line.
    ///
    /// - Throws: ``Problem`` with every fault of the line.
    init(_ json: [UInt8]) throws(Problem) {
        var installation: InstallationID?
        var registeredAt: Date?
        var draft = DeviceDraft()
        self = try JSONReader.read(json, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "installation": installation = try reader.value(path, InstallationID.init(validating:))
            case "registeredAt": registeredAt = try reader.value(path, Timestamp.parse)
            case _ where Self.passedOver.contains(member): try reader.skip()
            default: try draft.read(member, &reader, path)
            }
        } finish: { reader in
            let parts = (reader.require(installation, "installation"), draft.finish(&reader))
            guard case (let installation?, let device?) = parts else { return nil }
            return DeviceLine(installation: installation, device: device, registeredAt: registeredAt)
        }
    }

    private init(installation: InstallationID, device: DeviceRequest, registeredAt: Date?) {
        self.installation = installation
        self.device = device
        self.registeredAt = registeredAt
    }

    /// What the line says, as a registration that took place before now.
    ///
    /// A line that tells no time was registered nobody knows when: that counts as the beginning of 1970, so that APNs is
    /// believed whatever time it gives for the end of the token.
    func registration(of app: App, now: Date) -> DeviceRegistration {
        let earliest = Date(timeIntervalSince1970: 0)
        return DeviceRegistration(
            app: app.id,
            installation: self.installation,
            token: self.device.token,
            environment: self.device.environment ?? app.defaultEnvironment,
            profile: self.device.profile,
            registeredAt: min(max(self.registeredAt ?? earliest, earliest), now)
        )
    }
}
