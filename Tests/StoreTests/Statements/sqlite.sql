DELETE FROM activities WHERE number = ?;

DELETE FROM activity_instants WHERE activity = ?;

DELETE FROM activity_participants WHERE number IN (
    SELECT number FROM activity_participants
    WHERE number BETWEEN ? AND ? LIMIT ?
);

DELETE FROM activity_rollouts WHERE activity = ? AND state > 0 AND id NOT IN (
    SELECT id FROM activity_rollouts WHERE activity = ? AND state > 0
    ORDER BY id DESC LIMIT ?
);

DELETE FROM activity_types WHERE app = (SELECT number FROM apps WHERE id = ?) AND name = ?;

DELETE FROM activity_waiting
WHERE activity_waiting.batch = ? AND activity_waiting.position = ?;

DELETE FROM audit_log WHERE number IN (SELECT number FROM audit_log WHERE time < ? ORDER BY time LIMIT  ?);

DELETE FROM batch_contents WHERE number = ?;

DELETE FROM batch_failures WHERE batch = ? AND position IN (
    SELECT position FROM batch_failures WHERE batch = ? ORDER BY position LIMIT ?
);

DELETE FROM batches WHERE id = ?;

DELETE FROM campaigns WHERE id = ?;

DELETE FROM channels WHERE app = (SELECT number FROM apps WHERE id = ?) AND name = ?
    AND state = ?
    AND channel IS NOT DISTINCT FROM ?;

DELETE FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND push_type = ? RETURNING *;

DELETE FROM credentials WHERE id = ?;

DELETE FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND credential = ?;

DELETE FROM device_topics WHERE device = $1;

DELETE FROM devices
WHERE devices.app = ? AND devices.number = ?;

DELETE FROM devices WHERE app = ? AND environment = ? AND container = ?
    AND token = ? AND installation <> ?
RETURNING installation;

DELETE FROM devices WHERE app = ? AND installation = ?;

DELETE FROM devices WHERE app = ? AND number = ?;

DELETE FROM devices WHERE number = $1;

DELETE FROM endpoint_event_drops  RETURNING count;

DELETE FROM endpoint_events WHERE number = ? AND worker = ?;

DELETE FROM events WHERE app = ? AND number <= ?;

DELETE FROM interruptions
WHERE kind = 'activity' AND key IN (SELECT value FROM json_each(?)) AND quarantined_at IS NULL;

DELETE FROM interruptions
WHERE number <= (SELECT max(number) FROM interruptions) - ?;

DELETE FROM interruptions
WHERE quarantined_at IS NULL AND (count < 2 OR kind = 'activity')
    AND interrupted_at < ?;

DELETE FROM interruptions WHERE number = ? RETURNING key;

DELETE FROM job_runs WHERE job = ? AND state >= 2 AND number <= (
    SELECT number FROM job_runs WHERE job = ? ORDER BY number DESC LIMIT 1 OFFSET ?
);

DELETE FROM jobs WHERE jobs.app = (SELECT number FROM apps WHERE id = ?) AND jobs.id = ?;

DELETE FROM notifications WHERE id = ?;

DELETE FROM platform_applications WHERE platform_applications.platform = ? AND platform_applications.name = ?;

DELETE FROM push_to_start_tokens
WHERE app = $1 AND installation = (SELECT installation FROM devices WHERE number = $2);

DELETE FROM push_to_start_tokens AS tokens
WHERE tokens.app = ? AND tokens.attributes_type = ?
    AND tokens.installation = ? AND issued_at < ? AND NOT EXISTS (
    SELECT 1 FROM devices WHERE devices.app = tokens.app AND devices.installation = tokens.installation
);

DELETE FROM push_to_start_tokens WHERE app = ? AND installation = ?;

DELETE FROM push_to_start_tokens WHERE push_to_start_tokens.app = ?
    AND push_to_start_tokens.installation = ?;

DELETE FROM settled_notifications
WHERE settled_notifications.settled_at = ?
    AND settled_notifications.notification = ?;

DELETE FROM stream_chunks WHERE stream = (SELECT number FROM streams WHERE app = ?
    AND id = ?) AND end_line <= (
    SELECT max(end_line) FROM (
        SELECT end_line, created_at FROM stream_chunks WHERE stream = (SELECT number FROM streams WHERE app = ?
    AND id = ?) ORDER BY end_line LIMIT ?
    ) AS oldest
    WHERE created_at < ? AND end_line <= (
        SELECT accepted_lines FROM streams WHERE app = ? AND id = ?
    )
);

DELETE FROM stream_chunks WHERE stream = ? AND end_line IN (
    SELECT end_line FROM stream_chunks WHERE stream = ? ORDER BY end_line LIMIT ?
);

DELETE FROM streams WHERE number = ?
    AND NOT EXISTS (SELECT 1 FROM stream_chunks WHERE stream = ?);

DELETE FROM subscriptions WHERE id = ?;

DELETE FROM subscriptions WHERE id = ?
    AND (endpoint IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM topic_shares WHERE topic_shares.number = subscriptions.share
    ));

DELETE FROM subscriptions WHERE id IN (
    SELECT id FROM subscriptions WHERE share = ? LIMIT ?
);

DELETE FROM subscriptions WHERE id IN (
    SELECT id FROM subscriptions WHERE state = 0 AND created_at < ?
    LIMIT ?
);

DELETE FROM topic_deliveries WHERE number = ?;

DELETE FROM topic_messages WHERE id = ?
    AND NOT EXISTS (SELECT 1 FROM topic_deliveries WHERE message = ?);

DELETE FROM topic_policies WHERE topic = ?;

DELETE FROM topic_policies WHERE topic = ? AND NOT EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions
    ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND subscriptions.policy = topic_policies.number
);

DELETE FROM topic_remains WHERE share = ?;

DELETE FROM topic_shares WHERE topic = ?;

DELETE FROM topic_shares WHERE topic = ? AND coalesce(topic_shares.app, 0) = ?;

DELETE FROM topics WHERE number = ?;

DELETE FROM webhook_deliveries WHERE webhook = ? AND number <= (
    SELECT number FROM webhook_deliveries WHERE webhook = ?
    ORDER BY number DESC LIMIT 1 OFFSET ?
);

DELETE FROM webhooks WHERE id = ?;

INSERT INTO activities (app, id, attributes_type, created_at, fixed_bytes, start_alert, attributes, channel,
    channel_name, owner, timestamp, left_to_send, sent_through, version, joined, entries, state, priority)
VALUES (?, ?, ?, ?, ?,
    ?, ?, ?,
    ?, ?, 0, 0, 0, 0, 0, 0, 0, 0)
ON CONFLICT (app, id) DO NOTHING RETURNING number;

INSERT INTO activity_batches (batch, participants) VALUES (?, ?);

INSERT INTO activity_instants (activity, name, time) VALUES (?, ?, ?);

