// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import ApusKit

@Suite("An installation", .timeLimit(.minutes(20)))
struct RegistrationTests {
    @Test("what comes before the kit is started waits for it, in its order")
    func early() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let apus = Apus()
            apus.register(deviceToken: Data([1]))
            apus.register(deviceToken: Data([2]))
            try apus.setUser("ann")
            apus.start(server.configuration(in: directory))
            try await server.wait("the user") { server.received.last?.body.contains("ann") == true }
            #expect(server.received.last?.body.contains(#""token":"02""#) == true)
            await apus.stop()
        }
    }

    @Test("keeps its id and what it was told from launch to launch, and is told at each")
    func launches() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            for launch in 1...2 {
                let apus = Apus()
                apus.start(server.configuration(in: directory))
                if launch == 1 {
                    try apus.setUser("ann")
                    try apus.subscribe(to: "news")
                    try apus.subscribe(to: "sport")
                    apus.unsubscribe(from: "sport")
                }
                apus.register(deviceToken: Data([1]))
                try await server.wait("the upload") { server.log.filter { $0.contains("has it") }.count == launch }
                // The same token again is told again: it is how the server knows that the app is there.
                await apus.stop()
            }
            #expect(Set(server.received.map(\.path)).count == 1)
            let secrets = Set(server.secrets)
            #expect(secrets.count == 1, "the secret of the installation")
            #expect(secrets.first?.utf8.count == 43)
            #expect(server.received[0].body == server.received[1].body)
            let body = try #require(
                try JSONSerialization.jsonObject(with: Data(server.received[1].body.utf8)) as? [String: Any]
            )
            #expect(body["userID"] as? String == "ann")
            #expect(body["topics"] as? [String] == ["news"])
            #expect(body["environment"] as? String == "sandbox")
            #expect(body["timeZone"] as? String == TimeZone.current.identifier)
        }
    }

    @Test(
        "takes another id if the server knows the old one by another secret, and tells its activities again",
        arguments: ["installation_secret_mismatch", "installation_not_bound"]
    )
    func foreign(code: String) async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.answer([UploadResponse(status: 403, problem: code)])
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.register(deviceToken: Data([1]))
            apus.tell(ActivityUpload(subject: .start(attributesType: "T"), token: "0a", issuedAt: Date()))
            try await server.wait("the other id") {
                let devices = server.received.map(\.path).filter { $0.contains("/devices/") }
                let ids = devices.map { $0.split(separator: "/")[5] }
                return Set(ids).count == 2 && devices.last?.hasSuffix("/start-tokens/T") == true
                    && ids.last == ids.dropLast().last
            }
            #expect(Set(server.secrets).count == 1)
            await apus.stop()
        }
    }

    @Test("a token that comes before its device, or before the backend has named it, is told again")
    func early404() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.answer([
                UploadResponse(status: 404, problem: "device_not_found"),
                UploadResponse(status: 403, problem: "activity_not_joinable"),
            ])
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.tell(ActivityUpload(subject: .start(attributesType: "T"), token: "0a", issuedAt: Date()))
            try await server.wait("the first refusal") { server.received.count == 1 && server.sleepers == 1 }
            server.advance(by: 2)
            try await server.wait("the second refusal") { server.received.count == 2 && server.sleepers == 1 }
            server.advance(by: 4)
            try await server.wait("the upload") { server.log.contains { $0.contains("has it") } }
            await apus.stop()
        }
    }

    @Test("is told with the permission of before where a launch does not ask for it, as after a push")
    func permission() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            for launch in 1...2 {
                let apus = Apus()
                apus.start(server.configuration(in: directory))
                if launch == 1 { apus.permissionChanged("authorized") }
                apus.register(deviceToken: Data([1]))
                try await server.wait("the upload") { server.log.filter { $0.contains("has it") }.count == launch }
                await apus.stop()
            }
            #expect(server.received.count == 2)
            #expect(server.received.allSatisfy { $0.body.contains(#""permission":"authorized""#) })
        }
    }

    @Test("what is too many is left out, so that the server takes the rest")
    func tooMany() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            for number in 0...63 { try apus.setTag("t\(number)", "1") }
            try apus.setTag("t0", "2")
            for number in 0...256 { try apus.subscribe(to: "topic\(number)") }
            apus.register(deviceToken: Data([1]))
            try await server.wait("the upload") { server.received.count == 1 }
            let body = try #require(
                try JSONSerialization.jsonObject(with: Data(server.received[0].body.utf8)) as? [String: Any]
            )
            let tags = try #require(body["tags"] as? [String: String])
            #expect(tags.count == 63)
            #expect(tags["t0"] == "2")
            #expect(tags["t63"] == nil)
            #expect((body["topics"] as? [String])?.count == 256)
            #expect(server.log.contains { $0.contains("the tag t63 is left out") })
            #expect(server.log.contains { $0.contains("the topic topic256 is left out") })
            await apus.stop()
        }
    }

    @Test("a phone that keeps its files from a launch by a push is the same installation when it is unlocked")
    func locked() async throws {
        try await withDirectory { directory in
            let (server, files) = (ScriptedServer(), FileManager.default)
            let first = Apus()
            first.start(server.configuration(in: directory))
            first.register(deviceToken: Data([1]))
            try await server.wait("the upload") { server.log.contains { $0.contains("has it") } }
            server.answer(Array(repeating: nil, count: 20))
            first.tell(ActivityUpload(subject: .activity("ride"), token: "0a", issuedAt: Date()))
            try await server.wait("the failure") { server.log.contains { $0.contains("activity ride: no answer") } }
            await first.stop()
            // A link to a directory in the place of a file is there and cannot be read, whoever one is.
            let names = ["installation.json", "uploads.json"].map { directory.appendingPathComponent($0) }
            for file in names {
                try files.moveItem(at: file, to: file.appendingPathExtension("away"))
                try files.createSymbolicLink(at: file, withDestinationURL: directory)
            }
            server.answer([])
            let count = server.received.count
            let second = Apus()
            second.start(server.configuration(in: directory))
            second.register(deviceToken: Data([2]))
            try second.setUser("ann")
            try await server.wait("the word") { server.log.contains { $0.contains("not unlocked since its start") } }
            #expect(server.received.count == count)
            for file in names {
                // In one step: there is no moment without a file.
                try #require(rename(file.appendingPathExtension("away").path, file.path) == 0)
            }
            second.becameActive()
            try await server.wait("all of it") {
                let received = server.received.dropFirst(count)
                return received.contains { $0.body.contains("ann") } && received.contains { $0.path.contains("/ride/") }
            }
            let paths = server.received.map(\.path).filter { $0.contains("/devices/") }
            #expect(Set(paths).count == 1)
            #expect(server.received.last { $0.path.contains("/devices/") }?.body.contains(#""token":"02""#) == true)
            await second.stop()
        }
    }

    @Test("what cannot be read on a phone that is unlocked begins anew")
    func unreadable() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let file = directory.appendingPathComponent("installation.json")
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.register(deviceToken: Data([1]))
            apus.becameActive()
            try await server.wait("the upload") { server.log.contains { $0.contains("has it") } }
            #expect(server.log.contains { $0.contains("the installation on disk is corrupt") })
            #expect(server.log.filter { $0.contains("the installation cannot be written") }.count == 1)
            await apus.stop()
        }
    }

    @Test("unregistering removes it from the server, until there is a token again")
    func unregister() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.register(deviceToken: Data([1]))
            try await server.wait("the upload") { server.received.count == 1 }
            apus.unregister()
            try await server.wait("the removal") { server.received.last?.method == "DELETE" }
            try apus.setTag("plan", "gold")
            apus.register(deviceToken: Data([1]))
            try await server.wait("the return") { server.received.last?.method == "PUT" }
            #expect(server.received.count == 3)
            #expect(server.received[2].body.contains("gold"))
            await apus.stop()
        }
    }

    @Test("unregistered, it uploads no token of an activity; when it is back the newest are told again")
    func unregisteredTokens() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            apus.register(deviceToken: Data([1]))
            try await server.wait("the upload") { server.log.contains { $0.contains("device: the server has it") } }
            // What waits when the app unregisters gives way, except the word that an activity is over.
            server.answer([UploadResponse(status: 503)])
            func tell(_ name: String, _ token: String) {
                apus.tell(ActivityUpload(subject: .activity(name), token: token, issuedAt: Date()))
            }
            tell("a", "0a")
            try await server.wait("the pause") { server.sleepers == 1 }
            apus.tell(ActivityUpload(subject: .start(attributesType: "Ride"), token: "0b", issuedAt: Date()))
            tell("over", "0c")
            apus.tell(ActivityEndReport(name: "over", reason: .ended, time: Date()))
            apus.unregister()
            tell("a", "0d")
            // What is told is taken in its order: with the last of it in the log, all of it is.
            apus.registrationFailed(URLError(.unknown))
            try await server.wait("all of it") { server.log.contains { $0.contains("the system gives no token") } }
            try await server.wait("the removals") {
                server.advance(by: 1)
                return server.received.filter { $0.method == "DELETE" }.count == 2
            }
            #expect(server.received.dropFirst(2).map(\.method) == ["DELETE", "DELETE"])
            #expect(server.received[2].path.contains("/devices/") && server.received[3].path.contains("/over/"))
            apus.register(deviceToken: Data([1]))
            try await server.wait("the return") { server.log.filter { $0.contains("has it") }.count == 6 }
            let back = server.received.dropFirst(4)
            #expect(back.map(\.method) == ["PUT", "PUT", "PUT"] && back.first?.body.contains(#""token":"01""#) == true)
            #expect(back.contains { $0.path.contains("/a/") && $0.body.contains(#""token":"0d""#) })
            #expect(back.contains { $0.path.contains("/start-tokens/Ride") && $0.body.contains(#""token":"0b""#) })
            await apus.stop()
        }
    }

    @Test("that the system gives no token is said by the error's domain and code")
    func noToken() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let apus = Apus()
            apus.start(server.configuration(in: directory))
            let text = [NSLocalizedDescriptionKey: "of ann"]
            apus.registrationFailed(NSError(domain: NSCocoaErrorDomain, code: 3000, userInfo: text))
            try await server.wait("the word") {
                server.log.contains { $0.hasSuffix("no token: NSCocoaErrorDomain 3000") }
            }
            #expect(!server.log.contains { $0.contains("ann") })
            await apus.stop()
        }
    }

    @Test("inputs that the server would refuse are refused at once")
    func inputs() {
        let apus = Apus()
        #expect(throws: ApusInputError.self) { try apus.setUser("") }
        #expect(throws: ApusInputError.self) { try apus.setTag("name", "two\nlines") }
        #expect(throws: ApusInputError.self) { try apus.subscribe(to: "bell\u{7}") }
        #expect(throws: ApusInputError.self) { try apus.setTag(String(repeating: "a", count: 65), "1") }
        #expect(throws: ApusInputError.self) { try apus.setTag("permission", "1") }
        #expect(throws: ApusInputError.self) { try apus.subscribe(to: String(repeating: "ä", count: 65)) }
        let error = #expect(throws: ApusInputError.self) { try apus.setTag("a", String(repeating: "b", count: 257)) }
        #expect(error?.description == "tag a: expected 0 to 256 bytes without control characters, got 257 bytes")
    }

    @Test("no work is done on the main thread, which may be held meanwhile: what is called there hands over")
    @MainActor
    func mainThread() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let apus = Apus()
            var configuration = server.configuration(in: directory)
            let (arrived, log) = (DispatchSemaphore(value: 0), configuration.log)
            configuration.log = { entry in
                log(entry)
                if entry.message.contains("the server has it") { arrived.signal() }
            }
            ScriptedServer.noteMainThread()
            apus.start(configuration)
            apus.register(deviceToken: Data([1]))
            try apus.setTag("a", "b")
            // Nothing else runs on this thread until the token is at the server and on disk what is to be there.
            self.hold(until: arrived)
            #expect(!server.wasOnMainThread)
            #expect(FileManager.default.fileExists(atPath: directory.appendingPathComponent("uploads.json").path))
            await apus.stop()
        }
    }

    /// Holds the thread.
    private func hold(until signal: DispatchSemaphore) {
        #expect(signal.wait(timeout: .now() + 60) == .success, "something waits for the main thread")
    }

    @Test("another locale or time zone is told, and nothing where they are the same")
    func surroundings() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let place = Locked(("en-US", "Europe/Berlin"))
            var configuration = server.configuration(in: directory)
            let center = configuration.notifications
            configuration.surroundings = {
                var surroundings = Installation.Surroundings()
                (surroundings.locale, surroundings.timeZone) = place.withLock { $0 }
                return surroundings
            }
            let apus = Apus()
            apus.start(configuration)
            apus.register(deviceToken: Data([1]))
            let names = [NSLocale.currentLocaleDidChangeNotification, Notification.Name.NSSystemTimeZoneDidChange]
            try await server.wait("the upload") { server.received.count == 1 }
            #expect(server.received[0].body.contains(#""locale":"en-US""#))
            place.withLock { $0.0 = "ja-JP" }
            center.post(name: names[0], object: nil)
            try await server.wait("the locale") { server.received.count == 2 }
            #expect(server.received[1].body.contains(#""locale":"ja-JP""#))
            for name in names { center.post(name: name, object: nil) }
            // What is told after it comes after it, or behind the device.
            apus.tell(ActivityUpload(subject: .start(attributesType: "Ride"), token: "0a", issuedAt: Date()))
            try await server.wait("what is told next") { server.received.last?.path.hasSuffix("/Ride") == true }
            #expect(server.received.count == 3)
            place.withLock { $0.1 = "Asia/Tokyo" }
            center.post(name: names[1], object: nil)
            try await server.wait("the time zone") { server.received.count == 4 }
            #expect(server.received[3].body.contains(#""timeZone":"Asia/Tokyo""#))
            await apus.stop()
        }
    }

    @Test("a registration that the server finds invalid is sent once more, without its time zone")
    func unknownTimeZone() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            let invalid = UploadResponse(status: 422, problem: "invalid_request")
            server.answer([invalid, nil, UploadResponse(status: 200), invalid, invalid])
            var configuration = server.configuration(in: directory)
            configuration.surroundings = {
                var surroundings = Installation.Surroundings()
                surroundings.timeZone = "Mars/Olympus"
                return surroundings
            }
            let apus = Apus()
            apus.start(configuration)
            apus.register(deviceToken: Data([1]))
            try await server.wait("the lost connection") { server.sleepers == 1 }
            try await server.wait("the upload") {
                server.advance(by: 60)
                return server.log.contains { $0.contains("has it") }
            }
            #expect(server.received.map { $0.body.contains("Mars/Olympus") } == [true, false, false])
            #expect(server.received.allSatisfy { $0.body.contains(#""token":"01""#) })
            apus.register(deviceToken: Data([2]))
            try await server.wait("the refusal") { server.log.contains { $0.contains("it is not tried again") } }
            #expect(server.received.map { $0.body.contains("Mars/Olympus") }.suffix(2) == [true, false])
            await apus.stop()
        }
    }

    @Test("a provisioning profile says the environment")
    func profile() {
        func profile(_ value: String) -> Data {
            let list = """
                <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>Entitlements</key><dict>
                <key>aps-environment</key><string>\(value)</string></dict></dict></plist>
                """
            return Data([0x30, 0x80, 0xFF]) + Data(list.utf8) + Data([0, 1, 2])
        }
        #expect(PushEnvironment(profile: profile("development")) == .sandbox)
        #expect(PushEnvironment(profile: profile("production")) == .production)
        #expect(PushEnvironment(profile: Data("no profile".utf8)) == nil)
    }
}
