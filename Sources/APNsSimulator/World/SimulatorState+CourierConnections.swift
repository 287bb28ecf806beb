// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The identities of devices, and their connections to the courier port.
extension SimulatorState {
    // MARK: Activation

    /// Gives a device an identity with this certificate, which replaces the one before.
    mutating func activate(_ device: DeviceIndex, certificate: String, now: Double) {
        self.giveState(device)
        self.endCourierSession(of: device, because: .revoked, now: now)
        self.couriers[device] = DeviceIdentity(certificate: certificate)
    }

    /// Revokes the activation of a device: it goes offline, cannot connect and gets no tokens.
    ///
    /// - Returns: whether it was activated.
    mutating func revokeActivation(of device: DeviceIndex, now: Double) -> Bool {
        guard self.couriers.isActivated(device) else { return false }
        self.endCourierSession(of: device, because: .revoked, now: now)
        self.setOnline(false, device: device, now: now)
        self.couriers[device] = DeviceIdentity(isRevoked: true)
        return true
    }

    // MARK: Connections

    /// Connects a device; ends its other connection, depending on the switch.
    ///
    /// - Throws: why the certificate or the connection is refused.
    mutating func connectCourier(
        _ certificate: DeviceCertificate,
        session id: UInt64,
        now: Double
    ) throws(CourierEnd) -> (device: DeviceIndex, welcome: CourierReply) {
        guard let device = self.devices.index(of: certificate.device), let identity = self.couriers[device] else {
            throw .unknownDevice
        }
        guard identity.certificate == certificate.fingerprint else { throw .revoked }
        if identity.session != nil {
            guard self.switches.courier.duplicateConnection == .closeFirst else { throw .duplicate }
            self.endCourierSession(of: device, because: .replaced, now: now)
        }
        self.couriers[device]?.session = CourierSession(id: id, heardAt: now)
        self.planCourierCheck(device)
        self.setOnline(true, device: device, now: now)
        let options = self.switches.courier
        let welcome = CourierReply.welcome(
            device: certificate.device,
            environment: self.devices[device].isProduction ? .production : .sandbox,
            interval: options.keepAliveInterval,
            timeout: options.keepAliveTimeout
        )
        return (device, welcome)
    }

    /// Records that a connection is closed; one that has ended before changes nothing.
    mutating func disconnectCourier(_ device: DeviceIndex, session id: UInt64, now: Double) {
        guard self.couriers[device]?.session?.id == id else { return }
        self.endCourierSession(of: device, because: nil, now: now)
    }

    /// Ends the connection of a device, if there is one; with a reason the device is told.
    ///
    /// The device is offline afterwards, and an unconfirmed push is stored again.
    mutating func endCourierSession(of device: DeviceIndex, because end: CourierEnd?, now: Double) {
        guard let session = self.couriers[device]?.session else { return }
        self.couriers[device]?.session = nil
        if let end { self.events.add(CourierOutput(session: session.id, reply: .closing(end))) }
        if let push = session.push { self.takeBack(push.stored, of: device, now: now) }
        self.setOnline(false, device: device, now: now)
    }

    /// Ends all connections, which do not exist in the world of a document.
    mutating func endCourierSessions(now: Double) {
        for device in self.couriers.devices { self.endCourierSession(of: device, because: nil, now: now) }
    }

    // MARK: Messages

    /// Executes a message of a device; the messages of a connection that has ended are ignored.
    ///
    /// The response is among the messages to the connection, before the pushes that follow from it.
    mutating func handle(_ request: CourierRequest, from device: DeviceIndex, session id: UInt64, now: Double) {
        guard self.couriers[device]?.session?.id == id else { return }
        _ = self.couriers.withSession(of: device) { $0.heardAt = now }
        do throws(CourierProblem) {
            switch request {
            case .ping: self.events.add(CourierOutput(session: id, reply: .pong))
            case .token(let topic, let presented):
                let token = try self.courierToken(topic, presented: presented, device: device, now: now)
                self.events.add(CourierOutput(session: id, reply: .token(topic: topic, token: token)))
            case .filter(let topics):
                _ = self.couriers.withSession(of: device) { $0.topics = Set(topics) }
                self.events.add(CourierOutput(session: id, reply: .filter(topics: topics)))
                self.flush(device, isAwake: false, now: now)
            case .confirm(let apnsID): try self.confirm(apnsID, by: device, now: now)
            }
        } catch {
            self.events.add(CourierOutput(session: id, reply: .error(error)))
        }
    }