INSERT INTO activity_participants (number, position, sent_version, former_version, batch, recent_pushes, state, environment, origin, token, token_issued_at, started_at, frequent_updates, reason, activity, installation, joined_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

INSERT INTO activity_rollouts (id, activity, state, setbacks, created_at, claimable_at, throttle, planner,
    audience, progress)
VALUES (?, ?, ?, ?,
    ?, ?, ?, ?,
    ?, ?);

INSERT INTO activity_timeline (activity, sequence, time, kind, version, waiting, installation, detail, sends, changes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

INSERT INTO activity_transitions (activity, key, state, ended_at, due_at, planned_at, plan) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (activity, key) DO UPDATE SET state = excluded.state, due_at = excluded.due_at,
    planned_at = excluded.planned_at, ended_at = excluded.ended_at, plan = excluded.plan;

INSERT INTO activity_types (app, name, created_at, changed_at, content_state, attributes)
VALUES (?, ?, ?, ?, ?,
    ?)
ON CONFLICT (app, name) DO UPDATE SET changed_at = excluded.changed_at,
    content_state = excluded.content_state, attributes = excluded.attributes
RETURNING 1 AS is_new;

INSERT INTO activity_waiting (batch, position, participant) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

INSERT INTO api_keys (id, name, scopes, app, secret_hash, created_at, expires_at, revoked_at,
    signing_secret, policy, allowed_addresses, created_by)
VALUES (?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?,
    ?, ?)
ON CONFLICT DO NOTHING;

INSERT INTO apps (id, name, default_environment, created_at, installation_secrets,
    installations_bind_until, activity_joins, attestation, team_id)
VALUES (?, ?, ?, ?, ?,
    ?, ?, ?,
    ?)
ON CONFLICT DO NOTHING;

INSERT INTO audit_log (time, actor_type, action, resource, app, actor, actor_name, address, state_before,
    state_after)
VALUES (?, ?, ?, ?, ?, ?,
    ?, ?, ?,
    ?);

INSERT INTO batch_contents (topic, push_type, priority, expiration, collapse_id, payload, targets) VALUES (?, ?, ?, ?, ?, ?, ?);

INSERT INTO batch_counts (batch, kind, name, count) VALUES ($1, $2, $3, $4)
ON CONFLICT (batch, kind, name) DO UPDATE SET count = excluded.count
    + CASE WHEN batch_counts.count < 0 THEN 0 WHEN batch_counts.count > $5 THEN $5 ELSE batch_counts.count END;

INSERT INTO batch_failures (batch, position, kind, name, status, inactive_since) VALUES (?, ?, ?, ?, ?, ?);

INSERT INTO batch_kinds (app, environments, push_type) SELECT $1, $2, $3
WHERE NOT EXISTS (SELECT 1 FROM batch_kinds WHERE app = $1 AND environments = $2 AND push_type = $3)
ON CONFLICT DO NOTHING;

INSERT INTO batches (content, kind, next_target, delivered, setbacks, id, notification, ordinal, lane, state, claimable_at, failure, target_count, worker, created_at, expires_at, is_activity, app) VALUES (last_insert_rowid(), (SELECT number FROM batch_kinds WHERE batch_kinds.app = ?
    AND batch_kinds.environments = ? AND batch_kinds.push_type = ?), 0, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

INSERT INTO campaigns
    (id, app, definition, state, claimable_at, setbacks, planning_at, expires_at, paused_at)
VALUES (?, ?, ?, ?,
    ?, 0, ?, ?,
    ?);

INSERT INTO channels (app, name, environment, policy, state, created_at, channel)
VALUES (?, ?, ?, ?,
    ?, ?, ?);

INSERT INTO credential_troubles (app, environment, push_type, reason, code, since)
VALUES (?, ?, ?, ?,
    ?, ?)
ON CONFLICT DO NOTHING;

INSERT INTO credentials (id, app, key_id, team_id, certificate_format, sandbox, production, secret_path,
    password_path, sealed, created_at)
VALUES (?, ?, ?, ?, ?,
    ?, ?, ?,
    ?, ?, ?)
ON CONFLICT DO NOTHING;

INSERT INTO data_key (number, is_complete, sealed)
SELECT 1, CASE WHEN NOT EXISTS (SELECT 1 FROM devices WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM push_to_start_tokens WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_participants WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activities WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_transitions WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_timeline WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM campaigns WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM jobs WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM batch_contents WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM idempotency_records WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM stream_chunks WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM topic_messages WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM audit_log WHERE (action LIKE 'campaign.%' OR action LIKE 'job.%')) THEN 1 ELSE 0 END, ? WHERE NOT EXISTS (SELECT 1 FROM devices WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM push_to_start_tokens WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_participants WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activities WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_transitions WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_timeline WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM campaigns WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM jobs WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM batch_contents WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM idempotency_records WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM stream_chunks WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM topic_messages WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM audit_log WHERE (action LIKE 'campaign.%' OR action LIKE 'job.%'))
ON CONFLICT DO NOTHING;

INSERT INTO data_key (number, is_complete, sealed)
SELECT 1, CASE WHEN NOT EXISTS (SELECT 1 FROM devices WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM push_to_start_tokens WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_participants WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activities WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_transitions WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_timeline WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM campaigns WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM jobs WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM batch_contents WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM idempotency_records WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM stream_chunks WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM topic_messages WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM audit_log WHERE (action LIKE 'campaign.%' OR action LIKE 'job.%')) THEN 1 ELSE 0 END, ? WHERE TRUE
ON CONFLICT DO NOTHING;

INSERT INTO delivery_identity (number, certificate, sealed_key)
VALUES (1, ?, ?)
ON CONFLICT (number) DO UPDATE SET certificate = excluded.certificate, sealed_key = excluded.sealed_key;

INSERT INTO delivery_pauses
    (app, environment, credential, push_types, cause, reason, since, next_attempt)
SELECT number, ?, ?, ?,
    ?, ?, ?, ?
FROM apps WHERE id = ?
ON CONFLICT (app, environment, credential) DO UPDATE SET push_types = excluded.push_types,
    cause = excluded.cause, reason = excluded.reason, since = excluded.since,
    next_attempt = excluded.next_attempt;

INSERT INTO device_topics (device, topic) VALUES ($1, $2);

INSERT INTO devices (number, app, status, registered_at, seen_at, created_at, environment, token, installation,
    platform, app_version, system_version, locale, time_zone, user_id, tags, app_version_key, container,
    installation_secret)
VALUES ($1, $2, 0, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
ON CONFLICT DO NOTHING;

INSERT INTO devices (number, app, status, status_reason, status_since, environment, token, registered_at,
    seen_at, created_at, installation, user_data, container)
VALUES (?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?,
    ?, ?, ?);

INSERT INTO endpoint_publications (notification, platform, name, installation)
VALUES (?, ?, ?,
    ?);

INSERT INTO event_feeds (app, horizon) VALUES (?, ?)
ON CONFLICT (app) DO UPDATE SET horizon = max(horizon, excluded.horizon);

INSERT INTO events (app, time, kind, data) VALUES ($1, $2, $3, $4);

INSERT INTO idempotency_records (app, api_key, key, request_hash, notification, status, location, body, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, progress)
VALUES (?, ?, ?, ?, 1, ?, ?)
ON CONFLICT (kind, key) DO UPDATE SET interrupted_at = excluded.interrupted_at,
    progress = excluded.progress, tried_at = NULL, quarantined_at = NULL, reported_at = NULL, reason = NULL,
    count = CASE WHEN interruptions.quarantined_at IS NOT NULL
        OR interruptions.interrupted_at < ?
        OR interruptions.count NOT BETWEEN 0 AND ?
        OR coalesce(interruptions.progress, '') <> coalesce(excluded.progress, '')
        THEN 1 ELSE min(interruptions.count + 1, ?) END
RETURNING count;

INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, quarantined_at, reason)
VALUES (?, ?, ?, ?, 0, ?, ?, ?)
ON CONFLICT (kind, key) DO UPDATE SET reason = excluded.reason, reported_at = NULL,
    quarantined_at = coalesce(interruptions.quarantined_at, excluded.quarantined_at);

INSERT INTO job_runs (job, id, by_hand, due_at, occurrences, state, attempt, setbacks, processed, place,
    started_at, ended_at, claimable_at, skip, message)
VALUES (?, ?, ?, ?, ?,
    ?, ?, ?, ?, ?,
    ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING RETURNING number;

INSERT INTO jobs (app, id, definition, is_code, is_paused, next_at, due_at, created_at, updated_at)
VALUES (?, ?, ?, ?, ?,
    ?, ?, ?, ?);

INSERT INTO notifications (id, app, created_at, target_count, batch_count, is_open)
VALUES (?, ?, ?, 0, 0, true);

INSERT INTO notifications (is_open, id, app, created_at, target_count, batch_count, resend_of, resend_through) VALUES (false, ?, ?, ?, ?, ?, ?, ?);

INSERT INTO platform_applications (platform, name, app, environment, credential, attributes, created_at,
    container)
VALUES (?, ?, ?, ?,
    ?, ?, ?,
    ?);

INSERT INTO push_to_start_tokens (app, attributes_type, installation, environment, token, issued_at,
    supports_channels)
VALUES (?, ?, ?, ?,
    ?, ?, ?)
ON CONFLICT (app, attributes_type, installation) DO UPDATE
    SET environment = excluded.environment, token = excluded.token, issued_at = excluded.issued_at,
        supports_channels = excluded.supports_channels
    WHERE excluded.issued_at >= push_to_start_tokens.issued_at;

INSERT INTO settled_notifications (settled_at, notification, app) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

INSERT INTO stream_chunks (stream, end_line, first_line,
    notification, entries, created_at)
SELECT number, ?, ?,
    ?, ?, ?
FROM streams WHERE app = ? AND id = ?;

INSERT INTO streams (app, id, accepted_lines, accepted_at)
VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

INSERT INTO subscriptions (id, share, device, user_id, url, policy, state,
    attributes, confirmation, sealed_user, created_at)
SELECT ?, number, ?, ?,
    ?, ?, ?, ?,
    ?, ?, ?
FROM topic_shares WHERE number = ?;

INSERT INTO topic_deliveries (message, subscription, url, attempts, due_at)
SELECT ?, id, url, 0, ? FROM subscriptions
WHERE id = ? AND url IS NOT NULL AND (
    SELECT count(*) FROM (
        SELECT 1 FROM topic_deliveries WHERE topic_deliveries.subscription = subscriptions.id LIMIT ?
    ) AS waiting
) < ?;

INSERT INTO topic_deliveries (message, subscription, url, attempts, due_at)
VALUES (?, ?, ?, 0, ?);

INSERT INTO topic_messages (id, topic, content, created_at)
VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

INSERT INTO topic_policies (topic, digest, scope, policy)
VALUES (?, ?, ?, ?) RETURNING number;

INSERT INTO topic_remains (share) SELECT number FROM topic_shares WHERE topic = ?;

INSERT INTO topic_remains (share) SELECT number FROM topic_shares WHERE topic = ? AND coalesce(topic_shares.app, 0) = ?;

INSERT INTO topic_shares (topic, app) VALUES (?, ?) RETURNING number;

INSERT INTO topics (name, attributes, tags, created_at, unsubscribed)
VALUES (?, ?, ?, ?, 0) RETURNING *;

INSERT INTO webhook_deliveries (webhook, message, time, first, last, count, attempt, status, failure,
    excerpt, milliseconds)
VALUES (?, ?, ?, ?,
    ?, ?, ?, ?,
    ?, ?, ?);

INSERT INTO webhooks (id, app, url, secret, created_at, state, event, failures, next_attempt, lost)
VALUES (?, ?, ?, ?, ?,
    0, 0, 0, 0, 0)
ON CONFLICT DO NOTHING;

SELECT (
    SELECT jobs.due_at FROM jobs WHERE jobs.due_at IS NOT NULL AND jobs.is_code = 0
    ORDER BY jobs.due_at LIMIT 1
) AS due, (
    SELECT job_runs.claimable_at FROM job_runs CROSS JOIN jobs ON jobs.number = job_runs.job
    WHERE job_runs.claimable_at IS NOT NULL AND jobs.is_code = 0 ORDER BY job_runs.claimable_at LIMIT 1
) AS claimable;

SELECT (
    SELECT jobs.due_at FROM jobs WHERE jobs.due_at IS NOT NULL AND jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = ?) AND jobs.id IN (SELECT value FROM json_each(?))
    ORDER BY jobs.due_at LIMIT 1
) AS due, (
    SELECT job_runs.claimable_at FROM job_runs CROSS JOIN jobs ON jobs.number = job_runs.job
    WHERE job_runs.claimable_at IS NOT NULL AND jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = ?) AND jobs.id IN (SELECT value FROM json_each(?)) ORDER BY job_runs.claimable_at LIMIT 1
) AS claimable;

SELECT (SELECT count(*) FROM subscriptions WHERE share = ?) AS count,
    (SELECT count(*) FROM subscriptions WHERE share = ? AND state = 0) AS pending;

SELECT * FROM (SELECT number, time, kind, data FROM events WHERE app = ? AND number > ? ORDER BY number LIMIT ?) AS scanned WHERE kind IN (SELECT value FROM json_each(?))
ORDER BY number LIMIT ?;

SELECT * FROM activity_timeline
WHERE activity = (SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = ?) AND id = ?) AND sequence > ?
ORDER BY sequence LIMIT ?;

SELECT * FROM activity_transitions WHERE activity = (SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = ?) AND id = ?) ORDER BY key;

SELECT * FROM activity_transitions WHERE activity = ? AND state = 0 ORDER BY key;

SELECT * FROM apps WHERE id = ?;

SELECT * FROM apps WHERE id > ? ORDER BY id LIMIT ?;

SELECT * FROM audit_log WHERE number < ? AND number > ? AND TRUE AND app = ? AND actor = ? AND resource = ? AND time >= ? AND time < ? AND action > ? AND action < ?
ORDER BY number DESC LIMIT ?;

SELECT * FROM batch_failures WHERE batch = ?;

SELECT * FROM batch_failures WHERE batch = ?
    AND position >= ? AND position < ?;

SELECT * FROM batch_failures WHERE batch = ? AND position = ?;

