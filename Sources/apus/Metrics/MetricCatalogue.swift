// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Delivery
import PushModel
import PushStore
import Telemetry

/// Every metric of the server; the table of `docs/metrics.md` is generated from it.
enum MetricCatalogue {
    /// All metrics, in the order of the document.
    static let all: [MetricDescription] =
        api + transport + delivery + campaigns + scheduling + jobs + webhooks + topics + store + apns + process

    private static let api: [MetricDescription] = [
        MetricDescription(
            "apus_http_requests_total",
            .counter,
            labels: ["route", "method", "status"],
            "Requests to the API by the path of the route in the OpenAPI document; `none` for an unknown path."
        ),
        MetricDescription(
            "apus_http_request_duration_seconds",
            .histogram,
            labels: ["route", "method"],
            "Time from the head of a request to the head of its response; for streams, without the later responses."
        ),
        MetricDescription(
            "apus_api_accepted_total",
            .counter,
            labels: ["lane"],
            "Targets of notifications that the API accepted and stored."
        ),
        MetricDescription(
            "apus_http_authentication_failures_total",
            .counter,
            labels: ["reason"],
            "Requests to the API and the SNS endpoint without a valid key, by problem code: `missing_api_key`, "
                + "`invalid_api_key` (at the SNS endpoint, also all other reasons), `expired_api_key`, "
                + "`revoked_api_key`, `session_expired`."
        ),
        MetricDescription(
            "apus_attestations_total",
            .counter,
            labels: ["result"],
            "Attestations of new devices by result: `valid`, `missing`, `challenge`, `team`, or the failed check."
        ),
        MetricDescription(
            "apus_sns_requests_total",
            .counter,
            labels: ["action", "code"],
            "Requests to the SNS endpoint by action and result: `OK` or the error code."
        ),
        MetricDescription(
            "apus_sns_skipped_apps_total",
            .counter,
            labels: ["platform"],
            "Apps skipped by a publish because the message violates an APNs rule. The log has the reason."
        ),
        MetricDescription(
            "apus_proxy_messages_total",
            .counter,
            labels: ["result"],
            "Messages of clients of apns-proxy-server by result: `stored`, `test` (checked, not sent), `malformed` (no "
                + "command and JSON), `invalid` (a value breaks a rule), `unknown_app`, `failed` (not stored; the log has "
                + "the reason)."
        ),
    ]

    private static let delivery: [MetricDescription] = [
        MetricDescription(
            "apus_delivery_attempts_total",
            .counter,
            labels: ["lane"],
            "Attempts to send a target."
        ),
        MetricDescription(
            "apus_delivery_outcomes_total",
            .counter,
            labels: ["outcome", "reason"],
            "Targets by outcome: `delivered`, `rejected` (`reason` is that of APNs) or `failed` (`reason` is a code of "
                + "Apus)."
        ),
        MetricDescription(
            "apus_delivery_deferrals_total",
            .counter,
            labels: ["reason"],
            "Deferrals of targets by reason: the APNs reason, or `certificate`, `connection_lost`, `timeout`, "
                + "`unreachable`, `not_sent`."
        ),
        MetricDescription("apus_delivery_in_flight", .gauge, "Targets that are being sent and are not settled."),
        MetricDescription(
            "apus_delivery_rate_limited_targets_total",
            .counter,
            "Targets of the bulk lane that the rate limit delayed because there was urgent work."
        ),
        MetricDescription(
            "apus_delivery_batches_total",
            .counter,
            labels: ["result"],
            "Processed batches by result: \(BatchProcessingResult.allCases.map(\.rawValue).joined(separator: ", "))."
        ),
        MetricDescription(
            "apus_delivery_queue_wait_seconds",
            .histogram,
            labels: ["lane"],
            "Time from the acceptance of a batch to its first claim."
        ),
        MetricDescription(
            "apus_delivery_settlement_delay_seconds",
            .histogram,
            labels: ["lane"],
            "Time from the claim of a batch to the settlement of each of its chunks."
        ),
        MetricDescription(
            "apus_delivery_devices_invalidated_total",
            .counter,
            "Devices that became invalid: token unregistered, or `BadDeviceToken` in both environments."
        ),
        MetricDescription(
            "apus_delivery_devices_suspected_total",
            .counter,
            "Devices that became suspect because of `BadDeviceToken`."
        ),
        MetricDescription(
            "apus_delivery_circuit_breaker_opened_total",
            .counter,
            labels: ["cause"],
            "Openings of circuit breakers by cause: `unreachable`, `credential`, `overload`."
        ),
        MetricDescription(
            "apus_delivery_circuit_breaker_open",
            .gauge,
            labels: ["app", "environment", "credential"],
            "State of a circuit breaker: 1 if open or half-open, 0 after it has closed; absent if it never opened."
        ),
        MetricDescription(
            "apus_queue_batches",
            .gauge,
            labels: ["lane"],
            "Stored batches that are not completed; read every 5 seconds."
        ),
        MetricDescription(
            "apus_queue_oldest_age_seconds",
            .gauge,
            labels: ["lane"],
            "Age of the oldest of these batches; 0 if there are none."
        ),
    ]

