// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Delivery
import PushModel
import PushStore
import Telemetry

/// Every metric that the server writes; `docs/metrics.md` is made from it.
enum MetricCatalogue {
    /// All of them, in the order of the document.
    static let all: [MetricDescription] =
        api + delivery + planning + scheduling + jobs + webhooks + topics + store + apns + process

    private static let api: [MetricDescription] = [
        MetricDescription(
            "apus_http_requests_total",
            .counter,
            labels: ["route", "method", "status"],
            "Requests to the API, by the route's path in the OpenAPI document; none for a path that there is not."
        ),
        MetricDescription(
            "apus_http_request_seconds",
            .histogram,
            labels: ["route", "method"],
            "From a request's head to its answer's, without what a stream answers later."
        ),
        MetricDescription(
            "apus_api_accepted_total",
            .counter,
            labels: ["lane"],
            "Targets of notifications that the API accepted and the store made durable."
        ),
        MetricDescription(
            "apus_http_authentication_failures_total",
            .counter,
            labels: ["reason"],
            "Requests to the API and the SNS endpoint without a valid key, by the problem's code: missing_key, "
                + "invalid_key (all others at the SNS endpoint), expired_key, revoked_key."
        ),
        MetricDescription(
            "apus_sns_requests_total",
            .counter,
            labels: ["action", "code"],
            "Requests to the SNS endpoint, by their operation and by what they were answered: OK or the error's code."
        ),
        MetricDescription(
            "apus_sns_left_out_total",
            .counter,
            labels: ["platform"],
            "Apps whose devices of a platform a message to a topic could not be sent to, as it breaks a rule of Apple's; logged with the reason."
        ),
    ]

    private static let delivery: [MetricDescription] = [
        MetricDescription(
            "apus_delivery_attempts_total",
            .counter,
            labels: ["lane"],
            "Targets handed to the client to be sent, each attempt counted."
        ),
        MetricDescription(
            "apus_delivery_outcomes_total",
            .counter,
            labels: ["outcome", "reason"],
            "Targets by what became of them: delivered, rejected (Apple's reason) or failed (our code)."
        ),
        MetricDescription(
            "apus_delivery_deferrals_total",
            .counter,
            labels: ["reason"],
            "Targets put off after an attempt, to be sent again or in their turn, each time counted: Apple's reason, or "
                + "certificate (refused in TLS), connection and deadline (no answer), unreachable (no connection), "
                + "not-sent (no stream was free)."
        ),
        MetricDescription("apus_delivery_in_flight", .gauge, "Targets handed to the client, or sent, and not settled."),
        MetricDescription(
            "apus_delivery_held_back_total",
            .counter,
            "Targets of the bulk lane that waited for their turn because there was urgent work."
        ),
        MetricDescription(
            "apus_delivery_batches_total",
            .counter,
            labels: ["end"],
            "Batches given back or ended, by how: \(BatchEnd.allCases.map(\.rawValue).joined(separator: ", "))."
        ),
        MetricDescription(
            "apus_delivery_claim_delay_seconds",
            .histogram,
            labels: ["lane"],
            "From the acceptance of a batch to its first claim."
        ),
        MetricDescription(
            "apus_delivery_settle_delay_seconds",
            .histogram,
            labels: ["lane"],
            "From the claim of a batch to the settlement of each of its slices."
        ),
        MetricDescription(
            "apus_delivery_devices_pruned_total",
            .counter,
            "Devices that became invalid because APNs called their tokens dead."
        ),
        MetricDescription(
            "apus_delivery_devices_suspected_total",
            .counter,
            "Devices that became suspect because APNs called their tokens bad."
        ),
        MetricDescription(
            "apus_delivery_pauses_total",
            .counter,
            labels: ["cause"],
            "Breakers that opened, by cause: unreachable, credential, overload."
        ),
        MetricDescription(
            "apus_delivery_paused",
            .gauge,
            labels: ["app", "environment", "credential"],
            "1 from the opening of a breaker until APNs serves again, 0 afterwards; absent while it never opened."
        ),
        MetricDescription(
            "apus_queue_batches",
            .gauge,
            labels: ["lane"],
            "Batches in the store that wait or are being sent; looked at every five seconds."
        ),
        MetricDescription(
            "apus_queue_oldest_age_seconds",
            .gauge,
            labels: ["lane"],
            "The age of the oldest of these batches; 0 where there are none."
        ),
    ]