SELECT * FROM batches
WHERE notification = ?
    AND id >= ?
    AND (state IN (4, 5, 6) OR EXISTS (
        SELECT 1 FROM batch_failures
        WHERE batch_failures.batch = batches.id
            AND (? IS NULL OR name = ?)
    ))
ORDER BY ordinal;

SELECT * FROM batches INDEXED BY batches_open
WHERE lane = $1 AND kind = $2 AND state = $3 AND claimable_at <= $4
    AND interrupted + (CASE WHEN state = 1 THEN 1 ELSE 0 END) <> $5
ORDER BY claimable_at, id LIMIT $6;

SELECT * FROM batches WHERE id = $1;

SELECT * FROM batches WHERE id = ?;

SELECT * FROM batches WHERE notification = ? AND (state < 3 OR state = 7)
ORDER BY ordinal;

SELECT * FROM batches WHERE notification = ? ORDER BY ordinal;

SELECT * FROM campaigns WHERE app = (SELECT number FROM apps WHERE id = ?) AND id < ? ORDER BY id DESC LIMIT ?;

SELECT * FROM campaigns WHERE claimable_at <= ? ORDER BY claimable_at LIMIT ?;

SELECT * FROM campaigns WHERE id = ?;

SELECT * FROM idempotency_records WHERE app = (SELECT number FROM apps WHERE id = ?) AND api_key = ? AND key = ?;

SELECT * FROM job_runs
WHERE job = (SELECT number FROM jobs WHERE app = (SELECT number FROM apps WHERE id = ?) AND id = ?) AND number < ?
ORDER BY number DESC LIMIT ?;

SELECT * FROM job_runs WHERE id = ?;

SELECT * FROM job_runs WHERE job = ? AND state < 2 ORDER BY number;

SELECT * FROM job_runs WHERE job = ? ORDER BY number DESC LIMIT 1;

SELECT * FROM job_runs WHERE number IN (
    SELECT (SELECT max(number) FROM job_runs WHERE job = jobs.number) FROM jobs
    WHERE number IN (SELECT value FROM json_each(?))
);

SELECT * FROM push_to_start_tokens
WHERE app = ? AND attributes_type = ? AND installation = ?;

SELECT * FROM stream_chunks WHERE stream = (SELECT number FROM streams WHERE app = (SELECT number FROM apps WHERE id = ?)
    AND id = ?) AND end_line > ?
ORDER BY end_line LIMIT ?;

SELECT * FROM streams WHERE accepted_at < ? ORDER BY accepted_at LIMIT ?;

SELECT * FROM topic_policies WHERE topic = ?;

SELECT * FROM topics WHERE name = ?;

SELECT * FROM topics WHERE name = ? AND EXISTS (SELECT 1 FROM topic_shares WHERE topic_shares.topic = topics.number AND coalesce(topic_shares.app, 0) = (SELECT number FROM apps WHERE id = ?));

SELECT * FROM topics WHERE name > ? AND EXISTS (SELECT 1 FROM topic_shares WHERE topic_shares.topic = topics.number AND coalesce(topic_shares.app, 0) = (SELECT number FROM apps WHERE id = ?)) ORDER BY name LIMIT ?;

SELECT * FROM topics WHERE name > ? ORDER BY name LIMIT ?;

SELECT * FROM webhook_deliveries WHERE webhook = ? ORDER BY number DESC LIMIT ?;

SELECT *, (SELECT id FROM apps WHERE apps.number = endpoint_events.app) AS app_id
FROM endpoint_events WHERE due_at <= ?
ORDER BY due_at, number LIMIT ?;

SELECT 1 AS found FROM devices
WHERE devices.app = ? AND devices.environment = ? AND devices.token = ? AND devices.registered_at <= ?;

SELECT 1 FROM activities WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT 1;

SELECT 1 FROM activities WHERE left_to_send > 0 LIMIT 1;

SELECT 1 FROM activity_rollouts WHERE claimable_at <= ? LIMIT 1;

SELECT 1 FROM activity_types WHERE app = ? AND name = ?;

SELECT 1 FROM batches WHERE state = 1 AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds) AND claimable_at > ?
    AND (worker = ? OR substr(worker, 1, length(?) + 1) = ? || '/')
    AND interrupted >= ? LIMIT 1;

SELECT 1 FROM batches WHERE state = 1 AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds) AND claimable_at > ?
    AND interrupted >= ? LIMIT 1;

SELECT 1 FROM campaigns WHERE claimable_at <= ? LIMIT 1;

SELECT 1 FROM campaigns WHERE id = ?;

SELECT 1 FROM campaigns WHERE id = ? AND planner = ?;

SELECT 1 FROM channels WHERE app = ? AND environment = ?
    AND channel = ?;

SELECT 1 FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND push_type = ?;

SELECT 1 FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND credential = ?;

SELECT 1 FROM endpoint_event_drops
UNION ALL SELECT 1 FROM endpoint_events WHERE due_at <= ? LIMIT 1;

SELECT 1 FROM notifications WHERE id = ?;

SELECT 1 FROM notifications WHERE id = ? AND (is_open OR EXISTS (SELECT 1 FROM batches WHERE notification = notifications.id AND (state < 3 OR state = 7)));

SELECT 1 FROM platform_applications
WHERE app = ? AND environment = ? AND container = ''
UNION ALL SELECT 1 FROM devices WHERE app = ? AND container = ? AND container <> '' LIMIT 1;

SELECT 1 FROM streams WHERE accepted_at < ? LIMIT 1;

SELECT 1 FROM subscriptions WHERE id = ? AND url IS NOT NULL;

SELECT 1 FROM subscriptions WHERE share = ? LIMIT 1 OFFSET ?;

SELECT 1 FROM topic_deliveries WHERE subscription = ? LIMIT 1;

SELECT 1 FROM topic_remains UNION ALL
SELECT 1 FROM subscriptions WHERE state = 0 AND created_at < ? LIMIT 1;

SELECT CAST(coalesce(sum(count), 0) AS bigint) AS targets,
    CAST(coalesce(sum(CASE WHEN claimable_at <= ? AND state <> 1 THEN count END), 0) AS bigint)
        AS overdue
FROM (
    SELECT claimable_at, state, CASE WHEN CAST(target_count AS bigint) - next_target < 0 THEN 0 WHEN CAST(target_count AS bigint) - next_target > ? THEN ?
    ELSE CAST(target_count AS bigint) - next_target END AS count
    FROM batches WHERE notification = ? AND (state < 3 OR state = 7)
) AS unsettled;

SELECT DISTINCT batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM batches
JOIN batch_kinds ON batch_kinds.number = batches.kind
JOIN apps ON apps.number = batches.app
WHERE batches.notification = ? AND batches.state < 3;

SELECT accepted_lines FROM streams WHERE app = (SELECT number FROM apps WHERE id = ?) AND id = ?;

SELECT accepted_lines FROM streams WHERE app = ? AND id = ?;

SELECT activities.*, ? AS app_id FROM activities
WHERE number = ?;

SELECT activities.number FROM activities
WHERE activities.number = ? AND activities.revision = ?;

SELECT activities.number, activities.id, coalesce((
        SELECT count FROM interruptions
        WHERE kind = 'activity' AND key = CAST(activities.number AS text) AND quarantined_at IS NULL
    ), 0) AS interruptions
FROM activities
WHERE due_at <= ? ORDER BY due_at, activities.number LIMIT ?;

SELECT activities.number, app, ? AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities WHERE app = ? AND activities.id = ?;

SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities CROSS JOIN apps ON apps.number = activities.app WHERE activities.number = ?;

SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities CROSS JOIN apps ON apps.number = activities.app WHERE due_at <= ? AND activities.number = ? ORDER BY due_at, activities.number LIMIT ?;

SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities CROSS JOIN apps ON apps.number = activities.app WHERE due_at <= ? ORDER BY due_at, activities.number LIMIT ?;

SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities CROSS JOIN apps ON apps.number = activities.app WHERE due_at = ? AND activities.number > ?
ORDER BY activities.number LIMIT ?;

SELECT activity, id FROM activity_rollouts WHERE activity = ? AND state = 0;

SELECT activity, key, plan FROM activity_transitions WHERE TRUE
ORDER BY activity, key LIMIT ?;

SELECT activity, name, time FROM activity_instants WHERE activity = ?;

SELECT activity, sequence, changes FROM activity_timeline WHERE TRUE
ORDER BY activity, sequence LIMIT ?;

SELECT activity_rollouts.*, activities.id AS activity_id, activities.state AS activity_state, attributes_type,
    apps.id AS app_id
FROM activity_rollouts JOIN activities ON activities.number = activity_rollouts.activity
JOIN apps ON apps.number = activities.app WHERE activity_rollouts.activity = (SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = ?) AND id = ?) ORDER BY activity_rollouts.id;

SELECT activity_rollouts.*, activities.id AS activity_id, activities.state AS activity_state, attributes_type,
    apps.id AS app_id
FROM activity_rollouts JOIN activities ON activities.number = activity_rollouts.activity
JOIN apps ON apps.number = activities.app WHERE activity_rollouts.id = ?;

SELECT activity_rollouts.*, activities.id AS activity_id, activities.state AS activity_state, attributes_type,
    apps.id AS app_id
FROM activity_rollouts JOIN activities ON activities.number = activity_rollouts.activity
JOIN apps ON apps.number = activities.app WHERE claimable_at <= ? ORDER BY claimable_at LIMIT ?;

SELECT activity_types.*, ? AS app_id FROM activity_types WHERE app = (SELECT number FROM apps WHERE id = ?) AND name = ?;

SELECT activity_types.*, ? AS app_id FROM activity_types WHERE app = (SELECT number FROM apps WHERE id = ?) ORDER BY name;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id = ?;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id > ? ORDER BY api_keys.id LIMIT ?;

SELECT app, api_key, key, body FROM idempotency_records WHERE TRUE
ORDER BY app, api_key, key LIMIT ?;

SELECT app, attributes_type, installation FROM (
    SELECT app, attributes_type, installation, issued_at FROM push_to_start_tokens WHERE (app, attributes_type, installation) > (?, ?, ?)
    ORDER BY app, attributes_type, installation LIMIT ?
) AS tokens
WHERE issued_at < ? AND NOT EXISTS (
    SELECT 1 FROM devices WHERE devices.app = tokens.app AND devices.installation = tokens.installation
) ORDER BY app, attributes_type, installation LIMIT ?;

SELECT app, attributes_type, installation FROM push_to_start_tokens WHERE (app, attributes_type, installation) > (?, ?, ?)
ORDER BY app, attributes_type, installation LIMIT 1 OFFSET ?;

