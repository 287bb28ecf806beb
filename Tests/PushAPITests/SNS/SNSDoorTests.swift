// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import HTTPTypes
import Logging
import PushAPI
import PushModel
import SNSProtocol
import Testing

@Suite("The door of the SNS endpoint", .timeLimit(.minutes(20)))
struct SNSDoorTests {
    private static let list = "ListPlatformApplications"

    @Test("answers a signed request in XML, under an id that the header repeats")
    func signed() async throws {
        try await withAPI { api async throws in
            let answer = try await SNSClient(api).call(Self.list)
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "text/xml")
            #expect(answer.text.contains("<PlatformApplications/>"))
            let header = try #require(HTTPField.Name(SNSResponse.requestIDHeader))
            #expect(answer.headers[header] != nil)
            #expect(answer.headers[header] == answer["RequestId"])
        }
    }

    @Test("reads the parameters of a signed post in its query, in its form, or in both")
    func query() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let name = SNSClient.form(["Name": "news", "Version": "2010-03-31"])
            let topic = client.arn("news")
            let all = SNSClient.form(["Action": "CreateTopic", "Name": "news", "Version": "2010-03-31"])
            for (query, form) in [(all, ""), ("Action=CreateTopic", name), (name, "Action=CreateTopic")] {
                let answer = try await client.post(form, query: query)
                #expect(answer["TopicArn"] == topic, "\(answer.text)")
            }
            let twice = try await client.post("Action=ListTopics", query: "Action=CreateTopic")
            #expect(twice.code == "MalformedQueryString")
        }
    }

    @Test("ignores the session token of a client if the server is told to, and checks the signature all the same")
    func sessionToken() async throws {
        var setup = TestSetup()
        setup.configuration.sns.ignoresSessionToken = true
        try await withAPI(setup) { api async throws in
            var client = try await SNSClient(api)
            client.sessionToken = "FwoGZXIvYXdzEXAMPLE"
            #expect(try await client.call(Self.list).status == 200)
            client.secret += "x"
            #expect(try await client.call(Self.list).code == "SignatureDoesNotMatch")
        }
    }

    @Test("takes a presigned URL until it is over, at most 7 days after it was signed")
    func presigned() async throws {
        try await withAPI { api async throws in
            var client = try await SNSClient(api)
            let parameters = ["Action": Self.list, "Version": "2010-03-31"]
            #expect(try await client.presigned(parameters).status == 200)
            client.time -= 61
            let late = try await client.presigned(parameters)
            #expect(late.status == 403)
            #expect(late.code == "SignatureDoesNotMatch")
            #expect(late.message?.hasPrefix("Signature expired: ") == true)
            client.time = TestTime.start - 604_800
            #expect(try await client.presigned(parameters, lifetime: 604_800).status == 200)
            client.time = TestTime.start
            let long = try await client.presigned(parameters, lifetime: 604_801)
            #expect(long.code == "IncompleteSignature", "\(long.text)")
        }
    }

    @Test("refuses a presigned URL with a longer lifetime than the configuration allows, and takes one of exactly that")
    func shorterPresigned() async throws {
        var setup = TestSetup()
        setup.configuration.sns.maximumPresignedSeconds = 900
        try await withAPI(setup) { api async throws in
            let client = try await SNSClient(api)
            let parameters = ["Action": Self.list, "Version": "2010-03-31"]
            #expect(try await client.presigned(parameters, lifetime: 900).status == 200)
            let long = try await client.presigned(parameters, lifetime: 901)
            #expect(long.code == "IncompleteSignature", "\(long.text)")
            #expect(long.message?.contains("1...900 seconds") == true)
            // A signature in a header has no lifetime.
            #expect(try await client.call(Self.list).status == 200)
        }
    }

    @Test("refuses what is not signed, or not by the holder of a key, with AWS' codes")
    func refusals() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let form = "Action=\(Self.list)&Version=2010-03-31"
            let unsigned = try await client.send(.post, "/", [:], form)
            #expect(unsigned.status == 403)
            #expect(unsigned.code == "MissingAuthenticationToken")

            var other = client
            other.secret += "x"
            let wrong = try await other.call(Self.list)
            #expect(wrong.status == 403)
            #expect(wrong.code == "SignatureDoesNotMatch")

            let changed = try await client.post(form + "&NextToken=a", signing: form)
            #expect(changed.code == "SignatureDoesNotMatch")

            for id in ["APUS0123456789ABCDEF", "AKIAIOSFODNN7EXAMPLE", client.accessKeyID.lowercased()] {
                other = client
                other.accessKeyID = id
                let unknown = try await other.call(Self.list)
                #expect(unknown.status == 403)
                #expect(unknown.code == "InvalidClientTokenId")
                // What AWS says, and for what was not given out here what to do about it.
                let sentence = "The security token included in the request is invalid."
                #expect(unknown.message?.hasPrefix(sentence) == true)
                #expect((unknown.message == sentence) == (id == "APUS0123456789ABCDEF"), "\(id)")
            }

            other = client
            other.sessionToken = "FwoGZXIvYXdzEXAMPLE"
            let inSession = try await other.call(Self.list)
            #expect(inSession.code == "InvalidClientTokenId")
            #expect(inSession.message?.contains("remove AWS_SESSION_TOKEN from the environment") == true)
            #expect(!inSession.text.contains("FwoGZXIvYXdzEXAMPLE"))

            other = client
            other.service = "sqs"
            #expect(try await other.call(Self.list).code == "SignatureDoesNotMatch")

            let bearer: HTTPFields = [.authorization: "Bearer \(api.admin.text)"]
            let scheme = try await client.send(.post, "/", bearer, form)
            #expect(scheme.status == 400)
            #expect(scheme.code == "IncompleteSignature")
            #expect(!scheme.text.contains(api.admin.text))
        }
    }

    @Test("takes a clock that is off by 14 minutes, and not one that is off by 16", arguments: [-1.0, 1.0])
    func skew(direction: Double) async throws {
        try await withAPI { api async throws in
            var client = try await SNSClient(api)
            client.time = TestTime.start + direction * 14 * 60
            #expect(try await client.call(Self.list).status == 200)
            client.time = TestTime.start + direction * 16 * 60
            let answer = try await client.call(Self.list)
            #expect(answer.code == "SignatureDoesNotMatch")
            let beginning = direction < 0 ? "Signature expired: " : "Signature not yet current: "
            #expect(answer.message?.hasPrefix(beginning) == true)
        }
    }

    @Test("takes the same request again, as AWS does")
    func replay() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            #expect(try await client.call(Self.list).status == 200)
            #expect(try await client.call(Self.list).status == 200)
        }
    }

    @Test("refuses a key that was revoked, and one that was not made for it")
    func keys() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let id = client.accessKeyID.dropFirst(4).lowercased()
            #expect(try await api.call(.delete, "/v1/keys/\(id)").status == 204)
            #expect(try await client.call(Self.list).code == "InvalidClientTokenId")

            var plain = try await SNSClient(api)
            plain.accessKeyID = api.admin.id.accessKeyID
            #expect(try await plain.call(Self.list).code == "InvalidClientTokenId")
        }
    }

    @Test("lets a key do what its scopes allow")
    func scopes() async throws {
        try await withAPI { api async throws in
            let sender = try await SNSClient(api, scopes: #""send""#)
            let answer = try await sender.call("DeleteEndpoint", ["EndpointArn": sender.arn("endpoint/APNS/a/b")])
            #expect(answer.status == 403)
            #expect(answer.code == "AuthorizationError")
            #expect(
                answer.message
                    == "User: arn:aws:iam::000000000000:user/\(sender.accessKeyID) is not authorized to perform: "
                    + "SNS:DeleteEndpoint because it lacks the scope 'devices'"
            )
            #expect(try await sender.call(Self.list).status == 200)
        }
    }

    @Test("says of unknown operations, versions and forms what AWS says")
    func malformed() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            #expect(try await client.call("Nothing").code == "InvalidAction")
            #expect(try await client.post("Version=2010-03-31").code == "MissingAction")
            #expect(try await client.post("Action=\(Self.list)&Version=2000-01-01").code == "NoSuchVersion")
            let broken = try await client.post("Action=\(Self.list)&X=%4")
            #expect(broken.status == 404)
            #expect(broken.code == "MalformedQueryString")
            let hostile = try await client.call("<&\">\u{1}")
            #expect(hostile.code == "InvalidAction")
            #expect(hostile.text.contains("&lt;&amp;&quot;&gt;") && !hostile.text.contains("\u{1}"))
        }
    }

    @Test("refuses a body that no message of SNS has")
    func tooLarge() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let answer = try await client.post(String(repeating: "a", count: (1 << 20) + 1))
            #expect(answer.status == 413)
            #expect(answer.code == "RequestEntityTooLarge")
        }
    }

    @Test("takes a large body only of a key that is known")
    func unsignedBody() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            func form(_ length: Int) -> String {
                let start = "Action=Unsubscribe&Version=2010-03-31&SubscriptionArn=x&Other="
                return start + String(repeating: "a", count: length - start.count)
            }
            // As large as an operation without a signature may be, and one byte more.
            #expect(try await client.send(.post, "/", [:], form(16 << 10)).code == "InvalidParameter")
            let unsigned = try await client.send(.post, "/", [:], form((16 << 10) + 1))
            #expect(unsigned.status == 403)
            #expect(unsigned.code == "MissingAuthenticationToken")
            #expect(try await client.post(form((16 << 10) + 1)).code == "InvalidParameter")

            var other = client
            other.accessKeyID = "APUS0123456789ABCDEF"
            #expect(try await other.post(form(1 << 20)).code == "InvalidClientTokenId")
        }
    }

    @Test("is at the path, for the account and in the region that are configured")
    func configured() async throws {
        var setup = TestSetup()
        setup.configuration.sns.path = "/sns"
        setup.configuration.sns.region = "eu-central-1"
        try await withAPI(setup) { api async throws in
            var client = try await SNSClient(api)
            client.path = "/sns"
            client.region = "eu-central-1"
            #expect(try await client.call(Self.list).status == 200)
            client.path = "/"
            #expect(try await client.call(Self.list).status == 405)
            client.path = "/sns"
            client.region = "eu-west-1"
            let answer = try await client.call(Self.list)
            #expect(answer.code == "SignatureDoesNotMatch")
            #expect(answer.message == "Credential should be scoped to a valid region, not 'eu-west-1'.")
        }
    }

    @Test("is not there when it is switched off, nor for whoever only looks")
    func off() async throws {
        try await withAPI { api async throws in
            let overview = try await api.client.answer(to: .get, "/", headers: [:], body: nil)
            #expect(overview.status == 200)
            #expect(overview.text.contains(#""name":"Apus""#))
        }
        var setup = TestSetup()
        setup.configuration.sns.isEnabled = false
        try await withAPI(setup) { api async throws in
            #expect(try await SNSClient(api).call(Self.list).status == 405)
        }
    }

    @Test("logs refused requests in detail for debugging, and never a secret")
    func log() async throws {
        try await withAPI { api async throws in
            var client = try await SNSClient(api)
            let secret = client.secret
            client.secret += "x"
            _ = try await client.call(Self.list)
            let logged = try #require(api.logs.entries.first { $0.metadata["sns.code"] == "SignatureDoesNotMatch" })
            #expect(logged.level == .debug)
            let everything = api.logs.entries.map { "\($0)" }.joined()
            #expect(!everything.contains(secret))
        }
    }
}
