// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Jobs", .timeLimit(.minutes(20)))
struct JobTests {
    private static let path = "/v1/apps/\(TestAPI.app)/jobs"

    private static let ending = """
        {"schedule":{"cron":"* * * * *","timeZone":"Asia/Seoul"},
         "activities":{"attributesType":"LessonAttributes","instant":{"name":"endsAt","untilSeconds":960},
          "where":{"status":"active"},"change":{"patch":{"status":"ending"},"priority":5}}}
        """

    private static let news = """
        {"schedule":{"everySeconds":3600},"overlap":"buffer_one","misfire":"skip","jitterSeconds":30,"paused":true,
         "notification":{"name":"News","audience":{"topic":"news"},"ratePerSecond":5,"expiresAfterSeconds":600,
          "local":{"time":"09:00","fallbackZone":"Europe/Vienna"},
          "message":{"default":{"notification":{"title":"Good morning"}}}}}
        """

    @Test(
        "are put as one declaration, shown as they are, and put again without a change",
        arguments: TestStoreBackend.allCases
    )
    func declared(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let made = try await api.call(.put, "\(Self.path)/lessons-ending", Self.ending)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.headers[.location] == "\(Self.path)/lessons-ending")
            #expect(made.json["type"] == "activities")
            #expect(made.json["nextRunAt"] != nil)
            let again = try await api.call(.put, "\(Self.path)/lessons-ending", Self.ending)
            #expect(again.status == 200)
            #expect(again.text == made.text)
            let shown = try await api.call(.get, "\(Self.path)/lessons-ending")
            #expect(shown.text == made.text)
            let work = shown.json["activities"]
            #expect(work?["where"] == ["status": "active"])
            #expect(work?["instant"] == ["name": "endsAt", "fromSeconds": 0, "untilSeconds": 960])
            #expect(work?["change"] == ["patch": ["status": "ending"], "priority": 5])
            #expect(shown.json["schedule"]?["timeZone"] == "Asia/Seoul")
            let news = try await api.call(.put, "\(Self.path)/news", Self.news)
            #expect(news.status == 201, "\(news.text)")
            #expect(news.json["paused"] == true)
            #expect(news.json["nextRunAt"] == nil)
            #expect(news.json["notification"]?["local"]?["time"] == "09:00")
            #expect(news.json["schedule"] == ["everySeconds": 3600, "from": "1970-01-01T00:00:00.000Z"])
            let list = try await api.call(.get, "\(Self.path)?limit=1")
            #expect(list.json["jobs"]?.elements.compactMap { $0["id"]?.text } == ["lessons-ending"])
            let rest = try await api.call(.get, "\(Self.path)?cursor=\(list.json["nextCursor"]?.text ?? "")")
            #expect(rest.json["jobs"]?.elements.compactMap { $0["id"]?.text } == ["news"])
            #expect(try await api.call(.delete, "\(Self.path)/news").status == 204)
            #expect(try await api.call(.delete, "\(Self.path)/news").code == "job_not_found")
        }
    }

    @Test("are run by hand, paused and resumed, and tell what their runs came to")
    func steered() async throws {
        try await withAPI { api async throws in
            try await api.call(.put, "\(Self.path)/news", Self.news)
            let run = try await api.call(.post, "\(Self.path)/news:run")
            #expect(run.status == 202, "\(run.text)")
            #expect(run.json["state"] == "waiting")
            try await api.call(.post, "\(Self.path)/news:run")
            let busy = try await api.call(.post, "\(Self.path)/news:run")
            #expect(busy.status == 409)
            #expect(busy.code == "job_run_in_progress")
            let claim = try await api.store.claimJobRuns(
                of: .builtIn,
                limit: 1,
                worker: "test",
                leaseDuration: .seconds(60),
                now: Date()
            )
            let lease = try #require(claim.runs.first?.lease)
            let end = try await api.store.carryOut(lease, leaseDuration: .seconds(60), now: Date())
            #expect(end.state == .succeeded)
            let history = try await api.call(.get, "\(Self.path)/news/runs")
            #expect(history.json["runs"]?.elements.compactMap { $0["state"]?.text } == ["waiting", "succeeded"])
            #expect(history.json["runs"]?.elements.last?["campaign"]?.text == end.id.description)
            let campaign = try await api.call(.get, "/v1/apps/\(TestAPI.app)/campaigns/\(end.id)")
            #expect(campaign.json["name"] == "News")
            #expect(campaign.json["ratePerSecond"]?.number == 5)
            let resumed = try await api.call(.post, "\(Self.path)/news:resume")
            #expect(resumed.json["paused"] == false)
            #expect(resumed.json["nextRunAt"] != nil)
            let paused = try await api.call(.post, "\(Self.path)/news:pause")
            #expect(paused.json["paused"] == true)
            #expect(paused.json["lastRun"]?["trigger"] == "manual")
            let page = try await api.call(.get, "\(Self.path)/news/runs?limit=1")
            let next = try await api.call(.get, "\(Self.path)/news/runs?cursor=\(page.json["nextCursor"]?.text ?? "")")
            #expect(next.json["runs"]?.elements.count == 1)
            for verb in [":run", ":pause", ":resume", "/runs"] {
                let method: HTTPRequest.Method = verb == "/runs" ? .get : .post
                #expect(try await api.call(method, "\(Self.path)/other\(verb)").code == "job_not_found")
            }
        }
    }

    @Test("repeat a campaign by a copy, which stays when the campaign goes")
    func campaigns() async throws {
        try await withAPI { api async throws in
            let body =
                #"{"audience":{"all":true},"message":{"default":{"notification":{"title":"Hello"}}},"ratePerSecond":7}"#
            let created = try await api.call(.post, "/v1/apps/\(TestAPI.app)/campaigns", body)
            let id = try #require(created.json["id"]?.text)
            let job = #"{"schedule":{"cron":"@daily"},"campaign":"\#(id)"}"#
            let made = try await api.call(.put, "\(Self.path)/daily", job)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.json["type"] == "campaign")
            #expect(made.json["campaign"]?.text == id)
            #expect(made.json["notification"]?["ratePerSecond"]?.number == 7)
            #expect(try await api.call(.put, "\(Self.path)/daily", job).text == made.text)
            let unknown = #"{"schedule":{"cron":"@daily"},"campaign":"00000000-0000-7000-8000-000000000000"}"#
            #expect(try await api.call(.put, "\(Self.path)/other", unknown).code == "campaign_not_found")
            let webhook = #"{"schedule":{"cron":"@daily"},"webhook":{"webhook":"wh_1"}}"#
            #expect(try await api.call(.put, "\(Self.path)/other", webhook).code == "webhook_not_found")
        }
    }

    @Test("are changed with the scope of what they do, and read with any of them")
    func scopes() async throws {
        try await withAPI { api async throws in
            let campaigns = try await api.key(scopes: [.campaigns]).text
            let activities = try await api.key(scopes: [.activities]).text
            let reader = try await api.key(scopes: [.read]).text
            let refused = try await api.call(.put, "\(Self.path)/a", Self.ending, key: campaigns)
            #expect(refused.code == "insufficient_scope")
            #expect(try await api.call(.put, "\(Self.path)/a", Self.ending, key: activities).status == 201)
            #expect(try await api.call(.put, "\(Self.path)/a", Self.news, key: campaigns).code == "insufficient_scope")
            #expect(try await api.call(.put, "\(Self.path)/n", Self.news, key: activities).code == "insufficient_scope")
            #expect(try await api.call(.put, "\(Self.path)/n", Self.news, key: campaigns).status == 201)
            for (verb, method) in [
                (":run", HTTPRequest.Method.post), (":pause", .post), (":resume", .post), ("", .delete),
            ] {
                let answer = try await api.call(method, "\(Self.path)/a\(verb)", key: campaigns)
                #expect(answer.code == "insufficient_scope")
            }
            #expect(try await api.call(.get, "\(Self.path)/a", key: reader).status == 200)
            #expect(try await api.call(.post, "\(Self.path)/a:run", key: reader).code == "insufficient_scope")
        }
    }

    @Test("that cannot be read are removed with the scopes of all that jobs do")
    func damaged() async throws {
        var setup = TestSetup()
        let error = StoreError(code: .corrupt, message: "The stored job cannot be read.")
        setup.wrap = { ProbedStore($0, failing: StoreFaults(of: "job(_:of:)", with: error)) }
        try await withAPI(setup) { api async throws in
            let path = "\(Self.path)/c"
            let definition = try JobSamples.code()
            _ = try await api.store.putJob("c", of: TestAPI.app, as: definition, isPaused: nil, now: Date())
            #expect(try await api.call(.get, path).code == "store_corrupt")
            for scope in [Scope.campaigns, .activities] {
                let key = try await api.key(scopes: [scope]).text
                #expect(try await api.call(.delete, path, key: key).code == "insufficient_scope")
            }
            let key = try await api.key(scopes: [.campaigns, .activities]).text
            #expect(try await api.call(.delete, path, key: key).status == 204)
            #expect(try await api.call(.delete, path, key: key).code == "job_not_found")
        }
    }

    @Test("of a program are run and paused, and defined by that alone")
    func code() async throws {
        try await withAPI { api async throws in
            let definition = try JobSamples.code()
            _ = try await api.store.putJob("c", of: TestAPI.app, as: definition, isPaused: nil, now: Date())
            let shown = try await api.call(.get, "\(Self.path)/c")
            #expect(shown.json["type"] == "code")
            #expect(try await api.call(.put, "\(Self.path)/c", Self.news).code == "job_managed_by_code")
            #expect(try await api.call(.post, "\(Self.path)/c:run").status == 202)
        }
    }

    @Test(
        "are refused with the field that is wrong",
        arguments: [
            (#"{"webhook":{"webhook":"wh_1"}}"#, "schedule"),
            (#"{"schedule":{"cron":"* 25 * * *"},"webhook":{"webhook":"wh_1"}}"#, "schedule.cron.hour"),
            (#"{"schedule":{"cron":"@daily","timeZone":"Mars"},"webhook":{"webhook":"wh_1"}}"#, "schedule.timeZone"),
            (#"{"schedule":{"cron":"@daily","everySeconds":5},"webhook":{"webhook":"wh_1"}}"#, "schedule"),
            (#"{"schedule":{"everySeconds":0},"webhook":{"webhook":"wh_1"}}"#, "schedule.everySeconds"),
            (#"{"schedule":{"everySeconds":5}}"#, "body"),
            (#"{"schedule":{"everySeconds":5},"webhook":{"webhook":"wh_1"},"campaign":"x"}"#, "campaign"),
            (#"{"schedule":{"everySeconds":5},"webhook":{}}"#, "webhook.webhook"),
            (#"{"schedule":{"everySeconds":5},"webhook":{"webhook":"wh_1"},"jitterSeconds":4000}"#, "jitterSeconds"),
            (
                #"{"schedule":{"everySeconds":5},"webhook":{"webhook":"wh_1"},"misfire":"run_all","overlap":"skip"}"#,
                "overlap"
            ),
            (
                #"{"schedule":{"everySeconds":5},"webhook":{"webhook":"wh_1"},"misfire":"skip","#
                    + #""misfireGraceSeconds":60}"#,
                "misfireGraceSeconds"
            ),
            (#"{"schedule":{"everySeconds":5},"activities":{"attributesType":"A","change":{}}}"#, "activities.change"),
            (#"{"schedule":{"everySeconds":5},"activities":{"change":{"end":{}}}}"#, "activities.attributesType"),
            (
                #"{"schedule":{"everySeconds":5},"activities":{"attributesType":"A","#
                    + #""instant":{"name":"a","fromSeconds":9,"untilSeconds":5},"change":{"end":{}}}}"#,
                "activities.instant.untilSeconds"
            ),
            (
                #"{"schedule":{"everySeconds":5},"activities":{"attributesType":"A","change":{"instants":{}}}}"#,
                "activities.change.instants"
            ),
            (#"{"schedule":{"everySeconds":5},"notification":{"audience":{"all":true}}}"#, "notification.message"),
        ]
    )
    func refused(_ body: String, _ field: String) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.put, "\(Self.path)/a", body)
            #expect(answer.status == 422, "\(answer.text)")
            #expect(answer.fields.contains(field), "\(answer.text)")
            let name = try await api.call(.put, "\(Self.path)/a%20b", Self.ending)
            #expect(name.fields == ["path.job"])
        }
    }
}