SELECT app, attributes_type, installation, token FROM push_to_start_tokens WHERE TRUE
ORDER BY app, attributes_type, installation LIMIT ?;

SELECT app, id FROM streams WHERE (
    SELECT created_at < ? AND end_line <= accepted_lines FROM stream_chunks
    WHERE stream = streams.number
    ORDER BY end_line LIMIT 1
);

SELECT app, number FROM (
    SELECT app, number, seen_at, status, status_since, container FROM devices WHERE (number > ?)
    ORDER BY number LIMIT ?
) AS part
WHERE container = '' AND (seen_at < ? OR (status = 2 AND status_since < ?)) ORDER BY number LIMIT ?;

SELECT app, number FROM devices WHERE (number > ?) ORDER BY number
LIMIT 1 OFFSET ?;

SELECT app, number, installation FROM devices
WHERE (number > ?)
    AND NOT (number > ?) AND container = '' AND (seen_at < ? OR (status = 2 AND status_since < ?))
ORDER BY number;

SELECT apps.id AS id FROM topic_shares CROSS JOIN apps ON apps.number = topic_shares.app
WHERE topic_shares.topic = ? ORDER BY apps.id;

SELECT apps.number AS app, coalesce(feeds.horizon, 0) AS horizon FROM apps LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number WHERE apps.id = ?;

SELECT apps.number AS number FROM campaigns JOIN apps ON apps.number = campaigns.app
WHERE campaigns.id = ?;

SELECT batch_counts.* FROM batches CROSS JOIN batch_counts ON batch_counts.batch = batches.id
WHERE batches.notification = ?;

SELECT batches.*, apps.id AS app_id FROM batches JOIN apps ON apps.number = batches.app
WHERE batches.id = ?;

SELECT batches.id AS batch, batch_contents.* FROM batches JOIN batch_contents
ON batch_contents.number = batches.content
WHERE batches.id = ?;

SELECT batches.id AS batch, targets, target_count FROM batches JOIN batch_contents
ON batch_contents.number = batches.content
WHERE batches.id = ?;

SELECT batches.notification, batch_counts.kind, batch_counts.name,
    CAST(sum(CASE WHEN batch_counts.count < 0 THEN 0 WHEN batch_counts.count > ? THEN ?
    ELSE batch_counts.count END) AS bigint) AS count
FROM batches CROSS JOIN batch_counts ON batch_counts.batch = batches.id
WHERE batches.notification = ? GROUP BY batches.notification, batch_counts.kind, batch_counts.name;

SELECT certificate, sealed_key FROM delivery_identity;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE app = ? AND channels.name = ?;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = ? AND channels.name = ?;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = ? AND environment = ? ORDER BY channels.name;

SELECT coalesce(
        (
            SELECT number FROM events WHERE events.app = apps.number
            ORDER BY number DESC LIMIT 1 OFFSET ?
        ), coalesce(feeds.horizon, 0)
    ) AS last
FROM apps LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number WHERE apps.id = ?;

SELECT count(*) AS count FROM (
    SELECT 1 FROM subscriptions INDEXED BY subscriptions_by_user
    WHERE share = ? AND user_id IS NOT NULL LIMIT ?
);

SELECT count(*) AS count FROM (SELECT device AS value FROM device_topics INDEXED BY device_topics_by_topic WHERE topic = ? AND device > ? AND device <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
));

SELECT count(*) AS count FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id = ? AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
));

SELECT count(*) AS count FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id IN (SELECT value FROM json_each(?)) AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
));

SELECT count(*) AS count FROM (SELECT value FROM json_each(?)) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND TRUE;

SELECT count(*) AS count FROM activity_rollouts WHERE activity = ? AND state = 0;

SELECT count(*) AS count FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND TRUE AND NOT (environment = ? OR (coalesce(seen_at >= ?, FALSE)) OR (coalesce(registered_at < ?, FALSE)) OR coalesce(platform = ?, FALSE) OR coalesce(time_zone = ?, FALSE) OR (coalesce(app_version_key >= ?, FALSE)) OR CASE WHEN locale LIKE ?
    THEN substr(lower(replace(locale, '_', '-')) || '-', 1, ?) = ?
    ELSE FALSE END OR (user_id IS NOT NULL AND user_id IN (SELECT value FROM json_each(?))) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND TRUE) ELSE FALSE END OR coalesce(instr(tags, ?) > 0 OR instr(tags, ?) > 0, FALSE) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND instr(value, ?) > 0) ELSE FALSE END OR EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = ?) OR (EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = topics.name))))
    AND TRUE;

SELECT count(*) AS count FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
));

SELECT count(*) AS count FROM jobs WHERE app = ?;

SELECT count(*) AS count FROM topic_policies WHERE topic = ?;

SELECT count(*) AS count, max(number) AS last
FROM (SELECT number FROM events WHERE app = ? AND number > ? ORDER BY number LIMIT ?) AS scanned;

SELECT count(*) FILTER (WHERE state = 0) AS starting, count(*) FILTER (WHERE state = 1) AS active,
    count(*) FILTER (WHERE state = 2) AS ended,
    count(*) FILTER (WHERE state = 1 AND sent_version < ?) AS outdated
FROM activity_participants WHERE number BETWEEN ? AND ?
    AND origin <> ?;

SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app WHERE apps.id = ?
ORDER BY credentials.created_at DESC, credentials.id DESC;

SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app WHERE credentials.id = ?;

SELECT delivery_pauses.*, apps.id AS app_id FROM apps
JOIN delivery_pauses ON delivery_pauses.app = apps.number
WHERE apps.id = ?;

SELECT delivery_pauses.*, apps.id AS app_id FROM notifications
JOIN delivery_pauses ON delivery_pauses.app = notifications.app
JOIN apps ON apps.number = notifications.app
WHERE notifications.id = ?;

SELECT device AS value FROM device_topics INDEXED BY device_topics_by_topic WHERE topic = ? AND device > ? AND device <= ? ORDER BY value LIMIT ?;

SELECT device AS value FROM device_topics INDEXED BY device_topics_by_topic WHERE topic = ? AND device > ? AND device <= ? ORDER BY value LIMIT ? OFFSET ?;

SELECT device AS value FROM subscriptions INDEXED BY subscriptions_by_policy
WHERE share = ? AND policy = ? AND device > ? AND device <= ? ORDER BY value LIMIT ?;

SELECT devices.environment, devices.token FROM devices
WHERE devices.app = (SELECT number FROM apps WHERE id = ?) AND devices.environment = ? AND devices.token = ? AND devices.status < 2;

SELECT devices.number AS value FROM subscriptions INDEXED BY subscriptions_by_user
CROSS JOIN devices INDEXED BY devices_by_user
    ON devices.app = ? AND devices.user_id = subscriptions.user_id
WHERE share = ? AND policy IN (SELECT value FROM json_each(?))
    AND subscriptions.user_id IS NOT NULL AND devices.user_id IS NOT NULL AND devices.number > ? AND devices.number <= ? ORDER BY value LIMIT ?;

SELECT due_at FROM activities WHERE due_at > ? AND due_at <= ?
GROUP BY due_at HAVING count(*) >= ? ORDER BY due_at LIMIT 1;

SELECT due_at FROM activities WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1;

SELECT failures.*, NULL AS target FROM (SELECT * FROM batch_failures WHERE batch = ? AND position > ?
    AND (? IS NULL OR name = ?)) AS failures ORDER BY batch, position;

SELECT failures.*, NULL AS target FROM (SELECT batch_failures.* FROM batches
CROSS JOIN batch_failures ON batch_failures.batch = batches.id
WHERE batches.notification = ? AND batches.id >= ?
    AND (batch_failures.batch, batch_failures.position) > (?, ?)
ORDER BY batches.ordinal, batch_failures.position
LIMIT ?) AS failures ORDER BY batch, position;

SELECT found.lane, found.count, found.oldest, batch_kinds.environments, batch_kinds.push_type,
    apps.id AS app_id
FROM (
    SELECT lane, kind, count(*) AS count,
        min(id) AS oldest
    FROM batches INDEXED BY batches_open
    WHERE claimable_at IS NOT NULL AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds WHERE app = (SELECT number FROM apps WHERE id = ?)) GROUP BY lane, kind
) AS found
JOIN batch_kinds ON batch_kinds.number = found.kind JOIN apps ON apps.number = batch_kinds.app;

SELECT id AS id, (SELECT app FROM activities WHERE number = activity) AS app, CAST(progress AS text) AS progress FROM activity_rollouts
WHERE claimable_at > ?
    AND (planner = ? OR substr(planner, 1, length(?) + 1) = ? || '/');

SELECT id AS id, (SELECT app FROM jobs WHERE number = job) AS app, CAST(place AS text) AS progress FROM job_runs
WHERE claimable_at > ?
    AND (worker = ? OR substr(worker, 1, length(?) + 1) = ? || '/');

SELECT id AS id, app AS app, CAST(event AS text) AS progress FROM webhooks
WHERE leased_until > ?
    AND (worker = ? OR substr(worker, 1, length(?) + 1) = ? || '/');

SELECT id AS id, app AS app, CAST(plan AS text) AS progress FROM campaigns
WHERE claimable_at > ?
    AND (planner = ? OR substr(planner, 1, length(?) + 1) = ? || '/');

SELECT id FROM activities WHERE app = ? AND channel_name = ? AND state < 2 LIMIT 1;

SELECT id FROM apps WHERE number = ?;

SELECT id FROM batches WHERE id = ? AND halt IS NULL AND state < 3;

SELECT id, content FROM topic_messages WHERE TRUE
ORDER BY id LIMIT ?;

SELECT id, content,
    (SELECT length(payload) + length(targets) FROM batch_contents WHERE number = batches.content) AS bytes
FROM batches WHERE notification = ? ORDER BY ordinal LIMIT ?;

SELECT id, definition FROM campaigns WHERE TRUE
ORDER BY id LIMIT ?;

SELECT id, number FROM apps WHERE id = ?;

SELECT installation, environment, token FROM devices
WHERE app = (SELECT number FROM apps WHERE id = ?) AND installation = ? AND status < 2;

SELECT interruptions.number, kind, item, apps.id AS app_id, reason, quarantined_at
FROM interruptions LEFT JOIN apps ON apps.number = interruptions.app WHERE quarantined_at IS NOT NULL AND interruptions.number < ?
    AND (? IS NULL OR apps.id = ?) AND (? IS NULL OR kind = ?)
ORDER BY interruptions.number DESC LIMIT ?;

