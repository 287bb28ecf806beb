// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The connections of devices to the courier port.
///
/// Apple does not document the protocol between devices and APNs, its intervals, or these edge cases.
public struct CourierOptions: Sendable, Hashable {
    /// The longest time that a device lets pass between two messages; the welcome message has it.
    ///
    /// Unit: seconds of simulated time. Default: 900.
    public var keepAliveInterval: Double = 900
    /// The time after ``keepAliveInterval`` without a message at which the connection is closed; `nil`: never.
    ///
    /// Unit: seconds of simulated time. Default: 60.
    public var keepAliveTimeout: Double? = 60
    /// The time that a device has to confirm a push before its connection is closed.
    ///
    /// Unit: seconds of simulated time. Default: 30.
    public var confirmationTimeout: Double = 30
    /// How a second connection of the same identity is handled.
    ///
    /// Default: it closes the first.
    public var duplicateConnection: DuplicateConnectionPolicy = .closeFirst
    /// What happens to a push whose connection ended before the device confirmed it.
    ///
    /// Default: stored again, so that it can arrive twice.
    public var unconfirmedPush: UndeliveredPushPolicy = .store
    /// What happens to a push for a topic that the device's filter does not enable.
    ///
    /// Default: stored, until the device enables the topic.
    public var disabledTopic: UndeliveredPushPolicy = .store
    /// How many connections may be open at once; further ones are closed at once.
    ///
    /// Default: 10,000.
    public var maximumConnections = 10_000

    /// Creates switches in their default positions.
    public init() {}
}

extension CourierOptions {
    /// The group's part of the catalogue; names begin with `courier.`.
    static let catalogue: [SimulatorOption] = [
        .number(
            "courier.keepAliveInterval",
            \.courier.keepAliveInterval,
            0.001...86_400,
            "longest seconds between two messages of a device"
        ),
        .optionalNumber(
            "courier.keepAliveTimeout",
            \.courier.keepAliveTimeout,
            0.001...86_400,
            "seconds after the interval until the connection of a silent device is closed"
        ),
        .number(
            "courier.confirmationTimeout",
            \.courier.confirmationTimeout,
            0.001...86_400,
            "seconds that a device has to confirm a push"
        ),
        .position(
            "courier.duplicateConnection",
            \.courier.duplicateConnection,
            "which of two connections of the same device is closed"
        ),
        .position(
            "courier.unconfirmedPush",
            \.courier.unconfirmedPush,
            "push whose connection ended before the device confirmed it"
        ),
        .position(
            "courier.disabledTopic",
            \.courier.disabledTopic,
            "push for a topic that the device's filter does not enable"
        ),
        .integer(
            "courier.maximumConnections",
            \.courier.maximumConnections,
            1...1_000_000,
            "connections of devices that may be open at once"
        ),
    ]
}

/// Which of two connections of the same device is closed.
public enum DuplicateConnectionPolicy: String, Sendable, Hashable, CaseIterable {
    /// The second connection closes the first.
    case closeFirst
    /// The second connection is refused.
    case refuseSecond
}

/// What happens to a push that cannot be handed to a connected device.
public enum UndeliveredPushPolicy: String, Sendable, Hashable, CaseIterable {
    /// It is stored, under the rules for devices that are offline.
    case store
    /// It is discarded.
    case discard
}
