// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The platform applications and endpoints of the SNS endpoint: names for apps, and devices.
public protocol PlatformStore: Sendable {
    /// Creates a platform application and, if there is none, its app, in one transaction.
    ///
    /// A known application keeps its endpoints; its attributes are set and its credential is replaced. A new one gets
    /// the container of the app's own devices if no other application of the app and environment has it, and if there
    /// are no endpoints of a former application of this name.
    /// - Throws: ``StoreError`` `.conflict` if there is one of that name for another app or environment.
    @discardableResult
    func putApplication(_ application: PlatformApplication, credential: Credential) async throws -> PlatformApplication

    func application(_ name: PlatformApplication.Name) async throws -> PlatformApplication?

    /// The platform applications of an app, or of all if it is `nil`, in the order of their names.
    func applications(
        of app: AppID?,
        after cursor: PlatformApplication.Name?,
        limit: Int
    ) async throws -> Page<PlatformApplication, PlatformApplication.Name>

    /// Sets attributes, where an empty value removes one, and replaces the credential if one is given.
    func changeApplication(
        _ name: PlatformApplication.Name,
        attributes: [String: String],
        credential: Credential?
    ) async throws -> PlatformApplication?

    /// Removes a platform application and its credential. The app stays, with its devices and the endpoints.
    @discardableResult
    func removeApplication(_ name: PlatformApplication.Name) async throws -> PlatformApplication?

    /// Adds a device, unless one of the container has the token.
    func addEndpoint(_ draft: NewEndpoint, now: Date) async throws -> (device: Device, isNew: Bool)

    /// A platform application, with its endpoint of that ID if there is one.
    func endpoint(
        _ installation: DeviceID,
        of name: PlatformApplication.Name
    ) async throws -> (application: PlatformApplication, endpoint: PlatformEndpoint?)?

    /// Changes a device, and removes another one of the container that has its new token.
    func changeEndpoint(
        _ installation: DeviceID,
        in container: EndpointContainer,
        by change: EndpointUpdate,
        now: Date
    ) async throws -> Device?

    /// Removes a device for good. Its subscriptions stay, without a device that receives messages.
    @discardableResult
    func removeEndpoint(
        _ installation: DeviceID,
        of application: PlatformApplication,
        now: Date
    ) async throws -> Bool

    /// The devices of a container in the order of their first registration, invalid ones included.
    func endpoints(
        in container: EndpointContainer,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<Device, Int64>
}

extension PlatformApplication.Name {
    package init(stored row: StoredRow) throws {
        self.init(platform: try row.string("platform"), text: try row.string("name"))
    }
}

extension PlatformApplication {
    package init(stored row: StoredRow) throws {
        self.init(
            name: try Name(stored: row),
            app: try row.identifier("app_id"),
            environment: APNsEnvironment(stored: try row.number("environment")),
            credential: try row.identifier("credential"),
            attributes: try StoredJSON.decodeTexts(row.string("attributes"), "platform application"),
            createdAt: try row.date("created_at")
        )
        self.container = try row.string("container")
    }

    /// Returns the replacement of `known`; throws `.conflict` if that is of another app or environment.
    package func replacing(_ known: PlatformApplication) throws -> PlatformApplication {
        guard known.app == self.app, known.environment == self.environment else {
            throw StoreError(
                code: .conflict,
                message: "There is a platform application '\(self.name)' for the app '\(known.app)', not '\(self.app)'."
            )
        }
        var application = known
        application.credential = self.credential
        application.set(self.attributes)
        return application
    }
}