SELECT interruptions.number, kind, item, apps.id AS app_id, reason, quarantined_at
FROM interruptions LEFT JOIN apps ON apps.number = interruptions.app WHERE quarantined_at IS NOT NULL AND interruptions.number = ?;

SELECT interruptions.number, kind, item, apps.id AS app_id, reason, quarantined_at
FROM interruptions LEFT JOIN apps ON apps.number = interruptions.app WHERE quarantined_at IS NOT NULL AND reported_at IS NULL
ORDER BY interruptions.number LIMIT ?;

SELECT is_complete, sealed FROM data_key;

SELECT items.id AS key, items.sealed AS sealed, apps.id AS owner FROM credentials AS items JOIN apps ON apps.number = items.app WHERE TRUE
    AND items.sealed IS NOT NULL AND items.id > ?
ORDER BY items.id LIMIT ?;

SELECT items.id AS key, items.sealed_user AS sealed, topics.name AS owner FROM subscriptions AS items INDEXED BY subscriptions_sealed CROSS
JOIN topic_shares ON topic_shares.number = items.share
CROSS JOIN topics ON topics.number = topic_shares.topic
WHERE length(items.id) = 16
    AND items.sealed_user IS NOT NULL AND items.id > ?
ORDER BY items.id LIMIT ?;

SELECT items.id AS key, items.secret AS sealed, apps.id AS owner FROM webhooks AS items JOIN apps ON apps.number = items.app WHERE TRUE
    AND items.secret IS NOT NULL AND items.id > ?
ORDER BY items.id LIMIT ?;

SELECT items.id AS key, items.signing_secret AS sealed, apps.id AS owner FROM api_keys AS items LEFT JOIN apps ON apps.number = items.app WHERE revoked_at IS NULL
    AND items.signing_secret IS NOT NULL AND items.id > ?
ORDER BY items.id LIMIT ?;

SELECT items.number AS key, items.sealed AS sealed, CAST(NULL AS text) AS owner FROM data_key AS items WHERE TRUE
    AND items.sealed IS NOT NULL AND items.number > ?
ORDER BY items.number LIMIT ?;

SELECT items.number AS key, items.sealed_key AS sealed, CAST(NULL AS text) AS owner FROM delivery_identity AS items WHERE TRUE
    AND items.sealed_key IS NOT NULL AND items.number > ?
ORDER BY items.number LIMIT ?;

SELECT job_runs.*, jobs.id AS job_id, jobs.app, (SELECT id FROM apps WHERE number = jobs.app) AS app_id,
    jobs.definition, jobs.is_paused, jobs.next_at, jobs.created_at, jobs.updated_at
FROM job_runs CROSS JOIN jobs ON jobs.number = job_runs.job WHERE job_runs.claimable_at <= ? AND jobs.is_code = 0
ORDER BY job_runs.claimable_at, job_runs.number LIMIT ?;

SELECT job_runs.*, jobs.id AS job_id, jobs.app, (SELECT id FROM apps WHERE number = jobs.app) AS app_id,
    jobs.definition, jobs.is_paused, jobs.next_at, jobs.created_at, jobs.updated_at
FROM job_runs CROSS JOIN jobs ON jobs.number = job_runs.job WHERE job_runs.claimable_at <= ? AND jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = ?) AND jobs.id IN (SELECT value FROM json_each(?))
ORDER BY job_runs.claimable_at, job_runs.number LIMIT ?;

SELECT job_runs.job FROM job_runs JOIN jobs ON jobs.number = job_runs.job JOIN apps ON apps.number = jobs.app
WHERE job_runs.id = ?;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.app = (SELECT number FROM apps WHERE id = ?) AND jobs.id = ?;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.app = (SELECT number FROM apps WHERE id = ?) AND jobs.id > ? ORDER BY jobs.id LIMIT ?;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.app = ? AND jobs.id = ?;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.due_at <= ? AND jobs.is_code = 0
ORDER BY jobs.due_at LIMIT ?;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.due_at <= ? AND jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = ?) AND jobs.id IN (SELECT value FROM json_each(?))
ORDER BY jobs.due_at LIMIT ?;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.number = ?;

SELECT kind, count(*) AS count FROM events
WHERE app = ? AND number > ? AND number <= ? GROUP BY kind;

SELECT max(number) AS last FROM (
    SELECT number FROM events WHERE app = ? AND number <= ?
    ORDER BY number LIMIT ?
) AS oldest;

SELECT max(numbered_through, ?, coalesce(
    (
        SELECT number FROM devices WHERE number BETWEEN ? AND ?
        ORDER BY number DESC LIMIT 1
    ), 0
)) AS number FROM apps WHERE number = ?;

SELECT message FROM topic_deliveries WHERE number = ? AND worker = ?;

SELECT min(claimable_at) AS turn FROM batches INDEXED BY batches_unsettled
WHERE notification = ? AND (state < 3 OR state = 7)
HAVING min(state) = 2 AND max(state) = 2 AND min(claimable_at) > ?;

SELECT notification, CAST(sum(CASE WHEN delivered < 0 THEN 0 WHEN delivered > ? THEN ?
    ELSE delivered END) AS bigint) AS count FROM batches
WHERE batches.notification = ? GROUP BY notification;

SELECT notifications.*, (SELECT apps.id FROM apps WHERE apps.number = notifications.app) AS app_id, NOT is_open AND NOT EXISTS (
    SELECT 1 FROM batches WHERE notification = notifications.id AND (state < 3 OR state = 7)
) AS is_settled FROM notifications WHERE id = $1;

SELECT notifications.*, apps.id AS app_id FROM notifications JOIN apps ON apps.number = notifications.app WHERE notifications.id = ?;

SELECT notifications.*, apps.id AS app_id FROM notifications JOIN apps ON apps.number = notifications.app WHERE resend_of = ?
ORDER BY coalesce(resend_through, X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF');

SELECT number AS id, CAST(NULL AS bigint) AS app, CAST(attempts AS text) AS progress FROM topic_deliveries
WHERE worker IS NOT NULL AND +due_at > ?
    AND (worker = ? OR substr(worker, 1, length(?) + 1) = ? || '/');

SELECT number AS id, app AS app, CAST(NULL AS text) AS progress FROM endpoint_events
WHERE due_at > ?
    AND (worker = ? OR substr(worker, 1, length(?) + 1) = ? || '/');

SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id = ? AND number > ? AND number <= ? ORDER BY value LIMIT ?;

SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id = ? AND number > ? AND number <= ? ORDER BY value LIMIT ? OFFSET ?;

SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id IN (SELECT value FROM json_each(?)) AND number > ? AND number <= ? LIMIT 1 OFFSET ?;

SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = ?) AND id = ?;

SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = ?) AND number > ? AND attributes_type = ? AND state < 2 AND number IN (
    SELECT activity FROM activity_instants
    WHERE name = ? AND time >= ? AND time < ?
) ORDER BY number LIMIT ?;

SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = ?) AND number > ? AND state >= 2 ORDER BY number LIMIT ?;

SELECT number FROM activities WHERE app = ? AND attributes_type = ? AND state < 2 AND number IN (
    SELECT activity FROM activity_instants
    WHERE name = ? AND time >= ? AND time < ?
) AND number > ? ORDER BY number LIMIT ?;

SELECT number FROM apps WHERE id = $1;

SELECT number FROM apps WHERE id = ?;

SELECT number FROM audit_log WHERE number < ?
ORDER BY number DESC LIMIT 1 OFFSET ?;

SELECT number FROM audit_log WHERE time < ? ORDER BY time LIMIT  1;

SELECT number FROM devices WHERE app = ? AND installation = ?;

SELECT number FROM devices WHERE app = ? AND installation = ?
    AND environment = ? AND container = ?;

SELECT number FROM devices WHERE number > ? AND number <= ? ORDER BY number DESC LIMIT 1;

SELECT number FROM devices WHERE number > max((SELECT number FROM apps WHERE id = ?) * ?, ?) AND number < ((SELECT number FROM apps WHERE id = ?) * ?) + ? ORDER BY number LIMIT 1 OFFSET 9999;

SELECT number FROM topic_policies WHERE topic = ? AND digest = ?;

SELECT number FROM topic_shares WHERE topic = ? AND coalesce(topic_shares.app, 0) = ?;

SELECT number, app FROM topic_shares WHERE topic = ?;

SELECT number, content_state, attributes, alert, start_alert FROM activities WHERE TRUE
ORDER BY number LIMIT ?;

SELECT number, definition FROM jobs WHERE TRUE
ORDER BY number LIMIT ?;

SELECT number, entries FROM activities WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?;

SELECT number, environment, token FROM (SELECT device AS value FROM device_topics INDEXED BY device_topics_by_topic WHERE topic = ? AND device > ? AND device <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id = ? AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id IN (SELECT value FROM json_each(?)) AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token FROM (SELECT value FROM json_each(?)) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND TRUE ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND NOT (environment = ? OR (coalesce(seen_at >= ?, FALSE)) OR (coalesce(registered_at < ?, FALSE)) OR coalesce(platform = ?, FALSE) OR coalesce(time_zone = ?, FALSE) OR (coalesce(app_version_key >= ?, FALSE)) OR CASE WHEN locale LIKE ?
    THEN substr(lower(replace(locale, '_', '-')) || '-', 1, ?) = ?
    ELSE FALSE END OR (user_id IS NOT NULL AND user_id IN (SELECT value FROM json_each(?))) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND TRUE) ELSE FALSE END OR coalesce(instr(tags, ?) > 0 OR instr(tags, ?) > 0, FALSE) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND instr(value, ?) > 0) ELSE FALSE END OR EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = ?) OR (EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = topics.name))))
    AND TRUE ORDER BY number LIMIT ?;

SELECT number, environment, token FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT ?;

SELECT number, environment, token, locale FROM (SELECT device AS value FROM device_topics INDEXED BY device_topics_by_topic WHERE topic = ? AND device > ? AND device <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token, locale FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id = ? AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token, locale FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id IN (SELECT value FROM json_each(?)) AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token, locale FROM (SELECT value FROM json_each(?)) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND TRUE ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token, locale FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND NOT (environment = ? OR (coalesce(seen_at >= ?, FALSE)) OR (coalesce(registered_at < ?, FALSE)) OR coalesce(platform = ?, FALSE) OR coalesce(time_zone = ?, FALSE) OR (coalesce(app_version_key >= ?, FALSE)) OR CASE WHEN locale LIKE ?
    THEN substr(lower(replace(locale, '_', '-')) || '-', 1, ?) = ?
    ELSE FALSE END OR (user_id IS NOT NULL AND user_id IN (SELECT value FROM json_each(?))) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND TRUE) ELSE FALSE END OR coalesce(instr(tags, ?) > 0 OR instr(tags, ?) > 0, FALSE) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND instr(value, ?) > 0) ELSE FALSE END OR EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = ?) OR (EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = topics.name))))
    AND TRUE ORDER BY number LIMIT ?;

