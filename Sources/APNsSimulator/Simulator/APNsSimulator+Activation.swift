// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The activation of virtual devices, from Swift.
extension APNsSimulator {
    /// Issues a device certificate, with which the device can connect to the courier port.
    ///
    /// It replaces the certificate before, whose connection is closed. The device keeps its tokens.
    ///
    /// - Parameters:
    ///   - id: the device.
    ///   - lifetime: how long the certificate is valid. Default: 365 days; zero or less makes an expired one.
    /// - Returns: the certificate and its private key, which the simulator does not store.
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`; an error of the certificate's serializer.
    public func activateDevice(
        _ id: VirtualDeviceID,
        lifetime: Duration = .seconds(365 * 24 * 3600)
    ) throws -> IssuedCertificate {
        // No certificate is issued in the name of an unknown device.
        try self.withDevice(id) { _, _, _ in }
        let issued = try self.credentials.deviceAuthority.issueDevice(
            id,
            lifetime: Double(lifetime.components.seconds),
            now: self.configuration.clock.now()
        )
        let fingerprint = try issued.fingerprint
        try self.withDevice(id) { world, index, now in world.activate(index, certificate: fingerprint, now: now) }
        return issued
    }

    /// Revokes the activation of a device: its certificate is refused, it is offline, and it gets no tokens.
    ///
    /// The tokens that it has stay valid, so pushes to them are stored.
    ///
    /// - Returns: whether the device was activated.
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    @discardableResult
    public func revokeActivation(of id: VirtualDeviceID) throws(APNsSimulatorError) -> Bool {
        try self.withDevice(id) { world, index, now in world.revokeActivation(of: index, now: now) }
    }

    /// The activation of a device, and its connection to APNs.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    public func activation(of id: VirtualDeviceID) throws(APNsSimulatorError) -> DeviceActivation {
        try self.withDevice(id) { world, index, _ in
            let identity = world.couriers[index]
            return DeviceActivation(
                isActivated: world.couriers.isActivated(index),
                certificateSHA256: identity?.certificate,
                connection: identity?.session != nil ? .courier : world.isOnline(index) ? .simulated : nil,
                topics: identity?.session?.topics?.sorted()
            )
        }
    }

    /// Refuses what a device whose activation was revoked cannot do.
    func requireActivation(of id: VirtualDeviceID) throws(APNsSimulatorError) {
        let isActivated = try self.withDevice(id) { world, index, _ in world.couriers.isActivated(index) }
        guard isActivated else { throw .notActivated(id) }
    }
}

/// The identity of a device toward APNs, and its connection.
public struct DeviceActivation: Sendable, Hashable {
    /// What holds the connection of a device.
    public enum Connection: String, Sendable, Hashable {
        /// A program that is connected to the courier port with the certificate of the device.
        case courier
        /// The simulator itself.
        case simulated
    }

    /// Whether the device may connect and get tokens; `true` until the activation is revoked.
    public var isActivated: Bool
    /// SHA-256 of the valid certificate in DER, as hexadecimal digits; `nil` if none was issued.
    public var certificateSHA256: String?
    /// The connection; `nil` while the device is offline.
    public var connection: Connection?
    /// The topics that the filter of the courier connection enables; `nil` without a filter.
    public var topics: [String]?
}
