// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting

enum PlatformFixtures {
    /// The name of an application.
    static func name(_ text: String, platform: String = "APNS") -> PlatformApplication.Name {
        PlatformApplication.Name(platform: platform, text: text)
    }

    static func application(
        _ text: String,
        platform: String = "APNS",
        app: AppID = StoreFixtures.app,
        environment: APNsEnvironment = .production,
        credential: CredentialID = "credential",
        attributes: [String: String] = [:]
    ) -> PlatformApplication {
        PlatformApplication(
            name: self.name(text, platform: platform),
            app: app,
            environment: environment,
            credential: credential,
            attributes: attributes,
            createdAt: StoreFixtures.now
        )
    }

    static func credential(_ id: CredentialID, app: AppID = StoreFixtures.app) -> Credential {
        Credential(
            id: id,
            app: app,
            kind: .key(keyID: "ABCDE12345", teamID: "TEAM123456"),
            environments: [.production],
            secret: .sealed([1, 2, 3]),
            createdAt: StoreFixtures.now
        )
    }

    static func endpoint(
        _ installation: DeviceID,
        token number: Int,
        environment: APNsEnvironment = .production,
        isEnabled: Bool = true,
        userData: String? = nil,
        container: String = ""
    ) throws -> NewEndpoint {
        NewEndpoint(
            container: EndpointContainer(app: StoreFixtures.app, environment: environment, name: container),
            installation: installation,
            token: try StoreFixtures.token(number),
            isEnabled: isEnabled,
            userData: userData
        )
    }
}

extension PlatformStore {
    /// Changes a production device of the sample app, five seconds after the others.
    func change(_ installation: DeviceID, by change: EndpointUpdate) async throws -> Device? {
        try await self.changeEndpoint(
            installation,
            in: EndpointContainer(app: StoreFixtures.app, environment: .production),
            by: change,
            now: StoreFixtures.after(5)
        )
    }
}