SELECT number, environment, token, locale FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT ?;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM (SELECT device AS value FROM device_topics INDEXED BY device_topics_by_topic WHERE topic = ? AND device > ? AND device <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id = ? AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id IN (SELECT value FROM json_each(?)) AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM (SELECT value FROM json_each(?)) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND TRUE ORDER BY chosen.value LIMIT ?;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND NOT (environment = ? OR (coalesce(seen_at >= ?, FALSE)) OR (coalesce(registered_at < ?, FALSE)) OR coalesce(platform = ?, FALSE) OR coalesce(time_zone = ?, FALSE) OR (coalesce(app_version_key >= ?, FALSE)) OR CASE WHEN locale LIKE ?
    THEN substr(lower(replace(locale, '_', '-')) || '-', 1, ?) = ?
    ELSE FALSE END OR (user_id IS NOT NULL AND user_id IN (SELECT value FROM json_each(?))) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND TRUE) ELSE FALSE END OR coalesce(instr(tags, ?) > 0 OR instr(tags, ?) > 0, FALSE) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND instr(value, ?) > 0) ELSE FALSE END OR EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = ?) OR (EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = topics.name))))
    AND TRUE ORDER BY number LIMIT ?;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone IN (SELECT value FROM json_each(?))) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT ?;

SELECT number, installation FROM (SELECT device AS value FROM device_topics INDEXED BY device_topics_by_topic WHERE topic = ? AND device > ? AND device <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, installation FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id = ? AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, installation FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id IN (SELECT value FROM json_each(?)) AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY chosen.value LIMIT ?;

SELECT number, installation FROM (SELECT value FROM json_each(?)) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND TRUE ORDER BY chosen.value LIMIT ?;

SELECT number, installation FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND TRUE AND NOT (environment = ? OR (coalesce(seen_at >= ?, FALSE)) OR (coalesce(registered_at < ?, FALSE)) OR coalesce(platform = ?, FALSE) OR coalesce(time_zone = ?, FALSE) OR (coalesce(app_version_key >= ?, FALSE)) OR CASE WHEN locale LIKE ?
    THEN substr(lower(replace(locale, '_', '-')) || '-', 1, ?) = ?
    ELSE FALSE END OR (user_id IS NOT NULL AND user_id IN (SELECT value FROM json_each(?))) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND TRUE) ELSE FALSE END OR coalesce(instr(tags, ?) > 0 OR instr(tags, ?) > 0, FALSE) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND instr(value, ?) > 0) ELSE FALSE END OR EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = ?) OR (EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = topics.name))))
    AND TRUE ORDER BY number LIMIT ?;

SELECT number, installation FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT ?;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ? AND container = ?
    AND token = ?;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE app = (SELECT number FROM apps WHERE id = ?) AND installation = ?;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE app = ? AND environment IN (0, 1) AND token = ?
ORDER BY number LIMIT 1000;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE app = ? AND installation = ?
    AND environment = ? AND container = ?;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE app = ? AND user_id = ?
ORDER BY number LIMIT 1000;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE number > max((SELECT number FROM apps WHERE id = ?) * ?, ?) AND number < ((SELECT number FROM apps WHERE id = ?) * ?) + ? AND TRUE ORDER BY number LIMIT ?;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE number > max((SELECT number FROM apps WHERE id = ?) * ?, ?) AND number < ((SELECT number FROM apps WHERE id = ?) * ?) + ? AND environment = ? AND container = ? ORDER BY number LIMIT ?;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE number > max((SELECT number FROM apps WHERE id = ?) * ?, ?) AND number < ((SELECT number FROM apps WHERE id = ?) * ?) + ? AND status = ? ORDER BY number LIMIT ?;

SELECT number, kind, key, tried_at, progress FROM interruptions
WHERE count = ? AND quarantined_at IS NULL
    AND kind IN (SELECT value FROM json_each(?));

SELECT number, kind, key, tried_at, progress FROM interruptions
WHERE count = ? AND quarantined_at IS NULL
    AND kind IN (SELECT value FROM json_each(?)) ORDER BY number;

SELECT number, payload, targets FROM batch_contents WHERE TRUE
ORDER BY number LIMIT ?;

SELECT number, registered_at FROM devices
WHERE app = $1 AND environment = $2 AND token = $3 AND container = $4;

SELECT number, registered_at, created_at, user_data, container, installation_secret,
    environment = $1 AND token = $2 AS has_token,
    status = 0 AND platform IS NOT DISTINCT FROM $3 AND app_version IS NOT DISTINCT FROM $4
        AND system_version IS NOT DISTINCT FROM $5 AND locale IS NOT DISTINCT FROM $6
        AND time_zone IS NOT DISTINCT FROM $7 AND user_id IS NOT DISTINCT FROM $8
        AND tags IS NOT DISTINCT FROM $9 AS has_profile,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) = $10 AS has_topics,
    user_id IS NOT DISTINCT FROM $8 AS has_user
FROM devices WHERE app = $11 AND installation = $12;

SELECT number, state, reason, origin, installation, environment, token, token_issued_at, frequent_updates,
sent_version, former_version, recent_pushes, joined_at, started_at, batch, position FROM activity_participants WHERE activity = ? AND installation = ? ORDER BY number;

SELECT number, state, reason, origin, installation, environment, token, token_issued_at, frequent_updates,
sent_version, former_version, recent_pushes, joined_at, started_at, batch, position FROM activity_participants WHERE number = ? ORDER BY number;

SELECT number, state, reason, origin, installation, environment, token, token_issued_at, frequent_updates,
sent_version, former_version, recent_pushes, joined_at, started_at, batch, position FROM activity_participants WHERE number > ? AND number <= ? ORDER BY number LIMIT ?;

SELECT number, state, reason, origin, installation, environment, token, token_issued_at, frequent_updates,
sent_version, former_version, recent_pushes, joined_at, started_at, batch, position FROM activity_participants WHERE number BETWEEN ? AND ? ORDER BY number;

SELECT number, state_before, state_after FROM audit_log WHERE TRUE
ORDER BY number LIMIT ?;

SELECT number, time, kind, data FROM events WHERE app = ? AND number > ? ORDER BY number LIMIT ?;

SELECT number, token FROM activity_participants WHERE TRUE
ORDER BY number LIMIT ?;

SELECT number, token FROM devices WHERE TRUE
ORDER BY number LIMIT ?;

SELECT number, user_id, installation, environment, token FROM devices
WHERE app = ? AND user_id = ? AND status < 2
ORDER BY number LIMIT ?;

SELECT number, version FROM activities WHERE app = (SELECT number FROM apps WHERE id = ?) AND id = ?;

SELECT participants FROM activity_batches WHERE batch = ?;

SELECT platform_applications.*, apps.id AS app_id FROM platform_applications
CROSS JOIN apps ON apps.number = platform_applications.app
WHERE (platform, platform_applications.name) > (?, ?)
    AND (? IS NULL OR apps.id = ?)
ORDER BY platform, platform_applications.name LIMIT ?;

SELECT platform_applications.*, apps.id AS app_id FROM platform_applications
CROSS JOIN apps ON apps.number = platform_applications.app WHERE platform_applications.platform = ? AND platform_applications.name = ?;

SELECT platform_applications.*, apps.id AS app_id, devices.token, devices.status, devices.status_reason,
    devices.status_since, devices.user_data
FROM platform_applications
CROSS JOIN apps ON apps.number = platform_applications.app
LEFT JOIN devices ON devices.app = platform_applications.app
    AND devices.environment = platform_applications.environment
    AND devices.container = platform_applications.container
    AND devices.installation = ?
WHERE platform_applications.platform = ? AND platform_applications.name = ?;

SELECT position, participant FROM activity_waiting
WHERE batch = ? AND position < ? ORDER BY position;

SELECT settled_at, notification FROM settled_notifications WHERE settled_at < ?
ORDER BY settled_at, notification LIMIT 1;

SELECT settled_at, notification FROM settled_notifications WHERE settled_at < ?
ORDER BY settled_at, notification LIMIT ?;

SELECT share FROM topic_remains ORDER BY share LIMIT 100;

SELECT stream, end_line, entries FROM stream_chunks WHERE TRUE
ORDER BY stream, end_line LIMIT ?;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions CROSS JOIN topic_shares ON topic_shares.number = subscriptions.share
CROSS JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = topic_shares.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE (? IS NULL OR topic_shares.app = ?) AND subscriptions.id > ?
ORDER BY subscriptions.id LIMIT ?;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions CROSS JOIN topic_shares ON topic_shares.number = subscriptions.share
CROSS JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = topic_shares.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE share = ? AND confirmation = ?;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions CROSS JOIN topic_shares ON topic_shares.number = subscriptions.share
CROSS JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = topic_shares.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE share = ? AND state > 0
ORDER BY subscriptions.id LIMIT ?;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions CROSS JOIN topic_shares ON topic_shares.number = subscriptions.share
CROSS JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = topic_shares.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE share = ? AND subscriptions.id > ?
ORDER BY subscriptions.id LIMIT ?;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions CROSS JOIN topic_shares ON topic_shares.number = subscriptions.share
CROSS JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = topic_shares.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE share = ? AND subscriptions.user_id = ?;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions CROSS JOIN topic_shares ON topic_shares.number = subscriptions.share
CROSS JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = topic_shares.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE share = ? AND url = ?;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions CROSS JOIN topic_shares ON topic_shares.number = subscriptions.share
CROSS JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = topic_shares.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE subscriptions.id = ?;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions CROSS JOIN topic_shares ON topic_shares.number = subscriptions.share
CROSS JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = topic_shares.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE topic_shares.app = ? AND device = ? AND share = ?;

SELECT time_zone, count(*) AS count FROM (SELECT device AS value FROM device_topics INDEXED BY device_topics_by_topic WHERE topic = ? AND device > ? AND device <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) GROUP BY time_zone LIMIT ?;

SELECT time_zone, count(*) AS count FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id = ? AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) GROUP BY time_zone LIMIT ?;

SELECT time_zone, count(*) AS count FROM (SELECT number AS value FROM devices INDEXED BY devices_by_user
WHERE app = ? AND user_id IN (SELECT value FROM json_each(?)) AND number > ? AND number <= ?) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) GROUP BY time_zone LIMIT ?;