    private static let jobs: [MetricDescription] = [
        MetricDescription(
            "apus_jobs_runs_total",
            .counter,
            labels: ["type", "result"],
            "Completed attempts of job runs by action of the job and result: `succeeded`, `failed`, `retried`, "
                + "`skipped`."
        ),
        MetricDescription(
            "apus_jobs_processed_total",
            .counter,
            labels: ["type"],
            "Work done by runs: updated activities, created campaigns, called webhooks."
        ),
        MetricDescription(
            "apus_jobs_delay_seconds",
            .histogram,
            labels: ["type"],
            "Time from the due time of a run to its start, including the jitter."
        ),
    ]

    private static let store: [MetricDescription] = [
        MetricDescription("apus_store_accept_duration_seconds", .histogram, "Duration of storing an accepted request."),
        MetricDescription(
            "apus_store_claim_duration_seconds",
            .histogram,
            "Duration of a claim of batches, including claims that find none."
        ),
        MetricDescription(
            "apus_work_expired_leases_total",
            .counter,
            labels: ["type"],
            "Leases of terminated processes that this process ended early, by type of work: "
                + "\(WorkKind.allCases.filter { $0 != .activity }.map(\.rawValue).joined(separator: ", "))."
        ),
        MetricDescription(
            "apus_work_quarantined_total",
            .counter,
            labels: ["type"],
            "Quarantined items of work (three claims in a row were interrupted, or the row is corrupt) by type: "
                + "\(WorkKind.allCases.map(\.rawValue).joined(separator: ", "))."
        ),
        MetricDescription(
            "apus_store_settle_duration_seconds",
            .histogram,
            "Duration of the transaction that settles a chunk."
        ),
        MetricDescription(
            "apus_store_pruned_total",
            .counter,
            labels: ["resource"],
            "Pruned records by type: `notification`, `batch`, `chunk` and `stream` (of lines), `idempotency_record`, "
                + "`event`, `activity`, `audit_entry`, `device`, `push_to_start_token`."
        ),
        MetricDescription(
            "apus_store_corrupt_rows_total",
            .counter,
            labels: ["table"],
            "Reads of corrupt rows that were skipped, by table; the log names one row of each table and minute."
        ),
    ]

    private static let campaigns: [MetricDescription] = [
        MetricDescription(
            "apus_campaign_targets_enqueued_total",
            .counter,
            "Devices of campaigns that were enqueued in batches."
        ),
        MetricDescription("apus_campaign_batches_enqueued_total", .counter, "Batches of these devices."),
        MetricDescription(
            "apus_campaign_retries_total",
            .counter,
            "Processing failures of campaigns that are retried later."
        ),
        MetricDescription(
            "apus_campaign_failures_total",
            .counter,
            "Campaigns that failed because they cannot be enqueued."
        ),
        MetricDescription(
            "apus_campaign_leases_lost_total",
            .counter,
            "Leases of campaigns that were lost during processing: another process claimed the campaign, or it ended."
        ),
        MetricDescription(
            "apus_campaign_page_duration_seconds",
            .histogram,
            "Duration of reading an audience page and storing its batches."
        ),
    ]

    private static let webhooks: [MetricDescription] = [
        MetricDescription(
            "apus_webhooks_requests_total",
            .counter,
            labels: ["result"],
            "Requests to webhooks by the status of the response, or by the error."
        )
    ]