    private static let jobs: [MetricDescription] = [
        MetricDescription(
            "apus_jobs_runs_total",
            .counter,
            labels: ["kind", "result"],
            "Attempts at runs of jobs that have ended, by what the job does and what became of it: succeeded, failed, "
                + "retried, skipped."
        ),
        MetricDescription(
            "apus_jobs_processed_total",
            .counter,
            labels: ["kind"],
            "What runs have done: activities changed, campaigns made, webhooks called."
        ),
        MetricDescription(
            "apus_jobs_delay_seconds",
            .histogram,
            labels: ["kind"],
            "From the time at which a run was due to its beginning, the jitter included."
        ),
    ]

    private static let store: [MetricDescription] = [
        MetricDescription("apus_store_accept_seconds", .histogram, "Time the store took to make a request durable."),
        MetricDescription(
            "apus_store_claim_seconds",
            .histogram,
            "Time the store took to lease batches, or to find none."
        ),
        MetricDescription(
            "apus_work_expired_leases_total",
            .counter,
            labels: ["kind"],
            "Leases of terminated processes that this process ended early, by kind of work: "
                + "\(WorkKind.allCases.filter { $0 != .activity }.map(\.rawValue).joined(separator: ", "))."
        ),
        MetricDescription(
            "apus_work_quarantined_total",
            .counter,
            labels: ["kind"],
            "Quarantined items of work by kind: \(WorkKind.allCases.map(\.rawValue).joined(separator: ", "))."
        ),
        MetricDescription("apus_store_settle_seconds", .histogram, "Time the store took to book a slice."),
        MetricDescription(
            "apus_store_pruned_total",
            .counter,
            labels: ["kind"],
            "What was removed for its age: notification, batch, chunk and stream (of lines), answer (to an idempotency key), "
                + "event, activity."
        ),
        MetricDescription(
            "apus_store_corrupt_rows_total",
            .counter,
            labels: ["table"],
            "Reads of corrupt rows that were skipped, by table; the log names one row of each table and minute."
        ),
    ]

    private static let planning: [MetricDescription] = [
        MetricDescription(
            "apus_scheduling_targets_planned_total",
            .counter,
            "Devices of campaigns that were turned into targets."
        ),
        MetricDescription("apus_scheduling_batches_planned_total", .counter, "Batches that were made of these."),
        MetricDescription(
            "apus_scheduling_campaigns_set_back_total",
            .counter,
            "Times that a campaign could not be planned and waits to be tried again."
        ),
        MetricDescription(
            "apus_scheduling_campaigns_failed_total",
            .counter,
            "Campaigns that could not be planned at all."
        ),
        MetricDescription(
            "apus_scheduling_leases_lost_total",
            .counter,
            "Campaigns that were taken over, or ended, while they were planned."
        ),
        MetricDescription(
            "apus_scheduling_shard_seconds",
            .histogram,
            "Time it took to read a part of an audience and to store it as batches."
        ),
    ]

    private static let webhooks: [MetricDescription] = [
        MetricDescription(
            "apus_webhooks_requests_total",
            .counter,
            labels: ["result"],
            "Requests to webhooks, by the status of the answer, or by why there was none."
        )
    ]

    private static let topics: [MetricDescription] = [
        MetricDescription(
            "apus_topics_requests_total",
            .counter,
            labels: ["result"],
            "Requests to URLs that are subscribed to topics, by the status of the answer, or by why there was none."
        ),
        MetricDescription(
            "apus_topics_deliveries_total",
            .counter,
            labels: ["end"],
            "What became of deliveries to URLs: delivered, again, given-up, obsolete (unsubscribed meanwhile), queue-full."
        ),
        MetricDescription(
            "apus_sns_endpoint_events_total",
            .counter,
            labels: ["end"],
            "What became of events of SNS endpoints: published, again, unpublishable (no such topic), too-old, queue-full, "
                + "corrupt."
        ),
    ]