SELECT time_zone, count(*) AS count FROM (SELECT value FROM json_each(?)) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND TRUE GROUP BY time_zone LIMIT ?;

SELECT time_zone, count(*) AS count FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND TRUE AND NOT (environment = ? OR (coalesce(seen_at >= ?, FALSE)) OR (coalesce(registered_at < ?, FALSE)) OR coalesce(platform = ?, FALSE) OR coalesce(time_zone = ?, FALSE) OR (coalesce(app_version_key >= ?, FALSE)) OR CASE WHEN locale LIKE ?
    THEN substr(lower(replace(locale, '_', '-')) || '-', 1, ?) = ?
    ELSE FALSE END OR (user_id IS NOT NULL AND user_id IN (SELECT value FROM json_each(?))) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND TRUE) ELSE FALSE END OR coalesce(instr(tags, ?) > 0 OR instr(tags, ?) > 0, FALSE) OR CASE WHEN instr(tags, ?) > 0 AND json_valid(tags)
    THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = ? AND instr(value, ?) > 0) ELSE FALSE END OR EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = ?) OR (EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND subscriptions.policy IN (SELECT value FROM json_each(?)) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares CROSS JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = ? AND coalesce(topic_shares.app, 0) = devices.app AND EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = topics.name))))
    AND TRUE GROUP BY time_zone LIMIT ?;

SELECT time_zone, count(*) AS count FROM devices NOT INDEXED WHERE number > ? AND number <= ? AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) GROUP BY time_zone LIMIT ?;

SELECT topic_deliveries.*, topic, content, created_at FROM topic_deliveries
CROSS JOIN topic_messages ON topic_messages.id = topic_deliveries.message
WHERE subscription = ? AND due_at <= ? ORDER BY due_at, number LIMIT ?;

SELECT topic_shares.number, topics.name FROM topics
CROSS JOIN topic_shares ON topic_shares.topic = topics.number
WHERE topics.number = ? AND coalesce(topic_shares.app, 0) = ?;

SELECT unsubscribed FROM topics WHERE number = ?;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE apps.id = ? ORDER BY webhooks.created_at, webhooks.id;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE webhooks.app = ? AND webhooks.event < ?
ORDER BY webhooks.id;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE webhooks.id = ?;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE webhooks.id = ? AND webhooks.worker = ?
;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE webhooks.state = 0 AND webhooks.next_attempt <= ?
    AND (webhooks.leased_until IS NULL OR webhooks.leased_until <= ?)
    AND EXISTS (SELECT 1 FROM events WHERE events.app = webhooks.app AND events.number > webhooks.event)
ORDER BY webhooks.next_attempt, webhooks.id LIMIT ?;

UPDATE activities SET content_state = ?, attributes = ?, alert = ?, start_alert = ?
WHERE activities.number = ?;

UPDATE activities SET state = ?, revision = ?, version = ?, timestamp = ?, priority = ?, stale_date = ?, relevance_score = ?, dismissal_date = ?, joined = ?, entries = ?, started_at = ?, expires_at = ?, content_state = ?, alert = ?, budget = ?
WHERE activities.number = ?;

UPDATE activities SET state = ?, revision = ?, version = ?, timestamp = ?, priority = ?, stale_date = ?, relevance_score = ?, dismissal_date = ?, joined = ?, entries = ?, started_at = ?, expires_at = ?, content_state = ?, alert = ?, budget = ?, ended_at = ?, transition_due_at = ?, left_to_send = ?, sent_through = ?, due_at = ?
WHERE activities.number = ?;

UPDATE activity_participants SET position = ?, sent_version = ?, former_version = ?, batch = ?, recent_pushes = ?
WHERE activity_participants.number = ?;

UPDATE activity_participants SET position = ?, sent_version = ?, former_version = ?, batch = ?, recent_pushes = ?, state = ?, environment = ?, origin = ?, token = ?, token_issued_at = ?, started_at = ?, frequent_updates = ?, reason = ?
WHERE activity_participants.number = ?;

UPDATE activity_participants SET token = ?
WHERE activity_participants.number = ?;

UPDATE activity_rollouts SET claimable_at = ? WHERE id IN (
    SELECT id FROM activity_rollouts
    WHERE claimable_at > ?
    AND (planner = ? OR substr(planner, 1, length(?) + 1) = ? || '/')
);

UPDATE activity_rollouts SET state = ?, setbacks = ?,
    claimable_at = ?, planner = ?,
    progress = ?
WHERE id = ?;

UPDATE activity_timeline SET changes = ?
WHERE activity_timeline.activity = ? AND activity_timeline.sequence = ?;

UPDATE activity_transitions SET plan = ?
WHERE activity_transitions.activity = ? AND activity_transitions.key = ?;

UPDATE activity_transitions SET state = ?, ended_at = ?
WHERE activity_transitions.activity = ? AND activity_transitions.key = ?;

UPDATE api_keys SET expires_at = ?, replaced_by = ? WHERE id = ?;

UPDATE api_keys SET last_used_at = ?, last_used_address = ?
WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?);

UPDATE api_keys SET revoked_at = ? WHERE id = ?;

UPDATE api_keys SET signing_secret = ?
WHERE id = ? AND signing_secret = ?;

UPDATE audit_log SET state_before = ?, state_after = ?
WHERE audit_log.number = ?;

UPDATE batch_contents SET payload = ?, targets = ?
WHERE batch_contents.number = ?;

UPDATE batches SET claimable_at = ? WHERE id IN (
    SELECT id FROM batches
    WHERE state = 1 AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds) AND claimable_at > ?
    AND (worker = ? OR substr(worker, 1, length(?) + 1) = ? || '/')
);

UPDATE batches SET state = $1, claimable_at = $2, next_target = $3, deferred = $4, delivered = $5, worker = $6,
    setbacks = $7, failure = $8, halt = $9, held = $10, interrupted = $11
WHERE id = $12;

UPDATE batches SET state = 3, claimable_at = NULL, next_target = target_count,
    delivered = target_count, interrupted = 0
WHERE batches.id = ? AND state + 0 = 1 AND batches.worker = ?
    AND target_count = ? AND next_target = 0 AND deferred IS NULL AND is_activity = 0
    AND EXISTS (
        SELECT 1 FROM notifications
        WHERE notifications.id = batches.notification AND batch_count = 1 AND NOT is_open
    )
    AND NOT EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = batches.notification)
RETURNING batches.id, batches.notification, batches.app, (SELECT apps.id FROM apps WHERE apps.number = batches.app) AS app_id;

UPDATE campaigns SET claimable_at = ? WHERE id = ? AND planner = ?;

UPDATE campaigns SET claimable_at = ? WHERE id IN (
    SELECT id FROM campaigns
    WHERE claimable_at > ?
    AND (planner = ? OR substr(planner, 1, length(?) + 1) = ? || '/')
);

UPDATE campaigns SET definition = ?
WHERE campaigns.id = ?;

UPDATE campaigns SET state = 3, planner = NULL, claimable_at = NULL, paused_at = NULL, runs_since = NULL,
    runs_from = NULL
WHERE id = ? AND state < 3
RETURNING *;

UPDATE campaigns SET state = ?, reason = ?,
    plan = ?, planner = ?, claimable_at = ?,
    setbacks = ?, paused_at = ?,
    runs_since = ?, runs_from = ?
WHERE id = ?;

UPDATE channels SET environment = ?, policy = ?,
    state = ?, created_at = ?,
    channel = ?
WHERE app = ? AND name = ?;

UPDATE credentials SET sealed = ?
WHERE id = ? AND sealed = ?;

UPDATE data_key SET is_complete = 1;

UPDATE delivery_identity SET sealed_key = ?
WHERE number = ? AND sealed_key = ?;

UPDATE devices SET environment = ?, status = 0, status_reason = NULL,
    status_since = NULL
WHERE devices.app = ? AND devices.environment = 1 - ?
    AND devices.token = ? AND devices.registered_at <= ?
    AND devices.status < 2 AND devices.container = '' AND NOT EXISTS (
        SELECT 1 FROM devices AS other
        WHERE other.app = ? AND other.environment = ?
            AND other.token = ? AND other.container = ''
    );

UPDATE devices SET registered_at = $1, seen_at = $1 WHERE number = $2;

UPDATE devices SET status = 1, status_reason = ?,
    status_since = ?
WHERE devices.app = ? AND devices.environment = ? AND devices.token = ? AND devices.status = ?
RETURNING ? AS position, devices.installation, devices.environment, devices.container,
    devices.status, devices.status_reason, devices.status_since;

UPDATE devices SET status = 2, status_reason = ?,
    status_since = ?
WHERE devices.app = ? AND devices.environment = ? AND devices.token = ? AND devices.status >= ? AND devices.status < 2 AND devices.registered_at <= ?
RETURNING ? AS position, devices.installation, devices.environment, devices.container,
    devices.status, devices.status_reason, devices.status_since;

UPDATE devices SET token = ?
WHERE devices.number = ?;

UPDATE devices SET token = ?, registered_at = ?,
    seen_at = ?, status = ?, status_reason = ?,
    status_since = ?, user_data = ?
WHERE app = ? AND installation = ?;

UPDATE devices SET user_id = NULL WHERE number IN (
    SELECT number FROM devices WHERE app = $1 AND user_id = $2
    ORDER BY registered_at DESC, number DESC LIMIT 1000 OFFSET $3
);

UPDATE endpoint_events SET due_at = ? WHERE number IN (
    SELECT number FROM endpoint_events
    WHERE due_at > ?
    AND (worker = ? OR substr(worker, 1, length(?) + 1) = ? || '/')
);

UPDATE endpoint_events SET worker = ?, due_at = ? WHERE number = ?;

UPDATE idempotency_records SET body = ?
WHERE idempotency_records.app = ? AND idempotency_records.api_key = ? AND idempotency_records.key = ?;

UPDATE idempotency_records SET status = ?, location = ?,
    body = ?
WHERE app = (SELECT number FROM apps WHERE id = ?) AND api_key = ? AND key = ?;

UPDATE interruptions SET quarantined_at = ?, tried_at = NULL, reported_at = NULL,
    reason = ?
WHERE kind = ? AND key = ?;

UPDATE interruptions SET reported_at = ?
WHERE number = ? AND reported_at IS NULL AND quarantined_at IS NOT NULL RETURNING kind, key;

UPDATE interruptions SET tried_at = ? WHERE number = ?;

UPDATE job_runs SET claimable_at = ? WHERE id IN (
    SELECT id FROM job_runs
    WHERE claimable_at > ?
    AND (worker = ? OR substr(worker, 1, length(?) + 1) = ? || '/')
);