    private mutating func courierToken(
        _ topic: String,
        presented: DeviceToken?,
        device: DeviceIndex,
        now: Double
    ) throws(CourierProblem) -> String {
        if let presented {
            guard let index = self.registration(of: TokenKey(bytes: presented.bytes)), self.owner(of: index) == device
            else { throw .foreignToken }
        }
        if self.activeToken(for: topic, of: device) == nil {
            let count = self.devices.state(device)?.apps.reduce(0) { $0 + $1.registrations.count } ?? 0
            guard count < CourierRequest.maximumTopics else { throw .tooManyTopics }
            self.install(topic, on: device, now: now)
        }
        return self.activeToken(for: topic, of: device).map { Hex.text(self.token(of: $0).bytes) } ?? ""
    }

    /// The device of a token, if it has a row.
    private func owner(of index: RegistrationIndex) -> DeviceIndex? {
        guard let number = index.populationNumber else { return self.registrations[index].device }
        return self.population?.row(of: number)
    }

    // MARK: Pushes

    /// Sends a push over the connection of a device; it arrives when the device confirms it.
    ///
    /// - Returns: whether the device has a connection.
    mutating func sendByCourier(
        _ record: NotificationRecord,
        to device: DeviceIndex,
        registration: RegistrationIndex,
        now: Double
    ) -> Bool {
        let confirmBy = now + self.switches.courier.confirmationTimeout
        let stored = StoredNotification(record: record, registration: registration)
        let session = self.couriers.withSession(of: device) { session in
            session.push = CourierSession.Push(stored: stored, confirmBy: confirmBy)
            return session.id
        }
        guard let session else { return false }
        let push = CourierReply.push(
            topic: self.topics[record.topic].name,
            token: Hex.text(self.token(of: registration).bytes),
            self.describe(record, receivedAt: now)
        )
        self.events.add(CourierOutput(session: session, reply: push))
        self.planCourierCheck(device)
        return true
    }

    private mutating func confirm(_ apnsID: APNsID, by device: DeviceIndex, now: Double) throws(CourierProblem) {
        let push: CourierSession.Push? =
            self.couriers.withSession(of: device) { session in
                guard session.push?.stored.record.apnsID == apnsID else { return nil }
                defer { session.push = nil }
                return session.push
            } ?? nil
        guard let push else { throw .notInFlight }
        self.arrive(push.stored.record, at: device, registration: push.stored.registration, now: now)
        // A device that saves power was awake for this push.
        self.flush(device, isAwake: true, now: now)
    }

    // MARK: Time

    /// Ends the connection of a device that was silent for too long, or has not confirmed a push in time.
    mutating func checkCourier(_ device: DeviceIndex, now: Double) {
        // Another entry may have done this one's work.
        guard let session = self.couriers[device]?.session, let planned = session.checkPlannedAt, planned <= now else {
            return
        }
        _ = self.couriers.withSession(of: device) { $0.checkPlannedAt = nil }
        if let push = session.push, push.confirmBy <= now {
            return self.endCourierSession(of: device, because: .confirmationTimeout, now: now)
        }
        if let due = self.keepAliveDue(session), due <= now {
            return self.endCourierSession(of: device, because: .keepAliveTimeout, now: now)
        }
        self.planCourierCheck(device)
    }

    private func keepAliveDue(_ session: CourierSession) -> Double? {
        let options = self.switches.courier
        return options.keepAliveTimeout.map { session.heardAt + options.keepAliveInterval + $0 }
    }

    /// Schedules a check for the earliest time at which the connection can end, unless one is scheduled before it.
    private mutating func planCourierCheck(_ device: DeviceIndex) {
        guard let session = self.couriers[device]?.session,
            let due = [session.push?.confirmBy, self.keepAliveDue(session)].compactMap({ $0 }).min(),
            due < session.checkPlannedAt ?? .infinity
        else { return }
        _ = self.couriers.withSession(of: device) { $0.checkPlannedAt = due }
        self.timeline.schedule(.device(DeviceTimerEvent(device: device, kind: .courierCheck)), at: due)
    }
}
