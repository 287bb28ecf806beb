// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@Suite("Hosts, ports and paths")
struct ServiceTests {
    @Test("each environment has its hosts, its aliases and its own channel management")
    func hosts() {
        #expect(APNsEnvironment.sandbox.host == "api.sandbox.push.apple.com")
        #expect(APNsEnvironment.production.host == "api.push.apple.com")
        #expect(APNsEnvironment.sandbox.hosts.contains("api.development.push.apple.com"))
        #expect(APNsEnvironment.sandbox.hosts.contains("api-broadcast.sandbox.push.apple.com"))
        #expect(APNsEnvironment.production.hosts == ["api.push.apple.com", "api-broadcast.push.apple.com"])
        for environment in APNsEnvironment.allCases { #expect(environment.hosts.first == environment.host) }
        #expect(APNsEnvironment.sandbox.channelManagementHost == "api-manage-broadcast.sandbox.push.apple.com")
        #expect(APNsEnvironment.sandbox.channelManagementPort == 2195)
        #expect(APNsEnvironment.production.channelManagementHost == "api-manage-broadcast.push.apple.com")
        #expect(APNsEnvironment.production.channelManagementPort == 2196)
    }

    @Test("the two environments share no host")
    func disjoint() {
        #expect(Set(APNsEnvironment.sandbox.hosts).isDisjoint(with: APNsEnvironment.production.hosts))
    }

    @Test("pushes go to port 443 or 2197")
    func ports() {
        #expect(APNsPort.standard == 443)
        #expect(APNsPort.alternate == 2197)
    }

    @Test("the app's entitlement names the environment")
    func entitlement() {
        for environment in APNsEnvironment.allCases {
            #expect(APNsEnvironment(entitlement: environment.entitlement) == environment)
        }
        #expect(APNsEnvironment(entitlement: "development") == .sandbox)
        #expect(APNsEnvironment(entitlement: "Production") == nil)
    }

    @Test("paths are Apple's")
    func paths() throws {
        #expect(APNsPath.device(try DeviceToken(hex: "0AFF")) == "/3/device/0aff")
        #expect(APNsPath.broadcast(bundleID: "com.example.app") == "/4/broadcasts/apps/com.example.app")
        #expect(APNsPath.channels(bundleID: "com.example.app") == "/1/apps/com.example.app/channels")
        #expect(APNsPath.allChannels(bundleID: "com.example.app") == "/1/apps/com.example.app/all-channels")
    }
}