UPDATE job_runs SET due_at = ?, occurrences = ?, state = ?,
    attempt = ?, setbacks = ?, processed = ?,
    place = ?, started_at = ?, ended_at = ?,
    claimable_at = ?, answer_status = ?, worker = ?,
    skip = ?, message = ?, campaign = ?
WHERE id = ?;

UPDATE jobs SET definition = ?
WHERE jobs.number = ?;

UPDATE jobs SET definition = ?, is_code = ?,
    is_paused = ?, next_at = ?, due_at = ?,
    updated_at = ?
WHERE number = ?;

UPDATE notifications SET is_open = false WHERE id = ? AND is_open RETURNING id;

UPDATE notifications SET target_count = target_count + ?,
    batch_count = batch_count + ?
WHERE id = ?;

UPDATE platform_applications SET credential = ?,
    attributes = ?
WHERE platform_applications.platform = ? AND platform_applications.name = ?;

UPDATE push_to_start_tokens SET token = ?
WHERE push_to_start_tokens.app = ? AND push_to_start_tokens.attributes_type = ? AND push_to_start_tokens.installation = ?;

UPDATE stream_chunks SET entries = ?
WHERE stream_chunks.stream = ? AND stream_chunks.end_line = ?;

UPDATE streams SET accepted_lines = ?, accepted_at = ?
WHERE app = ? AND id = ? AND accepted_lines = ?;

UPDATE subscriptions SET device = NULL, endpoint = ? WHERE device = ?;

UPDATE subscriptions SET policy = ?, attributes = ? WHERE id = ?;

UPDATE subscriptions SET sealed_user = ?
WHERE id = ? AND sealed_user = ?;

UPDATE subscriptions SET state = ? WHERE id = ?;

UPDATE topic_deliveries SET due_at = ? WHERE number IN (
    SELECT number FROM topic_deliveries
    WHERE worker IS NOT NULL AND +due_at > ?
    AND (worker = ? OR substr(worker, 1, length(?) + 1) = ? || '/')
);

UPDATE topic_deliveries SET worker = ?, due_at = ? WHERE number = ?;

UPDATE topic_deliveries SET worker = NULL, attempts = attempts + 1, due_at = ?
WHERE number = ?;

UPDATE topic_deliveries SET worker = NULL, due_at = 0 WHERE number = ?;

UPDATE topic_messages SET content = ?
WHERE topic_messages.id = ?;

UPDATE topics SET attributes = ?, tags = ? WHERE number = ?;

UPDATE topics SET unsubscribed = unsubscribed + 1 WHERE name = ?;

UPDATE webhooks SET leased_until = ? WHERE id = ?;

UPDATE webhooks SET leased_until = ? WHERE id IN (
    SELECT id FROM webhooks
    WHERE leased_until > ?
    AND (worker = ? OR substr(worker, 1, length(?) + 1) = ? || '/')
);

UPDATE webhooks SET leased_until = ?, worker = NULL WHERE id = ?;

UPDATE webhooks SET leased_until = ?, worker = NULL WHERE id = ? AND leased_until = ?;

UPDATE webhooks SET secret = ?
WHERE id = ? AND secret = ?;

UPDATE webhooks SET url = ?, kinds = ?, state = ?,
    disabled_reason = ?, disabled_at = ?, event = ?,
    retry_to = ?, failures = ?,
    failing_since = ?, next_attempt = ?, lost = ?
WHERE id = ?;

UPDATE webhooks SET worker = ?, leased_until = ? WHERE id = ?;

UPDATE webhooks SET worker = NULL, leased_until = NULL WHERE id = ? AND worker = ?;

WITH RECURSIVE open (kind) AS (
    SELECT (
        SELECT kind FROM batches INDEXED BY batches_open WHERE lane = $1 AND claimable_at IS NOT NULL
        ORDER BY kind LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT batches.kind FROM batches INDEXED BY batches_open
        WHERE batches.lane = $1 AND batches.kind > open.kind AND batches.claimable_at IS NOT NULL
        ORDER BY batches.kind LIMIT 1
    ) FROM open WHERE open.kind IS NOT NULL
)
SELECT batch_kinds.number, batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM open
CROSS JOIN batch_kinds ON batch_kinds.number = open.kind
CROSS JOIN apps ON apps.number = batch_kinds.app;

WITH RECURSIVE open (kind) AS (
    SELECT (
        SELECT kind FROM batches INDEXED BY batches_open WHERE lane = $1 AND claimable_at IS NOT NULL
        ORDER BY kind LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT batches.kind FROM batches INDEXED BY batches_open
        WHERE batches.lane = $1 AND batches.kind > open.kind AND batches.claimable_at IS NOT NULL
        ORDER BY batches.kind LIMIT 1
    ) FROM open WHERE open.kind IS NOT NULL
)
SELECT min((
    SELECT batches.claimable_at FROM batches INDEXED BY batches_open
    WHERE batches.lane = $1 AND batches.kind = open.kind AND batches.state = 2 AND batches.claimable_at > $2
    ORDER BY batches.claimable_at LIMIT 1
)) AS claimable_at FROM open;

WITH RECURSIVE queues (subscription) AS (
    SELECT (SELECT subscription FROM topic_deliveries ORDER BY subscription LIMIT 1)
    UNION ALL
    SELECT (
        SELECT subscription FROM topic_deliveries WHERE subscription > queues.subscription
        ORDER BY subscription LIMIT 1
    )
    FROM queues WHERE queues.subscription IS NOT NULL
), due (subscription, due_at) AS (
    SELECT subscription, (
        SELECT due_at FROM topic_deliveries WHERE subscription = queues.subscription
        ORDER BY due_at LIMIT 1
    )
    FROM queues WHERE subscription IS NOT NULL
)
SELECT subscription FROM due
WHERE due_at <= ? AND NOT EXISTS (
    SELECT 1 FROM topic_deliveries
    WHERE subscription = due.subscription AND worker IS NOT NULL AND due_at > ?
)
ORDER BY due_at LIMIT ?;

WITH ends AS MATERIALIZED (
    SELECT apps.number AS app, max(
        coalesce(
            (
                SELECT CASE WHEN number > 0 THEN number - 1 ELSE -1 END FROM events
                WHERE events.app = apps.number AND time >= ? ORDER BY number LIMIT 1
            ),
            (SELECT max(number) FROM events WHERE events.app = apps.number), 0
        ),
        coalesce(
            (
                SELECT number FROM events WHERE events.app = apps.number
                ORDER BY number DESC LIMIT 1 OFFSET ?
            ), 0
        )
    ) AS last
    FROM apps
)
SELECT app, last FROM ends
WHERE EXISTS (SELECT 1 FROM events WHERE events.app = ends.app AND events.number <= ends.last);

WITH old AS MATERIALIZED (
    SELECT rowid FROM idempotency_records WHERE created_at < ?
    ORDER BY created_at LIMIT ?
)
DELETE FROM idempotency_records WHERE (rowid) IN (SELECT rowid FROM old);

WITH wanted AS (SELECT ? AS app, told.platform, told.name, told.installation, ? AS kind,
    (attributes ->> ?) AS topic, told.notification, ? AS failure, ? AS reason
FROM endpoint_publications AS told JOIN platform_applications USING (platform, name)
WHERE told.notification = ? AND (attributes ->> ?) IS NOT NULL)
INSERT INTO endpoint_event_drops (process, count)
SELECT 1, count(*) FROM wanted WHERE NOT (coalesce((SELECT max(number) FROM endpoint_events), 0)
    - coalesce((SELECT min(number) FROM endpoint_events), 0) < ?
OR (SELECT count(*) FROM (SELECT 1 FROM endpoint_events LIMIT ?) AS waiting) < ?) HAVING count(*) > 0
ON CONFLICT (process) DO UPDATE SET count = endpoint_event_drops.count + excluded.count;

WITH wanted AS (SELECT ? AS app, told.platform, told.name, told.installation, ? AS kind,
    (attributes ->> ?) AS topic, told.notification, ? AS failure, ? AS reason
FROM endpoint_publications AS told JOIN platform_applications USING (platform, name)
WHERE told.notification = ? AND (attributes ->> ?) IS NOT NULL) INSERT INTO endpoint_events (app, platform, name, installation, kind, topic, time, due_at, notification,
    failure, reason)
SELECT app, platform, name, installation, kind, topic, ?, ?, notification, failure, reason
FROM wanted WHERE (coalesce((SELECT max(number) FROM endpoint_events), 0)
    - coalesce((SELECT min(number) FROM endpoint_events), 0) < ?
OR (SELECT count(*) FROM (SELECT 1 FROM endpoint_events LIMIT ?) AS waiting) < ?);

WITH wanted AS (SELECT app, platform, name, ? AS installation, ? AS kind, (attributes ->> ?) AS topic,
    ? AS notification, ? AS failure, ? AS reason
FROM platform_applications
WHERE app = ? AND environment = ? AND container = ?
    AND (attributes ->> ?) IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM endpoint_publications AS told WHERE told.notification = ?
        AND told.platform = platform_applications.platform AND told.name = platform_applications.name
))
INSERT INTO endpoint_event_drops (process, count)
SELECT 1, count(*) FROM wanted WHERE NOT (coalesce((SELECT max(number) FROM endpoint_events), 0)
    - coalesce((SELECT min(number) FROM endpoint_events), 0) < ?
OR (SELECT count(*) FROM (SELECT 1 FROM endpoint_events LIMIT ?) AS waiting) < ?) HAVING count(*) > 0
ON CONFLICT (process) DO UPDATE SET count = endpoint_event_drops.count + excluded.count;

WITH wanted AS (SELECT app, platform, name, ? AS installation, ? AS kind, (attributes ->> ?) AS topic,
    ? AS notification, ? AS failure, ? AS reason
FROM platform_applications
WHERE app = ? AND environment = ? AND container = ?
    AND (attributes ->> ?) IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM endpoint_publications AS told WHERE told.notification = ?
        AND told.platform = platform_applications.platform AND told.name = platform_applications.name
)) INSERT INTO endpoint_events (app, platform, name, installation, kind, topic, time, due_at, notification,
    failure, reason)
SELECT app, platform, name, installation, kind, topic, ?, ?, notification, failure, reason
FROM wanted WHERE (coalesce((SELECT max(number) FROM endpoint_events), 0)
    - coalesce((SELECT min(number) FROM endpoint_events), 0) < ?
OR (SELECT count(*) FROM (SELECT 1 FROM endpoint_events LIMIT ?) AS waiting) < ?);
