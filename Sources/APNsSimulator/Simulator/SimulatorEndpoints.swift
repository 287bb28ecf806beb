// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The addresses and credentials of a running simulator.
public struct SimulatorEndpoints: Sendable, Hashable, Codable {
    /// The address that both ports are bound to.
    public var host: String
    /// The port of the provider API: HTTP/2 over TLS.
    public var port: Int
    /// The port of the control API: HTTP/1.1 in the clear.
    public var controlPort: Int
    /// The port of channel management: HTTP/2 over TLS.
    public var channelPort: Int
    /// The port of the legacy binary gateway, where there is one: TLS with a push certificate.
    public var gatewayPort: Int?
    /// The port of the legacy feedback service, where there is one: TLS with a push certificate.
    public var feedbackPort: Int?
    /// The port for devices, where there is one: TLS with a device certificate.
    public var courierPort: Int?
    /// Which of Apple's services the provider port plays.
    public var environment: APNsEnvironment
    /// The file with the root certificate, where one is written.
    public var caPath: String?
    /// The file with the demo key's private half, where one is written.
    public var keyPath: String?
    /// The demo key's identifier.
    public var keyID: String
    /// The demo key's team.
    public var teamID: String

    /// The line that says that the simulator is ready, without a line break.
    public var readyLine: String {
        var line =
            "apus simulate: ready; APNs \(self.environment) at https://localhost:\(self.port),"
            + " control and device wall at http://\(self.host):\(self.controlPort), key \(self.keyID) of team \(self.teamID)"
        line += ", channels at https://localhost:\(self.channelPort)"
        if let gatewayPort = self.gatewayPort { line += ", binary gateway at localhost:\(gatewayPort)" }
        if let feedbackPort = self.feedbackPort { line += ", feedback at localhost:\(feedbackPort)" }
        if let courierPort = self.courierPort { line += ", courier at localhost:\(courierPort)" }
        if let caPath = self.caPath { line += ", CA \(caPath)" }
        return line
    }
}