    private static let scheduling: [MetricDescription] = [
        MetricDescription(
            "apus_scheduling_transitions_total",
            .counter,
            labels: ["state"],
            "Planned changes of Live Activities that came to their end: done or skipped."
        ),
        MetricDescription(
            "apus_scheduling_transitions_prepared_total",
            .counter,
            "Planned changes that were prepared shortly before an instant at which many come due."
        ),
        MetricDescription(
            "apus_scheduling_transitions_carried_out_total",
            .counter,
            labels: ["way"],
            "Planned changes that were carried out, by how: prepared, or found (when they were due)."
        ),
        MetricDescription(
            "apus_scheduling_set_aside_total",
            .counter,
            labels: ["kind"],
            "What cannot be read and was left alone: activity, transition, rollout (of such an activity)."
        ),
        MetricDescription(
            "apus_scheduling_transition_lateness_seconds",
            .histogram,
            "From the time of a planned change until it was stored, with the batches of what it sends."
        ),
        MetricDescription(
            "apus_scheduling_activities_expired_total",
            .counter,
            "Live Activities that were over by their age."
        ),
        MetricDescription(
            "apus_scheduling_rollout_devices_total",
            .counter,
            labels: ["result"],
            "Devices of audiences on which Live Activities were to be started: invited or passed over."
        ),
        MetricDescription(
            "apus_scheduling_rollouts_total",
            .counter,
            labels: ["state"],
            "Rollouts of Live Activities that came to their end: done or stopped."
        ),
        MetricDescription(
            "apus_scheduling_rollouts_set_back_total",
            .counter,
            "Times that a rollout of a Live Activity could not be gone on with and waits to be tried again."
        ),
    ]

    private static let apns: [MetricDescription] = [
        MetricDescription("apus_apns_accepted_total", .counter, "Answers with which APNs accepted a notification."),
        MetricDescription("apus_apns_rejected_total", .counter, "Answers with which APNs rejected a notification."),
        MetricDescription(
            "apus_apns_resent_total",
            .counter,
            "Notifications sent again by the client, after a lost connection, a reset stream or a GOAWAY."
        ),
        MetricDescription(
            "apus_apns_answer_seconds",
            .histogram,
            "From writing a request to its answer; observed in steps that double, each counted at its upper bound."
        ),
        MetricDescription("apus_apns_connections", .gauge, labels: ["host"], "Connections that are ready."),
        MetricDescription(
            "apus_apns_connections_bound",
            .gauge,
            labels: ["host", "by"],
            "Connections by what keeps them from sending more: work (nothing waits), streams (all that APNs grants are in "
                + "use), window (the bodies on their way fill it)."
        ),
        MetricDescription(
            "apus_apns_connections_opened_total",
            .counter,
            labels: ["host"],
            "Connections that became ready."
        ),
        MetricDescription(
            "apus_apns_connections_failed_total",
            .counter,
            labels: ["host"],
            "Connections that could not be opened."
        ),
        MetricDescription(
            "apus_apns_connections_closed_total",
            .counter,
            labels: ["host", "cause"],
            "Connections that ended after they had been ready, by cause: goaway, lost (broken, closed by APNs without GOAWAY, "
                + "or closed with requests unanswered), ended (by this side)."
        ),
        MetricDescription(
            "apus_apns_goaways_total",
            .counter,
            labels: ["host", "reason"],
            "GOAWAY frames, by the reason that APNs gave."
        ),
        MetricDescription(
            "apus_apns_streams_granted",
            .gauge,
            labels: ["host"],
            "Requests that APNs takes at once, on all connections together, as its SETTINGS say."
        ),
    ]

    private static let process: [MetricDescription] =
        ProcessMetrics.descriptions + [
            MetricDescription(
                "apus_build_info",
                .gauge,
                labels: BuildInfo.labels.map(\.0),
                "What the program was built from; always 1."
            )
        ]

    /// The rows of `docs/metrics.md`.
    static var rows: [String] {
        self.all.map { metric in
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(metric.name)` | \(metric.kind.rawValue) | \(labels) | \(metric.meaning) |"
        }
    }
}
