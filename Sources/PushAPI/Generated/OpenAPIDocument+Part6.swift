// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part6 = ##"""
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityReceipt" }
                default: { $ref: "#/components/responses/Problem" }
            delete:
              operationId: withdrawActivityToken
              tags: [activities]
              summary: Tells that a phone shows an activity no more.
              description: |
                For the app itself, with a key of the scope `client`: call it when `activityStateUpdates` gives `ended` or `dismissed`. The
                phone is `gone` for that reason and sent nothing more until its app tells another token; the activity goes on for others.
                Nothing happens when the phone takes no part, has told a younger token, or the activity is over.
              x-scopes: [activities, client]
              parameters:
                - name: reason
                  in: query
                  description: How the activity left the phone.
                  schema: { type: string, enum: [ended, dismissed], default: dismissed }
                - name: at
                  in: query
                  description: When it did; now unless given. What comes late does not undo a token that was given to the app since.
                  schema: { type: string, format: date-time }
              responses:
                "204":
                  description: The phone is sent nothing of the activity.
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/devices/{installation}/start-tokens/{attributesType}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Installation" }
              - { $ref: "#/components/parameters/AttributesType" }
            put:
              operationId: tellStartToken
              tags: [activities]
              summary: Tells the token with which pushes start activities of a type on a phone.
              description: |
                For the app itself, with a key of the scope `client`: call it for each token that `pushToStartTokenUpdates` gives.
              x-scopes: [activities, devices, client]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/StartTokenRequest" }
              responses:
                "204":
                  description: It is kept, unless a younger one was told before.
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/activities/{activity}/transitions:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Activity" }
            get:
              operationId: listTransitions
              tags: [activities]
              summary: What is planned for an activity, and what became of it.
              x-scopes: [activities, read]
              responses:
                "200":
                  description: The last transition of each name.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/TransitionList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/activities/{activity}/transitions/{transition}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Activity" }
              - { $ref: "#/components/parameters/Transition" }
            put:
              operationId: planTransition
              tags: [activities]
              summary: Plans a change ahead; one of the name that is still planned is replaced.
              description: |
                At a time, or relative to a named instant of the activity: then it moves whenever that instant is told anew. It is
                carried out once, in the order of the times, also when no scheduler ran at its time; `misfire` says how.
              x-scopes: [activities]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/TransitionRequest" }
              responses:
                "200":
                  description: It is planned.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Transition" }
                default: { $ref: "#/components/responses/Problem" }
            delete:
              operationId: withdrawTransition
              tags: [activities]
              summary: Takes a planned change back.
              x-scopes: [activities]
              responses:
                "204":
                  description: It is taken back.
                default: { $ref: "#/components/responses/Problem" }

          /v1/apps/{app}/jobs:
            parameters:
              - { $ref: "#/components/parameters/App" }
            get:
              operationId: listJobs
              tags: [jobs]
              summary: The jobs of an app in the order of their names.
              x-scopes: [campaigns, activities, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of jobs.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/JobList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/jobs/{job}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Job" }
            put:
              operationId: putJob
              tags: [jobs]
              summary: Makes a job, or defines it anew.
              description: |
                What recurs by a schedule and what is done then, as one declaration; putting the same again changes nothing.
                A key needs the scope of what the job does: `activities` for Live Activities, `campaigns` for all else.
                `docs/jobs.md` says all of it.
              x-scopes: [campaigns, activities]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/JobRequest" }
              responses:
                "200":
                  description: It is defined anew.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Job" }
                "201":
                  description: It is made.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Job" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: showJob
              tags: [jobs]
              summary: A job, when it is due next, and its last run.
              x-scopes: [campaigns, activities, read]
              responses:
                "200":
                  description: The job.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Job" }
                default: { $ref: "#/components/responses/Problem" }
            delete:
              operationId: deleteJob
              tags: [jobs]
              summary: Removes a job with its history; a run that is going stops after its step.
              x-scopes: [campaigns, activities]
              responses:
                "204":
                  description: It is removed.
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/jobs/{job}:run:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Job" }
            post:
              operationId: runJob
              tags: [jobs]
              summary: Makes a run now, paused or not.
              x-scopes: [campaigns, activities]
              responses:
                "202":
                  description: The run, which begins at once.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/JobRun" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/jobs/{job}:pause:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Job" }
            post:
              operationId: pauseJob
              tags: [jobs]
              summary: Lets the occurrences of a job pass without a run; what has begun goes on.
              x-scopes: [campaigns, activities]
              responses:
                "200":
                  description: The job.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Job" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/jobs/{job}:resume:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Job" }
            post:
              operationId: resumeJob
              tags: [jobs]
              summary: Runs a job again from its next occurrence on.
              x-scopes: [campaigns, activities]
              responses:
                "200":
                  description: The job.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Job" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/jobs/{job}/runs:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Job" }
            get:
              operationId: listJobRuns
              tags: [jobs]
              summary: The runs of a job, the youngest first; the last 1,000 that have ended are kept.
              x-scopes: [campaigns, activities, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of runs.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/JobRunList" }
                default: { $ref: "#/components/responses/Problem" }

          /v1/apps/{app}/screenings:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: createScreening
              tags: [screenings]
              summary: Finds dead tokens and tokens of the other environment, without anybody seeing anything.
              description: |
                Each device of the audience is sent a `background` push of priority 5 without alert, badge and sound. Each token
                that APNs calls bad is then tried once in the other environment. `docs/screenings.md` says all of it.
              x-scopes: [campaigns]
              parameters:
                - { $ref: "#/components/parameters/IdempotencyKey" }
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/ScreeningRequest" }
                    examples:
                      all:
                        summary: All devices, over six hours; devices in the wrong environment are corrected
                        value: { spreadSeconds: 21600, correct: true }
                      old:
                        summary: Devices that were not heard of this year, in the night
                        value:
                          audience: { seen: { before: "2026-01-01T00:00:00Z" } }
                          spreadSeconds: 3600
                          startAt: "2036-03-20T01:00:00Z"
              responses:
                "201":
                  description: It is stored and starts by itself.
                  headers:
                    Location: { schema: { type: string }, description: Where it is found. }
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Screening" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: listScreenings
              tags: [screenings]
              summary: Lists an app's screenings, the youngest first.
              x-scopes: [campaigns, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of screenings.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ScreeningList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/screenings/{screening}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Screening" }
            get:
              operationId: showScreening
              tags: [screenings]
              summary: How far a screening has come, and what it has found out.
              x-scopes: [campaigns, read]
              responses:
                "200":
                  description: The screening.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Screening" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/screenings/{screening}:pause:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Screening" }
            post:
              operationId: pauseScreening
              tags: [screenings]
              summary: Stops a screening until it is resumed.
              description: Takes hold within a second.
              x-scopes: [campaigns]
              responses:
                "200":
                  description: The screening as it stands now.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Screening" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/screenings/{screening}:resume:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Screening" }
            post:
              operationId: resumeScreening
              tags: [screenings]
              summary: Goes on with a paused screening.
              description: It goes on with exactly what was left.
              x-scopes: [campaigns]
              responses:
                "200":
                  description: The screening as it stands now.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Screening" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/screenings/{screening}:cancel:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Screening" }
            post:
              operationId: cancelScreening
              tags: [screenings]
              summary: Calls a screening off.
              description: What was found out by then stays; what was planned counts as `cancelled`.
              x-scopes: [campaigns]
              responses:
                "200":

        """##
}
