// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
package import PushModel
import PushStore
package import SNSProtocol

/// The operations on endpoints: the devices of an application.
struct SNSPlatformEndpointHandler: Sendable {
    let directory: SNSResourceResolver
    let pages: SNSPagination
    let now: @Sendable () -> Date

    private var store: any PlatformStore { self.directory.store }

    /// `CreatePlatformEndpoint`, which finds the device that has the token where there is one.
    func create(
        _ attributes: EndpointAttributes,
        of arn: ApplicationARN,
        _ caller: SNSPrincipal
    ) async throws -> SNSResult {
        let action = SNSAction.createPlatformEndpoint
        let application = try await self.directory.requireApplication(arn, for: action, caller)
        guard let token = attributes.token else { throw SNSError.missing(["token"]) }
        let draft = NewEndpoint(
            container: application.endpoints,
            installation: DeviceID(unchecked: APNsID.random().description),
            token: token,
            isEnabled: attributes.isEnabled ?? true,
            userData: attributes.customUserData
        )
        let device: Device
        let isNew: Bool
        do {
            (device, isNew) = try await self.store.addEndpoint(draft, now: self.now())
        } catch let error as StoreError where error.code == .notFound {
            throw ApplicationAttributes.notFound
        }
        let description = try EndpointDescription(device, of: arn)
        if !isNew { try attributes.checkAgreement(with: description) }
        return .endpoint(description.endpoint)
    }

    func attributes(_ arn: EndpointARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        let action = SNSAction.getEndpointAttributes
        guard let (_, endpoint) = try await self.directory.endpoint(arn, for: action, caller) else {
            throw EndpointAttributes.notFound
        }
        let description = EndpointDescription(
            endpoint: arn,
            token: endpoint.target.token,
            isEnabled: endpoint.status.isEnabled,
            customUserData: endpoint.userData
        )
        return .attributes(action, description.attributes)
    }

    func set(_ attributes: EndpointAttributes, of arn: EndpointARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        let action = SNSAction.setEndpointAttributes
        guard let application = try await self.directory.application(arn.application, for: action, caller),
            let installation = arn.installation,
            try await self.store.changeEndpoint(
                installation,
                in: application.endpoints,
                by: EndpointUpdate(
                    token: attributes.token,
                    isEnabled: attributes.isEnabled,
                    userData: attributes.customUserData
                ),
                now: self.now()
            ) != nil
        else { throw EndpointAttributes.notFound }
        return .done(action)
    }

    /// `DeleteEndpoint`, which is done as well when there is none.
    func delete(_ arn: EndpointARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        let action = SNSAction.deleteEndpoint
        if let (application, endpoint) = try await self.directory.endpoint(arn, for: action, caller) {
            try await self.store.removeEndpoint(endpoint.installation, of: application, now: self.now())
        }
        return .done(action)
    }

    func list(_ arn: ApplicationARN, after token: String?, _ caller: SNSPrincipal) async throws -> SNSResult {
        let action = SNSAction.listEndpointsByPlatformApplication
        let application = try await self.directory.requireApplication(arn, for: action, caller)
        let list = "\(action.rawValue) \(arn)"
        let cursor = try self.pages.place(token, of: list) { Int64($0) }
        let page = try await self.store.endpoints(
            in: application.endpoints,
            after: cursor,
            limit: self.pages.size
        )
        let endpoints = try page.elements.map { try EndpointDescription($0, of: arn) }
        let next = page.next.map { self.pages.token(String($0), of: list) }
        return .endpoints(endpoints, nextToken: next)
    }
}

extension EndpointDescription {
    init(_ device: Device, of application: ApplicationARN) throws(SNSError) {
        self.init(
            endpoint: try EndpointARN(application: application, installation: device.installation),
            token: device.token,
            isEnabled: device.status.isEnabled,
            customUserData: device.userData
        )
    }
}

/// The id at the end of an endpoint's ARN is the device's installation; one with characters that an ARN has not is written in
/// Base64 behind a prefix.
extension EndpointARN {
    private static let prefix = "x--"

    init(application: ApplicationARN, installation: DeviceID) throws(SNSError) {
        guard let arn = EndpointARN(application: application, id: Self.id(of: installation)) else {
            throw SNSError(.internalError, "An installation of the store has no id that SNS allows.")
        }
        self = arn
    }

    private static func id(of installation: DeviceID) -> String {
        let text = installation.rawValue
        let isPlain = ResourceName.isEndpointIdentifier(text) && !text.hasPrefix(Self.prefix)
        return isPlain ? text : Self.prefix + Self.base64(text)
    }

    /// The installation; `nil` for an id that no device can have.
    ///
    /// A device has one id only, because policies of keys compare ids.
    package var installation: DeviceID? {
        guard self.id.hasPrefix(Self.prefix) else { return DeviceID(rawValue: self.id) }
        let text = self.id.dropFirst(Self.prefix.count).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding), let name = String(validating: data, as: UTF8.self) else {
            return nil
        }
        return DeviceID(rawValue: name).flatMap { Self.id(of: $0) == self.id ? $0 : nil }
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