    private static let topics: [MetricDescription] = [
        MetricDescription(
            "apus_topics_requests_total",
            .counter,
            labels: ["result"],
            "Requests to HTTP subscriptions of topics by the status of the response, or by the error."
        ),
        MetricDescription(
            "apus_topics_deliveries_total",
            .counter,
            labels: ["result"],
            "Deliveries to HTTP subscriptions by result: `delivered`, `retried` (another attempt follows), `failed`, "
                + "`unsubscribed`, `queue_full`."
        ),
        MetricDescription(
            "apus_sns_endpoint_events_total",
            .counter,
            labels: ["result"],
            "Events of SNS endpoints by result: `published`, `retried` (another attempt follows), `topic_not_found` "
                + "(or it cannot be published to it), `expired` (too old), `queue_full`, `corrupt`."
        ),
    ]

    private static let scheduling: [MetricDescription] = [
        MetricDescription(
            "apus_scheduling_transitions_total",
            .counter,
            labels: ["state"],
            "Completed transitions of Live Activities by state: `completed` or `skipped`."
        ),
        MetricDescription(
            "apus_scheduling_transitions_prepared_total",
            .counter,
            "Transitions that were prepared shortly before an instant at which many are due."
        ),
        MetricDescription(
            "apus_scheduling_transitions_executed_total",
            .counter,
            labels: ["path"],
            "Executed transitions: `prepared` in advance, or `direct` (read when they were due)."
        ),
        MetricDescription(
            "apus_scheduling_quarantined_total",
            .counter,
            labels: ["type"],
            "Quarantined records by type: `activity`, `transition`, `rollout`."
        ),
        MetricDescription(
            "apus_scheduling_transition_lateness_seconds",
            .histogram,
            "Time from the due time of a transition until the store has it and its batches."
        ),
        MetricDescription(
            "apus_scheduling_activities_expired_total",
            .counter,
            "Live Activities that ended because of their age."
        ),
        MetricDescription(
            "apus_scheduling_rollout_devices_total",
            .counter,
            labels: ["result"],
            "Devices of rollouts by result: `started` or `skipped`."
        ),
        MetricDescription(
            "apus_scheduling_rollouts_total",
            .counter,
            labels: ["state"],
            "Completed rollouts of Live Activities by state: `completed` or `stopped`."
        ),
        MetricDescription(
            "apus_rollout_retries_total",
            .counter,
            "Processing failures of rollouts that are retried later."
        ),
    ]

    private static let apns: [MetricDescription] = [
        MetricDescription("apus_apns_accepted_total", .counter, "Responses of APNs that accept a notification."),
        MetricDescription("apus_apns_rejected_total", .counter, "Responses of APNs that reject a notification."),
        MetricDescription(
            "apus_apns_retries_total",
            .counter,
            "Retries of notifications by the client after a lost connection, a reset stream or a GOAWAY."
        ),
        MetricDescription(
            "apus_apns_response_duration_seconds",
            .histogram,
            "Time from writing a request to its response; measured in steps that double, each counted at its upper "
                + "bound."
        ),
        MetricDescription("apus_apns_connections", .gauge, labels: ["host"], "Open connections."),
        MetricDescription(
            "apus_apns_connections_limited",
            .gauge,
            labels: ["host", "reason"],
            "Open connections by the limit that they have reached: `idle` (empty queue), `max_streams` (maximum of "
                + "concurrent streams) or `flow_control` (window of the connection)."
        ),
        MetricDescription(
            "apus_apns_connections_opened_total",
            .counter,
            labels: ["host"],
            "Opened connections."
        ),
        MetricDescription(
            "apus_apns_connections_failed_total",
            .counter,
            labels: ["host"],
            "Failed attempts to open a connection."
        ),
        MetricDescription(
            "apus_apns_connections_closed_total",
            .counter,
            labels: ["host", "cause"],
            "Closed connections by cause: `goaway`, `lost` (broken, closed by APNs without GOAWAY, or closed with "
                + "requests in flight), `ended` (closed by this process)."
        ),
        MetricDescription(
            "apus_apns_goaways_total",
            .counter,
            labels: ["host", "reason"],
            "GOAWAY frames by reason of APNs."
        ),
        MetricDescription(
            "apus_apns_max_concurrent_streams",
            .gauge,
            labels: ["host"],
            "Maximum concurrent requests of all connections together, as APNs sets it in SETTINGS."
        ),
    ]

    private static let process: [MetricDescription] =
        ProcessMetrics.descriptions + [
            MetricDescription(
                "apus_build_info",
                .gauge,
                labels: BuildInfo.labels.map(\.0),
                "Version and commit of the program as labels; always 1."
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
