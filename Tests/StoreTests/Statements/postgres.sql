DELETE FROM activities WHERE number = $1;

DELETE FROM activity_due WHERE activity = $1;

DELETE FROM activity_due WHERE activity = ANY ($1);

DELETE FROM activity_instants WHERE activity = $1;

DELETE FROM activity_participants WHERE number IN (
    SELECT number FROM activity_participants
    WHERE number BETWEEN $1 AND $2 LIMIT $3
);

DELETE FROM activity_rollouts WHERE activity = $1 AND state > 0 AND id NOT IN (
    SELECT id FROM activity_rollouts WHERE activity = $2 AND state > 0
    ORDER BY id DESC LIMIT $3
);

DELETE FROM activity_types WHERE app = (SELECT number FROM apps WHERE id = $1) AND name = $2;

DELETE FROM activity_waiting USING unnest($1, $2) WITH ORDINALITY AS told (batch, position, row_position)
WHERE activity_waiting.batch = told.batch AND activity_waiting.position = told.position;

DELETE FROM audit_log WHERE number IN (SELECT number FROM audit_log WHERE time < $1 ORDER BY time LIMIT  $2 FOR UPDATE SKIP LOCKED);

DELETE FROM batch_contents WHERE batch = ANY ($1);

DELETE FROM batch_counts WHERE batch = ANY ($1);

DELETE FROM batch_failures WHERE batch = ANY ($1);

DELETE FROM batches WHERE id = ANY ($1);

DELETE FROM campaigns WHERE id = ANY ($1);

DELETE FROM channels WHERE app = (SELECT number FROM apps WHERE id = $1) AND name = $2
    AND state = $3
    AND channel IS NOT DISTINCT FROM $4;

DELETE FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND push_type = $3 RETURNING *;

DELETE FROM credentials WHERE id = $1;

DELETE FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND credential = $3;

DELETE FROM devices USING unnest($1, $2, $3) WITH ORDINALITY AS old (app, number, installation, row_position)
WHERE devices.app = old.app AND devices.number = old.number;

DELETE FROM devices WHERE app = $1 AND environment = $2 AND container = $3
    AND token = $4 AND installation <> $5
RETURNING installation;

DELETE FROM devices WHERE app = $1 AND number = $2;

DELETE FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND installation = $2;

DELETE FROM endpoint_event_drops WHERE process IN (SELECT process FROM endpoint_event_drops FOR UPDATE SKIP LOCKED) RETURNING count;

DELETE FROM endpoint_events WHERE number = $1 AND worker = $2;

DELETE FROM events WHERE app = $1 AND number <= $2;

DELETE FROM interruptions
WHERE kind = 'activity' AND key = ANY ($1) AND quarantined_at IS NULL;

DELETE FROM interruptions
WHERE number <= (SELECT max(number) FROM interruptions) - $1;

DELETE FROM interruptions
WHERE quarantined_at IS NULL AND (count < 2 OR kind = 'activity')
    AND interrupted_at < $1;

DELETE FROM interruptions WHERE number = $1 RETURNING key;

DELETE FROM job_runs WHERE job = $1 AND state >= 2 AND number <= (
    SELECT number FROM job_runs WHERE job = $2 ORDER BY number DESC LIMIT 1 OFFSET $3
);

DELETE FROM jobs WHERE jobs.app = (SELECT number FROM apps WHERE id = $1) AND jobs.id = $2;

DELETE FROM notifications WHERE id = ANY ($1);

DELETE FROM platform_applications WHERE platform_applications.platform = $1 AND platform_applications.name = $2;

DELETE FROM push_to_start_tokens AS tokens USING unnest($1, $2, $3) WITH ORDINALITY AS old (app, attributes_type, installation, row_position)
WHERE tokens.app = old.app AND tokens.attributes_type = old.attributes_type
    AND tokens.installation = old.installation AND issued_at < $4 AND NOT EXISTS (
    SELECT 1 FROM devices WHERE devices.app = tokens.app AND devices.installation = tokens.installation
);

DELETE FROM push_to_start_tokens USING unnest($1, $2, $3) WITH ORDINALITY AS old (app, number, installation, row_position) WHERE push_to_start_tokens.app = old.app
    AND push_to_start_tokens.installation = old.installation;

DELETE FROM push_to_start_tokens WHERE app = $1 AND installation IN (
    SELECT installation FROM devices WHERE app = $2 AND number = $3
);

DELETE FROM push_to_start_tokens WHERE app = (SELECT number FROM apps WHERE id = $1) AND installation = $2;

DELETE FROM settled_notifications USING unnest($1, $2) WITH ORDINALITY AS done (settled_at, notification, row_position)
WHERE settled_notifications.settled_at = done.settled_at
    AND settled_notifications.notification = done.notification;

DELETE FROM stream_chunks WHERE app = $1
    AND stream = $2 AND end_line <= (
    SELECT max(end_line) FROM (
        SELECT end_line, created_at FROM stream_chunks WHERE app = $3
    AND stream = $4 ORDER BY end_line LIMIT $5
    ) AS oldest
    WHERE created_at < $6 AND end_line <= (
        SELECT accepted_lines FROM streams WHERE app = $7 AND id = $8
    )
);

DELETE FROM stream_chunks WHERE ctid = ANY (ARRAY (
    SELECT chunk.ctid FROM unnest($1, $2) WITH ORDINALITY AS old (app, id, row_position) CROSS JOIN LATERAL (
        SELECT ctid, end_line FROM stream_chunks
        WHERE stream_chunks.app = old.app AND stream_chunks.stream = old.id
        ORDER BY end_line LIMIT $3
    ) AS chunk
    ORDER BY old.row_position, chunk.end_line LIMIT $4
));

DELETE FROM streams USING unnest($1, $2) WITH ORDINALITY AS old (app, id, row_position)
WHERE streams.app = old.app AND streams.id = old.id AND NOT EXISTS (
    SELECT FROM stream_chunks
    WHERE stream_chunks.app = streams.app AND stream_chunks.stream = streams.id
);

DELETE FROM subscriptions WHERE id = $1;

DELETE FROM subscriptions WHERE id = $1
    AND (endpoint IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM topic_shares WHERE topic_shares.number = subscriptions.share
    ));

DELETE FROM subscriptions WHERE id IN (
    SELECT id FROM subscriptions WHERE share = $1 LIMIT $2
);

DELETE FROM subscriptions WHERE id IN (
    SELECT id FROM subscriptions WHERE state = 0 AND created_at < $1
    LIMIT $2 FOR UPDATE SKIP LOCKED
);

DELETE FROM topic_deliveries WHERE number = $1;

DELETE FROM topic_messages WHERE id = $1
    AND NOT EXISTS (SELECT 1 FROM topic_deliveries WHERE message = $2);

DELETE FROM topic_policies WHERE topic = $1;

DELETE FROM topic_policies WHERE topic = $1 AND NOT EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions
    ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $2 AND subscriptions.policy = topic_policies.number
);

DELETE FROM topic_remains WHERE share = $1;

DELETE FROM topic_shares WHERE topic = $1;

DELETE FROM topic_shares WHERE topic = $1 AND topic_shares.app = $2;

DELETE FROM topics WHERE number = $1;

DELETE FROM webhook_deliveries WHERE webhook = $1 AND number <= (
    SELECT number FROM webhook_deliveries WHERE webhook = $2
    ORDER BY number DESC LIMIT 1 OFFSET $3
);

DELETE FROM webhooks WHERE id = $1;

INSERT INTO activities (app, id, attributes_type, created_at, fixed_bytes, start_alert, attributes, channel,
    channel_name, owner, timestamp, left_to_send, sent_through, version, joined, entries, state, priority)
VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8,
    $9, $10, 0, 0, 0, 0, 0, 0, 0, 0)
ON CONFLICT (app, id) DO NOTHING RETURNING number;

INSERT INTO activity_batches (batch, participants) SELECT told.batch, told.participants FROM unnest($1, $2) WITH ORDINALITY AS told (batch, participants, row_position) ORDER BY row_position;

INSERT INTO activity_due (activity, due_at) SELECT told.activity, told.due_at FROM unnest($1, $2) WITH ORDINALITY AS told (activity, due_at, row_position) ORDER BY row_position ON CONFLICT (activity) DO UPDATE SET due_at = excluded.due_at WHERE activity_due.due_at <> excluded.due_at;

INSERT INTO activity_instants (activity, name, time) SELECT told.activity, told.name, told.time FROM unnest($1, $2, $3) WITH ORDINALITY AS told (activity, name, time, row_position) ORDER BY row_position;

INSERT INTO activity_participants (number, position, sent_version, former_version, batch, recent_pushes, state, environment, origin, token, token_issued_at, started_at, frequent_updates, reason, activity, installation, joined_at) SELECT told.number, told.position, told.sent_version, told.former_version, told.batch, told.recent_pushes, told.state, told.environment, told.origin, told.token, told.token_issued_at, told.started_at, told.frequent_updates, told.reason, told.activity, told.installation, told.joined_at FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) WITH ORDINALITY AS told (number, position, sent_version, former_version, batch, recent_pushes, state, environment, origin, token, token_issued_at, started_at, frequent_updates, reason, activity, installation, joined_at, row_position) ORDER BY row_position;

INSERT INTO activity_rollouts (id, activity, state, setbacks, created_at, claimable_at, throttle, planner,
    audience, progress)
VALUES ($1, $2, $3, $4,
    $5, $6, $7, $8,
    $9, $10);

INSERT INTO activity_timeline (activity, sequence, time, kind, version, waiting, installation, detail, sends, changes) SELECT told.activity, told.sequence, told.time, told.kind, told.version, told.waiting, told.installation, told.detail, told.sends, told.changes FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) WITH ORDINALITY AS told (activity, sequence, time, kind, version, waiting, installation, detail, sends, changes, row_position) ORDER BY row_position;

INSERT INTO activity_transitions (activity, key, state, ended_at, due_at, planned_at, plan) SELECT told.activity, told.key, told.state, told.ended_at, told.due_at, told.planned_at, told.plan FROM unnest($1, $2, $3, $4, $5, $6, $7) WITH ORDINALITY AS told (activity, key, state, ended_at, due_at, planned_at, plan, row_position) ORDER BY row_position ON CONFLICT (activity, key) DO UPDATE SET state = excluded.state, due_at = excluded.due_at,
    planned_at = excluded.planned_at, ended_at = excluded.ended_at, plan = excluded.plan;

INSERT INTO activity_types (app, name, created_at, changed_at, content_state, attributes)
VALUES ($1, $2, $3, $4, $5,
    $6)
ON CONFLICT (app, name) DO UPDATE SET changed_at = excluded.changed_at,
    content_state = excluded.content_state, attributes = excluded.attributes
RETURNING CASE WHEN xmax = 0 THEN 1 ELSE 0 END AS is_new;

INSERT INTO activity_waiting (batch, position, participant) SELECT told.batch, told.position, told.participant FROM unnest($1, $2, $3) WITH ORDINALITY AS told (batch, position, participant, row_position) ORDER BY row_position ON CONFLICT DO NOTHING;

INSERT INTO api_keys (id, name, scopes, app, secret_hash, created_at, expires_at, revoked_at,
    signing_secret, policy, allowed_addresses, created_by)
VALUES ($1, $2, $3, $4, $5, $6,
    $7, $8, $9, $10,
    $11, $12)
ON CONFLICT DO NOTHING;

INSERT INTO apps (id, name, default_environment, created_at, installation_secrets,
    installations_bind_until, activity_joins, attestation, team_id)
VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8,
    $9)
ON CONFLICT DO NOTHING;

INSERT INTO audit_log (time, actor_type, action, resource, app, actor, actor_name, address, state_before,
    state_after)
VALUES ($1, $2, $3, $4, $5, $6,
    $7, $8, $9,
    $10);

INSERT INTO batch_contents (batch, topic, push_type, priority, expiration, collapse_id, payload, targets) SELECT new.batch, new.topic, new.push_type, new.priority, new.expiration, new.collapse_id, new.payload, new.targets FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) WITH ORDINALITY AS new (batch, topic, push_type, priority, expiration, collapse_id, payload, targets, row_position) ORDER BY row_position ON CONFLICT DO NOTHING;

INSERT INTO batch_counts (batch, kind, name, count) VALUES ($1, $2, $3, $4)
ON CONFLICT (batch, kind, name) DO UPDATE SET count = excluded.count
    + CASE WHEN batch_counts.count < 0 THEN 0 WHEN batch_counts.count > $5 THEN $5 ELSE batch_counts.count END;

INSERT INTO batch_failures (batch, position, kind, name, status, inactive_since) SELECT $1, new.position, new.kind, new.name, new.status, new.inactive_since FROM unnest($2, $3, $4, $5, $6) WITH ORDINALITY AS new (position, kind, name, status, inactive_since, row_position) ORDER BY row_position;

INSERT INTO batch_kinds (app, environments, push_type) SELECT $1, $2, $3
WHERE NOT EXISTS (SELECT 1 FROM batch_kinds WHERE app = $1 AND environments = $2 AND push_type = $3)
ON CONFLICT DO NOTHING;

INSERT INTO batches (kind, next_target, delivered, setbacks, id, notification, ordinal, lane, state, claimable_at, failure, target_count, worker, created_at, expires_at, is_activity, app) SELECT (SELECT number FROM batch_kinds WHERE batch_kinds.app = new.app
    AND batch_kinds.environments = new.environments AND batch_kinds.push_type = new.push_type), 0, 0, 0, new.id, new.notification, new.ordinal, new.lane, new.state, new.claimable_at, new.failure, new.target_count, new.worker, new.created_at, new.expires_at, new.is_activity, new.app FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) WITH ORDINALITY AS new (id, notification, ordinal, lane, state, claimable_at, failure, target_count, worker, created_at, expires_at, is_activity, app, environments, push_type, row_position) ORDER BY row_position;

INSERT INTO campaigns
    (id, app, definition, state, claimable_at, setbacks, planning_at, expires_at, paused_at)
VALUES ($1, $2, $3, $4,
    $5, 0, $6, $7,
    $8);

INSERT INTO channels (app, name, environment, policy, state, created_at, channel)
VALUES ($1, $2, $3, $4,
    $5, $6, $7);

INSERT INTO credential_troubles (app, environment, push_type, reason, code, since)
VALUES ($1, $2, $3, $4,
    $5, $6)
ON CONFLICT DO NOTHING;

INSERT INTO credentials (id, app, key_id, team_id, certificate_format, sandbox, production, secret_path,
    password_path, sealed, created_at)
VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8,
    $9, $10, $11)
ON CONFLICT DO NOTHING;

INSERT INTO data_key (number, is_complete, sealed)
SELECT 1, CASE WHEN NOT EXISTS (SELECT 1 FROM devices WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM push_to_start_tokens WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_participants WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activities WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_transitions WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_timeline WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM campaigns WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM jobs WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM batch_contents WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM idempotency_records WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM stream_chunks WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM topic_messages WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM audit_log WHERE (action LIKE 'campaign.%' OR action LIKE 'job.%')) THEN 1 ELSE 0 END, $1 WHERE NOT EXISTS (SELECT 1 FROM devices WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM push_to_start_tokens WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_participants WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activities WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_transitions WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_timeline WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM campaigns WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM jobs WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM batch_contents WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM idempotency_records WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM stream_chunks WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM topic_messages WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM audit_log WHERE (action LIKE 'campaign.%' OR action LIKE 'job.%'))
ON CONFLICT DO NOTHING;

INSERT INTO data_key (number, is_complete, sealed)
SELECT 1, CASE WHEN NOT EXISTS (SELECT 1 FROM devices WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM push_to_start_tokens WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_participants WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activities WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_transitions WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM activity_timeline WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM campaigns WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM jobs WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM batch_contents WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM idempotency_records WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM stream_chunks WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM topic_messages WHERE TRUE) AND NOT EXISTS (SELECT 1 FROM audit_log WHERE (action LIKE 'campaign.%' OR action LIKE 'job.%')) THEN 1 ELSE 0 END, $1 WHERE TRUE
ON CONFLICT DO NOTHING;

INSERT INTO delivery_identity (number, certificate, sealed_key)
VALUES (1, $1, $2)
ON CONFLICT (number) DO UPDATE SET certificate = excluded.certificate, sealed_key = excluded.sealed_key;

INSERT INTO delivery_pauses
    (app, environment, credential, push_types, cause, reason, since, next_attempt)
SELECT number, $1, $2, $3,
    $4, $5, $6, $7
FROM apps WHERE id = $8 FOR KEY SHARE
ON CONFLICT (app, environment, credential) DO UPDATE SET push_types = excluded.push_types,
    cause = excluded.cause, reason = excluded.reason, since = excluded.since,
    next_attempt = excluded.next_attempt;

INSERT INTO devices (app, status, seen_at, tags, topics, installation, container, created_at, registered_at, environment, token, platform, app_version, app_version_key, system_version, locale, time_zone, user_id, installation_secret) SELECT $1, 0, new.registered_at, new.tags::jsonb, new.topics::text[], new.installation, new.container, new.created_at, new.registered_at, new.environment, new.token, new.platform, new.app_version, new.app_version_key, new.system_version, new.locale, new.time_zone, new.user_id, new.installation_secret FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) WITH ORDINALITY AS new (installation, container, created_at, registered_at, environment, token, platform, app_version, app_version_key, system_version, locale, time_zone, user_id, tags, topics, installation_secret, row_position) ORDER BY row_position
ON CONFLICT (app, installation) DO UPDATE SET status = 0, status_since = NULL, status_reason = NULL,
    seen_at = excluded.seen_at, registered_at = excluded.registered_at, environment = excluded.environment, token = excluded.token, platform = excluded.platform, app_version = excluded.app_version, app_version_key = excluded.app_version_key, system_version = excluded.system_version, locale = excluded.locale, time_zone = excluded.time_zone, user_id = excluded.user_id, tags = excluded.tags, topics = excluded.topics, installation_secret = excluded.installation_secret
RETURNING installation, created_at, user_data, container;

INSERT INTO devices (number, app, status, status_reason, status_since, environment, token, registered_at,
    seen_at, created_at, installation, user_data, container)
VALUES (nextval('device_numbers'), $1, $2, $3, $4, $5,
    $6, $7, $8, $9,
    $10, $11, $12);

INSERT INTO endpoint_publications (notification, platform, name, installation)
VALUES ($1, $2, $3,
    $4);

INSERT INTO event_feeds (app, horizon) SELECT number, 0 FROM apps WHERE id = $1
ON CONFLICT DO NOTHING;

INSERT INTO idempotency_records (app, api_key, key, request_hash, notification, status, location, body, created_at) SELECT new.app, new.api_key, new.key, new.request_hash, new.notification, new.status, new.location, new.body, new.created_at FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) WITH ORDINALITY AS new (app, api_key, key, request_hash, notification, status, location, body, created_at, row_position) ORDER BY row_position;

INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, progress)
VALUES ($1, $2, $3, $4, 1, $5, $6)
ON CONFLICT (kind, key) DO UPDATE SET interrupted_at = excluded.interrupted_at,
    progress = excluded.progress, tried_at = NULL, quarantined_at = NULL, reported_at = NULL, reason = NULL,
    count = CASE WHEN interruptions.quarantined_at IS NOT NULL
        OR interruptions.interrupted_at < $7
        OR interruptions.count NOT BETWEEN 0 AND $8
        OR coalesce(interruptions.progress, '') <> coalesce(excluded.progress, '')
        THEN 1 ELSE least(interruptions.count + 1, $9) END
RETURNING count;

INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, quarantined_at, reason)
VALUES ($1, $2, $3, $4, 0, $5, $6, $7)
ON CONFLICT (kind, key) DO UPDATE SET reason = excluded.reason, reported_at = NULL,
    quarantined_at = coalesce(interruptions.quarantined_at, excluded.quarantined_at);

INSERT INTO job_runs (job, id, by_hand, due_at, occurrences, state, attempt, setbacks, processed, place,
    started_at, ended_at, claimable_at, skip, message)
VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8, $9, $10,
    $11, $12, $13, $14, $15)
ON CONFLICT (id) DO NOTHING RETURNING number;

INSERT INTO jobs (app, id, definition, is_code, is_paused, next_at, due_at, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5,
    $6, $7, $8, $9);

INSERT INTO notifications (id, app, created_at, target_count, batch_count, is_open)
VALUES ($1, $2, $3, 0, 0, true);

INSERT INTO notifications (open_batches, is_open, id, app, created_at, target_count, batch_count, resend_of, resend_through) SELECT new.batch_count, false, new.id, new.app, new.created_at, new.target_count, new.batch_count, new.resend_of, new.resend_through FROM unnest($1, $2, $3, $4, $5, $6, $7) WITH ORDINALITY AS new (id, app, created_at, target_count, batch_count, resend_of, resend_through, row_position) ORDER BY row_position;

INSERT INTO platform_applications (platform, name, app, environment, credential, attributes, created_at,
    container)
VALUES ($1, $2, $3, $4,
    $5, $6, $7,
    $8);

INSERT INTO push_to_start_tokens (app, attributes_type, installation, environment, token, issued_at,
    supports_channels)
VALUES ($1, $2, $3, $4,
    $5, $6, $7)
ON CONFLICT (app, attributes_type, installation) DO UPDATE
    SET environment = excluded.environment, token = excluded.token, issued_at = excluded.issued_at,
        supports_channels = excluded.supports_channels
    WHERE excluded.issued_at >= push_to_start_tokens.issued_at;

INSERT INTO settled_notifications (settled_at, notification, app) SELECT new.settled_at, new.notification, new.app FROM unnest($1, $2, $3) WITH ORDINALITY AS new (settled_at, notification, app, row_position) ORDER BY row_position ON CONFLICT DO NOTHING;

INSERT INTO stream_chunks (app, stream, end_line, first_line,
    notification, entries, created_at)
SELECT app, id, $1, $2,
    $3, $4, $5
FROM streams WHERE app = $6 AND id = $7;

INSERT INTO streams (app, id, accepted_lines, accepted_at)
VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

INSERT INTO subscriptions (id, share, app, device, user_id, url, policy, state,
    attributes, confirmation, sealed_user, created_at)
SELECT $1, number, app, $2, $3,
    $4, $5, $6, $7,
    $8, $9, $10
FROM topic_shares WHERE number = $11;

INSERT INTO topic_deliveries (message, subscription, url, attempts, due_at)
SELECT $1, id, url, 0, $2 FROM subscriptions
WHERE id = $3 AND url IS NOT NULL AND (
    SELECT count(*) FROM (
        SELECT 1 FROM topic_deliveries WHERE topic_deliveries.subscription = subscriptions.id LIMIT $4
    ) AS waiting
) < $5;

INSERT INTO topic_deliveries (message, subscription, url, attempts, due_at)
VALUES ($1, $2, $3, 0, $4);

INSERT INTO topic_messages (id, topic, content, created_at)
VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

INSERT INTO topic_policies (topic, digest, scope, policy)
VALUES ($1, $2, $3, $4) RETURNING number;

INSERT INTO topic_remains (share) SELECT number FROM topic_shares WHERE topic = $1;

INSERT INTO topic_remains (share) SELECT number FROM topic_shares WHERE topic = $1 AND topic_shares.app = $2;

INSERT INTO topic_shares (topic, app) VALUES ($1, $2) RETURNING number;

INSERT INTO topics (name, attributes, tags, created_at, unsubscribed)
VALUES ($1, $2, $3, $4, 0) RETURNING *;

INSERT INTO webhook_deliveries (webhook, message, time, first, last, count, attempt, status, failure,
    excerpt, milliseconds)
VALUES ($1, $2, $3, $4,
    $5, $6, $7, $8,
    $9, $10, $11);

INSERT INTO webhooks (id, app, url, secret, created_at, state, event, failures, next_attempt, lost)
VALUES ($1, $2, $3, $4, $5,
    0, 0, 0, 0, 0)
ON CONFLICT DO NOTHING;

LOCK TABLE delivery_identity IN SHARE ROW EXCLUSIVE MODE;

SELECT (
    SELECT jobs.due_at FROM jobs WHERE jobs.due_at IS NOT NULL AND jobs.is_code = 0
    ORDER BY jobs.due_at LIMIT 1
) AS due, (
    SELECT job_runs.claimable_at FROM job_runs JOIN jobs ON jobs.number = job_runs.job
    WHERE job_runs.claimable_at IS NOT NULL AND jobs.is_code = 0 ORDER BY job_runs.claimable_at LIMIT 1
) AS claimable;

SELECT (
    SELECT jobs.due_at FROM jobs WHERE jobs.due_at IS NOT NULL AND jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = $1) AND jobs.id = ANY ($2)
    ORDER BY jobs.due_at LIMIT 1
) AS due, (
    SELECT job_runs.claimable_at FROM job_runs JOIN jobs ON jobs.number = job_runs.job
    WHERE job_runs.claimable_at IS NOT NULL AND jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = $3) AND jobs.id = ANY ($4) ORDER BY job_runs.claimable_at LIMIT 1
) AS claimable;

SELECT (SELECT count(*) FROM subscriptions WHERE share = $1) AS count,
    (SELECT count(*) FROM subscriptions WHERE share = $2 AND state = 0) AS pending;

SELECT * FROM (SELECT number, time, kind, data FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3) AS scanned WHERE kind = ANY ($4)
ORDER BY number LIMIT $5;

SELECT * FROM activity_timeline
WHERE activity = (SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = $1) AND id = $2) AND sequence > $3
ORDER BY sequence LIMIT $4;

SELECT * FROM activity_transitions WHERE activity = $1 AND state = 0 ORDER BY key;

SELECT * FROM activity_transitions WHERE activity = (SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = $1) AND id = $2) ORDER BY key;

SELECT * FROM apps WHERE id = $1;

SELECT * FROM apps WHERE id > $1 ORDER BY id LIMIT $2;

SELECT * FROM audit_log WHERE number < $1 AND number > $2 AND TRUE AND app = $3 AND actor = $4 AND resource = $5 AND time >= $6 AND time < $7 AND action > $8 AND action < $9
ORDER BY number DESC LIMIT $10;

SELECT * FROM batch_failures WHERE batch = $1;

SELECT * FROM batch_failures WHERE batch = $1
    AND position >= $2 AND position < $3;

SELECT * FROM batch_failures WHERE batch = $1 AND position = $2;

SELECT * FROM batches
WHERE notification = $1
    AND id >= $2
    AND (state IN (4, 5, 6) OR EXISTS (
        SELECT 1 FROM batch_failures
        WHERE batch_failures.batch = batches.id
            AND ($3 IS NULL OR name = $4)
    ))
ORDER BY ordinal;

SELECT * FROM batches WHERE id = $1;

SELECT * FROM batches WHERE id = $1 AND needs_relief;

SELECT * FROM batches WHERE id = $1 FOR UPDATE;

SELECT * FROM batches WHERE id = $1 ORDER BY id FOR UPDATE;

SELECT * FROM batches WHERE id = ANY ($1);

SELECT * FROM batches WHERE notification = $1 AND (state < 3 OR state = 7)
ORDER BY id FOR UPDATE;

SELECT * FROM batches WHERE notification = $1 ORDER BY ordinal;

SELECT * FROM campaigns WHERE app = (SELECT number FROM apps WHERE id = $1) AND id < $2 ORDER BY id DESC LIMIT $3;

SELECT * FROM campaigns WHERE claimable_at <= $1 ORDER BY claimable_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED;

SELECT * FROM campaigns WHERE id = $1;

SELECT * FROM campaigns WHERE id = $1 FOR NO KEY UPDATE;

SELECT * FROM idempotency_records WHERE app = (SELECT number FROM apps WHERE id = $1) AND api_key = $2 AND key = $3;

SELECT * FROM job_runs
WHERE job = (SELECT number FROM jobs WHERE app = (SELECT number FROM apps WHERE id = $1) AND id = $2) AND number < $3
ORDER BY number DESC LIMIT $4;

SELECT * FROM job_runs WHERE id = $1;

SELECT * FROM job_runs WHERE job = $1 AND state < 2 ORDER BY number;

SELECT * FROM job_runs WHERE job = $1 ORDER BY number DESC LIMIT 1;

SELECT * FROM job_runs WHERE number IN (
    SELECT (SELECT max(number) FROM job_runs WHERE job = jobs.number) FROM jobs
    WHERE number = ANY ($1)
);

SELECT * FROM push_to_start_tokens
WHERE app = $1 AND attributes_type = $2 AND installation = $3;

SELECT * FROM push_to_start_tokens
WHERE app = $1 AND attributes_type = $2 AND installation = ANY ($3);

SELECT * FROM stream_chunks WHERE app = (SELECT number FROM apps WHERE id = $1)
    AND stream = $2 AND end_line > $3
ORDER BY end_line LIMIT $4;

SELECT * FROM streams WHERE accepted_at < $1 ORDER BY accepted_at LIMIT $2 FOR UPDATE SKIP LOCKED;

SELECT * FROM topic_policies WHERE topic = $1;

SELECT * FROM topics WHERE name = $1;

SELECT * FROM topics WHERE name = $1 AND EXISTS (SELECT 1 FROM topic_shares WHERE topic_shares.topic = topics.number AND topic_shares.app = (SELECT number FROM apps WHERE id = $2));

SELECT * FROM topics WHERE name = $1 FOR KEY SHARE;

SELECT * FROM topics WHERE name = $1 FOR NO KEY UPDATE;

SELECT * FROM topics WHERE name = $1 FOR UPDATE;

SELECT * FROM topics WHERE name > $1 AND EXISTS (SELECT 1 FROM topic_shares WHERE topic_shares.topic = topics.number AND topic_shares.app = (SELECT number FROM apps WHERE id = $2)) ORDER BY name LIMIT $3;

SELECT * FROM topics WHERE name > $1 ORDER BY name LIMIT $2;

SELECT * FROM webhook_deliveries WHERE webhook = $1 ORDER BY number DESC LIMIT $2;

SELECT *, (SELECT id FROM apps WHERE apps.number = endpoint_events.app) AS app_id
FROM endpoint_events WHERE due_at <= $1
ORDER BY due_at, number LIMIT $2 FOR UPDATE SKIP LOCKED;

SELECT 1 AS found FROM devices, unnest($1, $2) WITH ORDINALITY AS told (environment, token, row_position)
WHERE devices.app = (SELECT number FROM apps WHERE id = $3) AND devices.environment = told.environment AND devices.token = told.token AND devices.registered_at <= $4;

SELECT 1 FROM activities WHERE ended_at IS NOT NULL AND ended_at < $1 LIMIT 1;

SELECT 1 FROM activities WHERE left_to_send > 0 LIMIT 1;

SELECT 1 FROM activity_rollouts WHERE claimable_at <= $1 LIMIT 1;

SELECT 1 FROM apps WHERE number = $1 FOR NO KEY UPDATE;

SELECT 1 FROM batches WHERE state = 1 AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds) AND claimable_at > $1
    AND (worker = $2 OR substr(worker, 1, length($3) + 1) = $4 || '/')
    AND interrupted >= $5 LIMIT 1;

SELECT 1 FROM batches WHERE state = 1 AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds) AND claimable_at > $1
    AND interrupted >= $2 LIMIT 1;

SELECT 1 FROM campaigns WHERE claimable_at <= $1 LIMIT 1;

SELECT 1 FROM campaigns WHERE id = $1;

SELECT 1 FROM campaigns WHERE id = $1 AND planner = $2;

SELECT 1 FROM channels WHERE app = $1 AND environment = $2
    AND channel = $3;

SELECT 1 FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND push_type = $3;

SELECT 1 FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND credential = $3;

SELECT 1 FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND user_id = ANY ($2) AND user_id IS NOT NULL LIMIT 1 OFFSET $3;

SELECT 1 FROM devices WHERE topics @> ARRAY[$1] AND topics <> '{}' LIMIT 1 OFFSET $2;

SELECT 1 FROM devices, unnest($1, $2, $3) WITH ORDINALITY AS told (app, environment, token, row_position)
WHERE devices.app = told.app AND devices.environment = told.environment
    AND devices.token = told.token
ORDER BY devices.app, devices.installation FOR NO KEY UPDATE OF devices;

SELECT 1 FROM endpoint_event_drops
UNION ALL SELECT 1 FROM endpoint_events WHERE due_at <= $1 LIMIT 1;

SELECT 1 FROM notifications WHERE id = $1;

SELECT 1 FROM notifications WHERE id = $1 FOR NO KEY UPDATE;

SELECT 1 FROM platform_applications
WHERE app = $1 AND environment = $2 AND container = ''
UNION ALL SELECT 1 FROM devices WHERE app = $3 AND container = $4 AND container <> '' LIMIT 1;

SELECT 1 FROM streams WHERE accepted_at < $1 LIMIT 1;

SELECT 1 FROM subscriptions WHERE id = $1 AND url IS NOT NULL;

SELECT 1 FROM subscriptions WHERE id = $1 FOR NO KEY UPDATE;

SELECT 1 FROM subscriptions WHERE share = $1 LIMIT 1 OFFSET $2;

SELECT 1 FROM topic_deliveries WHERE subscription = $1 LIMIT 1;

SELECT 1 FROM topic_messages WHERE id = $1 FOR UPDATE;

SELECT 1 FROM topic_remains UNION ALL
SELECT 1 FROM subscriptions WHERE state = 0 AND created_at < $1 LIMIT 1;

SELECT 1 FROM topic_shares WHERE number = $1 FOR NO KEY UPDATE;

SELECT 1 FROM topics JOIN topic_policies ON topic_policies.topic = topics.number
WHERE topics.name = $1 AND topic_policies.digest = $2;

SELECT CAST(coalesce(sum(count), 0) AS bigint) AS targets,
    CAST(coalesce(sum(CASE WHEN claimable_at <= $1 AND state <> 1 THEN count END), 0) AS bigint)
        AS overdue
FROM (
    SELECT claimable_at, state, CASE WHEN CAST(target_count AS bigint) - next_target < 0 THEN 0 WHEN CAST(target_count AS bigint) - next_target > $2 THEN $3
    ELSE CAST(target_count AS bigint) - next_target END AS count
    FROM batches WHERE notification = $4 AND (state < 3 OR state = 7)
) AS unsettled;

SELECT DISTINCT batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM batches
JOIN batch_kinds ON batch_kinds.number = batches.kind
JOIN apps ON apps.number = batches.app
WHERE batches.notification = $1 AND batches.state < 3;

SELECT accepted_lines FROM streams WHERE app = $1 AND id = $2;

SELECT accepted_lines FROM streams WHERE app = (SELECT number FROM apps WHERE id = $1) AND id = $2;

SELECT activities.*, $1 AS app_id FROM activities
WHERE number = $2 ORDER BY number;

SELECT activities.number FROM activities, unnest($1, $2) WITH ORDINALITY AS told (number, revision, row_position)
WHERE activities.number = told.number AND activities.revision = told.revision ORDER BY activities.number FOR UPDATE OF activities SKIP LOCKED;

SELECT activities.number, activities.id, coalesce((
        SELECT count FROM interruptions
        WHERE kind = 'activity' AND key = CAST(activities.number AS text) AND quarantined_at IS NULL
    ), 0) AS interruptions
FROM activities JOIN activity_due ON activity_due.activity = activities.number
WHERE due_at <= $1 ORDER BY due_at, activities.number LIMIT $2;

SELECT activities.number, app, $1 AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities WHERE app = $2 AND activities.id = $3;

SELECT activities.number, app, $1 AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities WHERE app = $2 AND activities.id = $3 ORDER BY activities.number FOR UPDATE OF activities;

SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities JOIN apps ON apps.number = activities.app JOIN activity_due ON activity_due.activity = activities.number WHERE due_at <= $1 AND activity_due.activity = $2 ORDER BY due_at, activity_due.activity LIMIT $3 FOR UPDATE OF activities, activity_due SKIP LOCKED;

SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities JOIN apps ON apps.number = activities.app JOIN activity_due ON activity_due.activity = activities.number WHERE due_at <= $1 ORDER BY due_at, activity_due.activity LIMIT $2 FOR UPDATE OF activities, activity_due SKIP LOCKED;

SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities JOIN apps ON apps.number = activities.app JOIN activity_due ON activity_due.activity = activities.number WHERE due_at = $1 AND activity_due.activity > $2
ORDER BY activity_due.activity LIMIT $3;

SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities JOIN apps ON apps.number = activities.app WHERE activities.number = $1 ORDER BY activities.number FOR UPDATE OF activities;

SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
    relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
    dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
    transition_due_at
FROM activities JOIN apps ON apps.number = activities.app WHERE activities.number = ANY ($1) ORDER BY activities.number FOR UPDATE OF activities;

SELECT activity, id FROM activity_rollouts WHERE activity = $1 AND state = 0;

SELECT activity, key, plan FROM activity_transitions WHERE TRUE
ORDER BY activity, key LIMIT $1 FOR UPDATE;

SELECT activity, name, time FROM activity_instants WHERE activity = $1;

SELECT activity, sequence, changes FROM activity_timeline WHERE TRUE
ORDER BY activity, sequence LIMIT $1 FOR UPDATE;

SELECT activity_rollouts.*, activities.id AS activity_id, activities.state AS activity_state, attributes_type,
    apps.id AS app_id
FROM activity_rollouts JOIN activities ON activities.number = activity_rollouts.activity
JOIN apps ON apps.number = activities.app WHERE activity_rollouts.activity = (SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = $1) AND id = $2) ORDER BY activity_rollouts.id;

SELECT activity_rollouts.*, activities.id AS activity_id, activities.state AS activity_state, attributes_type,
    apps.id AS app_id
FROM activity_rollouts JOIN activities ON activities.number = activity_rollouts.activity
JOIN apps ON apps.number = activities.app WHERE activity_rollouts.id = $1;

SELECT activity_rollouts.*, activities.id AS activity_id, activities.state AS activity_state, attributes_type,
    apps.id AS app_id
FROM activity_rollouts JOIN activities ON activities.number = activity_rollouts.activity
JOIN apps ON apps.number = activities.app WHERE activity_rollouts.id = $1 FOR UPDATE OF activity_rollouts;

SELECT activity_rollouts.*, activities.id AS activity_id, activities.state AS activity_state, attributes_type,
    apps.id AS app_id
FROM activity_rollouts JOIN activities ON activities.number = activity_rollouts.activity
JOIN apps ON apps.number = activities.app WHERE claimable_at <= $1 ORDER BY claimable_at LIMIT $2 FOR UPDATE OF activity_rollouts SKIP LOCKED;

SELECT activity_types.*, $1 AS app_id FROM activity_types WHERE app = (SELECT number FROM apps WHERE id = $2) AND name = $3;

SELECT activity_types.*, $1 AS app_id FROM activity_types WHERE app = (SELECT number FROM apps WHERE id = $2) ORDER BY name;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id = $1;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id = $1 FOR UPDATE OF api_keys;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id > $1 ORDER BY api_keys.id LIMIT $2;

SELECT app, api_key, key, body FROM idempotency_records WHERE TRUE
ORDER BY app, api_key, key LIMIT $1 FOR UPDATE;

SELECT app, attributes_type, installation FROM (
    SELECT app, attributes_type, installation, issued_at FROM push_to_start_tokens WHERE (app, attributes_type, installation) > ($1, $2, $3)
    ORDER BY app, attributes_type, installation LIMIT $4
) AS tokens
WHERE issued_at < $5 AND NOT EXISTS (
    SELECT 1 FROM devices WHERE devices.app = tokens.app AND devices.installation = tokens.installation
) ORDER BY app, attributes_type, installation LIMIT $6;

SELECT app, attributes_type, installation FROM push_to_start_tokens WHERE (app, attributes_type, installation) > ($1, $2, $3)
ORDER BY app, attributes_type, installation LIMIT 1 OFFSET $4;

SELECT app, attributes_type, installation, token FROM push_to_start_tokens WHERE TRUE
ORDER BY app, attributes_type, installation LIMIT $1 FOR UPDATE;

SELECT app, id FROM streams WHERE (
    SELECT created_at < $1 AND end_line <= accepted_lines FROM stream_chunks
    WHERE app = streams.app AND stream = streams.id
    ORDER BY end_line LIMIT 1
);

SELECT app, number FROM (
    SELECT app, number, seen_at, status, status_since, container FROM devices WHERE ((app, number) > ($1, $2))
    ORDER BY app, number LIMIT $3
) AS part
WHERE container = '' AND (seen_at < $4 OR (status = 2 AND status_since < $5)) ORDER BY app, number LIMIT $6;

SELECT app, number FROM devices WHERE ((app, number) > ($1, $2)) ORDER BY app, number
LIMIT 1 OFFSET $3;

SELECT app, number, installation FROM devices
WHERE ((app, number) > ($1, $2))
    AND NOT ((app, number) > ($3, $4)) AND container = '' AND (seen_at < $5 OR (status = 2 AND status_since < $6))
ORDER BY app, number FOR UPDATE SKIP LOCKED;

SELECT app, number, token FROM devices WHERE TRUE
ORDER BY app, number LIMIT $1 FOR UPDATE;

SELECT app, stream, end_line, entries FROM stream_chunks WHERE TRUE
ORDER BY app, stream, end_line LIMIT $1 FOR UPDATE;

SELECT apps.id AS id FROM topic_shares JOIN apps ON apps.number = topic_shares.app
WHERE topic_shares.topic = $1 ORDER BY apps.id;

SELECT apps.number AS app, coalesce(feeds.horizon, 0) AS horizon FROM apps LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number WHERE apps.id = $1;

SELECT apps.number AS number FROM campaigns JOIN apps ON apps.number = campaigns.app
WHERE campaigns.id = $1 FOR KEY SHARE OF apps;

SELECT batch, payload, targets FROM batch_contents WHERE TRUE
ORDER BY batch LIMIT $1 FOR UPDATE;

SELECT batch_counts.* FROM batches JOIN batch_counts ON batch_counts.batch = batches.id
WHERE batches.notification = $1;

SELECT batches.*, apps.id AS app_id FROM batches JOIN apps ON apps.number = batches.app
WHERE batches.id = $1;

SELECT batches.id AS batch, batch_contents.* FROM batches JOIN batch_contents
ON batch_contents.batch = batches.id
WHERE batches.id = $1;

SELECT batches.id AS batch, batch_contents.* FROM batches JOIN batch_contents
ON batch_contents.batch = batches.id
WHERE batches.id = ANY ($1);

SELECT batches.id AS batch, targets, target_count FROM batches JOIN batch_contents
ON batch_contents.batch = batches.id
WHERE batches.id = $1;

SELECT batches.id, batches.notification, batches.failures FROM unnest($1) WITH ORDINALITY AS old (id, row_position) CROSS JOIN LATERAL (
    SELECT id, notification, ordinal,
        greatest(0, least(CAST(target_count AS bigint) - delivered, $2)) AS failures
    FROM batches WHERE notification = old.id ORDER BY ordinal LIMIT $3
) AS batches
ORDER BY batches.notification, batches.ordinal;

SELECT batches.notification, batch_counts.kind, batch_counts.name,
    CAST(sum(CASE WHEN batch_counts.count < 0 THEN 0 WHEN batch_counts.count > $1 THEN $2
    ELSE batch_counts.count END) AS bigint) AS count
FROM batches JOIN batch_counts ON batch_counts.batch = batches.id
WHERE batches.notification = $3 GROUP BY batches.notification, batch_counts.kind, batch_counts.name;

SELECT certificate, sealed_key FROM delivery_identity;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE app = $1 AND channels.name = $2 FOR UPDATE OF channels;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = $1 AND channels.name = $2;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = $1 AND environment = $2 ORDER BY channels.name;

SELECT coalesce(
        (
            SELECT number FROM events WHERE events.app = apps.number
            ORDER BY number DESC LIMIT 1 OFFSET $1
        ), coalesce(feeds.horizon, 0)
    ) AS last
FROM apps LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number WHERE apps.id = $2;

SELECT count(*) AS count FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND TRUE AND (TRUE AND $5 = ANY (devices.topics))
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
));

SELECT count(*) AS count FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND TRUE AND NOT (environment = $5 OR (coalesce(seen_at >= $6, FALSE)) OR (coalesce(registered_at < $7, FALSE)) OR coalesce(platform = $8, FALSE) OR coalesce(time_zone = $9, FALSE) OR (coalesce(app_version_key >= $10, FALSE)) OR coalesce(starts_with(lower(replace(locale, '_', '-') COLLATE "C") || '-', $11), FALSE) OR (user_id IS NOT NULL AND user_id = ANY ($12)) OR coalesce(tags ? $13, FALSE) OR coalesce(tags ->> $14 = $15, FALSE) OR coalesce(strpos(tags ->> $16, $17) > 0, FALSE) OR $18 = ANY (devices.topics) OR (EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $19 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($20) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $21 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($22) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = $23 AND topic_shares.app = devices.app AND topics.name = ANY (devices.topics))))
    AND TRUE;

SELECT count(*) AS count FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
));

SELECT count(*) AS count FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND user_id = ANY ($2) AND user_id IS NOT NULL OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $3) AND number > $4 AND number <= $5 AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
));

SELECT count(*) AS count FROM (SELECT * FROM devices WHERE topics @> ARRAY[$1] AND topics <> '{}' OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $2) AND number > $3 AND number <= $4 AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
));

SELECT count(*) AS count FROM activity_rollouts WHERE activity = $1 AND state = 0;

SELECT count(*) AS count FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number = ANY ($2) AND status < 2 AND TRUE AND TRUE
    AND TRUE;

SELECT count(*) AS count FROM jobs WHERE app = $1;

SELECT count(*) AS count FROM topic_policies WHERE topic = $1;

SELECT count(*) AS count, count(*) FILTER (WHERE topics @> ARRAY[$1]) AS found
FROM devices TABLESAMPLE SYSTEM (least(100,
    100.0 * $2 / greatest(1, pg_relation_size('devices') / current_setting('block_size')::bigint)));

SELECT count(*) AS count, max(number) AS last
FROM (SELECT number FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3) AS scanned;

SELECT count(*) FILTER (WHERE state = 0) AS starting, count(*) FILTER (WHERE state = 1) AS active,
    count(*) FILTER (WHERE state = 2) AS ended,
    count(*) FILTER (WHERE state = 1 AND sent_version < $1) AS outdated
FROM activity_participants WHERE number BETWEEN $2 AND $3
    AND origin <> $4;

SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app WHERE apps.id = $1
ORDER BY credentials.created_at DESC, credentials.id DESC;

SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app WHERE credentials.id = $1;

SELECT delivery_pauses.*, apps.id AS app_id FROM apps
JOIN delivery_pauses ON delivery_pauses.app = apps.number
WHERE apps.id = $1;

SELECT delivery_pauses.*, apps.id AS app_id FROM notifications
JOIN delivery_pauses ON delivery_pauses.app = notifications.app
JOIN apps ON apps.number = notifications.app
WHERE notifications.id = $1;

SELECT device AS value FROM subscriptions
WHERE share = $1 AND policy = $2 AND device > $3 AND device <= $4 ORDER BY value LIMIT $5;

SELECT devices.environment, devices.token FROM devices, unnest($1, $2) WITH ORDINALITY AS told (environment, token, row_position)
WHERE devices.app = (SELECT number FROM apps WHERE id = $3) AND devices.environment = told.environment AND devices.token = told.token AND devices.status < 2;

SELECT devices.number AS value FROM subscriptions
JOIN devices
    ON devices.app = (SELECT number FROM apps WHERE id = $1) AND devices.user_id = subscriptions.user_id
WHERE share = $2 AND policy = ANY ($3)
    AND subscriptions.user_id IS NOT NULL AND devices.user_id IS NOT NULL AND devices.number > $4 AND devices.number <= $5 ORDER BY value LIMIT $6;

SELECT due_at FROM activity_due WHERE due_at > $1 AND due_at <= $2
GROUP BY due_at HAVING count(*) >= $3 ORDER BY due_at LIMIT 1;

SELECT due_at FROM activity_due WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1;

SELECT failures.*,
    CASE WHEN octet_length(batch_contents.targets) = 1 + 34 * batches.target_count::bigint
            AND position >= 0 AND position < batches.target_count
            AND substr(batch_contents.targets, 1, 1) = '\x01'
        THEN substr(batch_contents.targets, 2 + 34 * position, 34)
    END AS target
FROM (SELECT * FROM batch_failures WHERE batch = $1 AND position > $2
    AND ($3 IS NULL OR name = $4)) AS failures
JOIN batches ON batches.id = failures.batch
LEFT JOIN batch_contents ON batch_contents.batch = failures.batch
ORDER BY failures.batch, failures.position;

SELECT failures.*,
    CASE WHEN octet_length(batch_contents.targets) = 1 + 34 * batches.target_count::bigint
            AND position >= 0 AND position < batches.target_count
            AND substr(batch_contents.targets, 1, 1) = '\x01'
        THEN substr(batch_contents.targets, 2 + 34 * position, 34)
    END AS target
FROM (SELECT batch_failures.* FROM batches
JOIN batch_failures ON batch_failures.batch = batches.id
WHERE batches.notification = $1 AND batches.id >= $2
    AND (batch_failures.batch, batch_failures.position) > ($3, $4)
ORDER BY batch_failures.batch, batch_failures.position
LIMIT $5) AS failures
JOIN batches ON batches.id = failures.batch
LEFT JOIN batch_contents ON batch_contents.batch = failures.batch
ORDER BY failures.batch, failures.position;

SELECT found.* FROM unnest($1, $2, $3) WITH ORDINALITY AS new (installation, environment, token, row_position) CROSS JOIN LATERAL (
    SELECT * FROM (SELECT number, installation, environment, token, container, registered_at, user_id, installation_secret
FROM devices WHERE app = (SELECT number FROM apps WHERE id = $4) AND installation = new.installation FOR UPDATE) AS known
    UNION ALL SELECT * FROM (
        SELECT number, installation, environment, token, container, registered_at, user_id, installation_secret
FROM devices WHERE app = (SELECT number FROM apps WHERE id = $5) AND environment = new.environment AND token = new.token
            AND installation <> new.installation FOR UPDATE
    ) AS holder
) AS found;

SELECT found.* FROM unnest($3::bigint[], $4::bigint[]) AS wanted (kind, room)
CROSS JOIN (VALUES (0), (1), (2)) AS states (state)
CROSS JOIN LATERAL (
    SELECT * FROM batches
    WHERE batches.lane = $1 AND batches.kind = wanted.kind AND batches.state = states.state
        AND batches.claimable_at <= $2
        AND batches.interrupted + (CASE WHEN batches.state = 1 THEN 1 ELSE 0 END) <> $5
    ORDER BY batches.claimable_at, batches.id LIMIT wanted.room FOR UPDATE SKIP LOCKED
) AS found;

SELECT found.lane, found.count, found.oldest, batch_kinds.environments, batch_kinds.push_type,
    apps.id AS app_id
FROM (
    SELECT lane, kind, count(*) AS count,
        min(id::text)::uuid AS oldest
    FROM batches
    WHERE claimable_at IS NOT NULL AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds WHERE app = (SELECT number FROM apps WHERE id = $1)) GROUP BY lane, kind
) AS found
JOIN batch_kinds ON batch_kinds.number = found.kind JOIN apps ON apps.number = batch_kinds.app;

SELECT id AS id, (SELECT app FROM activities WHERE number = activity) AS app, CAST(progress AS text) AS progress FROM activity_rollouts
WHERE claimable_at > $1
    AND (planner = $2 OR substr(planner, 1, length($3) + 1) = $4 || '/') FOR UPDATE SKIP LOCKED;

SELECT id AS id, (SELECT app FROM jobs WHERE number = job) AS app, CAST(place AS text) AS progress FROM job_runs
WHERE claimable_at > $1
    AND (worker = $2 OR substr(worker, 1, length($3) + 1) = $4 || '/') FOR UPDATE SKIP LOCKED;

SELECT id AS id, app AS app, CAST(event AS text) AS progress FROM webhooks
WHERE leased_until > $1
    AND (worker = $2 OR substr(worker, 1, length($3) + 1) = $4 || '/') FOR UPDATE SKIP LOCKED;

SELECT id AS id, app AS app, CAST(plan AS text) AS progress FROM campaigns
WHERE claimable_at > $1
    AND (planner = $2 OR substr(planner, 1, length($3) + 1) = $4 || '/') FOR UPDATE SKIP LOCKED;

SELECT id FROM activities WHERE app = $1 AND channel_name = $2 AND state < 2 LIMIT 1;

SELECT id FROM apps WHERE number = $1;

SELECT id FROM batches WHERE id = $1 AND halt IS NULL AND state < 3;

SELECT id FROM batches WHERE needs_relief ORDER BY id LIMIT 1;

SELECT id FROM notifications WHERE id = ANY ($1) AND (is_open OR open_batches > 0);

SELECT id, content FROM topic_messages WHERE TRUE
ORDER BY id LIMIT $1 FOR UPDATE;

SELECT id, definition FROM campaigns WHERE TRUE
ORDER BY id LIMIT $1 FOR UPDATE;

SELECT id, number FROM apps WHERE id = $1 ORDER BY number FOR KEY SHARE;

SELECT installation, environment, token FROM devices
WHERE app = (SELECT number FROM apps WHERE id = $1) AND installation = $2 AND status < 2;

SELECT interruptions.number, kind, item, apps.id AS app_id, reason, quarantined_at
FROM interruptions LEFT JOIN apps ON apps.number = interruptions.app WHERE quarantined_at IS NOT NULL AND interruptions.number < $1
    AND ($2 IS NULL OR apps.id = $3) AND ($4 IS NULL OR kind = $5)
ORDER BY interruptions.number DESC LIMIT $6;

SELECT interruptions.number, kind, item, apps.id AS app_id, reason, quarantined_at
FROM interruptions LEFT JOIN apps ON apps.number = interruptions.app WHERE quarantined_at IS NOT NULL AND interruptions.number = $1;

SELECT interruptions.number, kind, item, apps.id AS app_id, reason, quarantined_at
FROM interruptions LEFT JOIN apps ON apps.number = interruptions.app WHERE quarantined_at IS NOT NULL AND reported_at IS NULL
ORDER BY interruptions.number LIMIT $1;

SELECT is_complete, sealed FROM data_key;

SELECT items.id AS key, items.sealed AS sealed, apps.id AS owner FROM credentials AS items JOIN apps ON apps.number = items.app WHERE TRUE
    AND items.sealed IS NOT NULL AND items.id > $1
ORDER BY items.id LIMIT $2;

SELECT items.id AS key, items.sealed_user AS sealed, topics.name AS owner FROM subscriptions AS items 
JOIN topic_shares ON topic_shares.number = items.share
JOIN topics ON topics.number = topic_shares.topic
WHERE TRUE
    AND items.sealed_user IS NOT NULL AND items.id > $1
ORDER BY items.id LIMIT $2;

SELECT items.id AS key, items.secret AS sealed, apps.id AS owner FROM webhooks AS items JOIN apps ON apps.number = items.app WHERE TRUE
    AND items.secret IS NOT NULL AND items.id > $1
ORDER BY items.id LIMIT $2;

SELECT items.id AS key, items.signing_secret AS sealed, apps.id AS owner FROM api_keys AS items LEFT JOIN apps ON apps.number = items.app WHERE revoked_at IS NULL
    AND items.signing_secret IS NOT NULL AND items.id > $1
ORDER BY items.id LIMIT $2;

SELECT items.number AS key, items.sealed AS sealed, CAST(NULL AS text) AS owner FROM data_key AS items WHERE TRUE
    AND items.sealed IS NOT NULL AND items.number > $1
ORDER BY items.number LIMIT $2;

SELECT items.number AS key, items.sealed_key AS sealed, CAST(NULL AS text) AS owner FROM delivery_identity AS items WHERE TRUE
    AND items.sealed_key IS NOT NULL AND items.number > $1
ORDER BY items.number LIMIT $2;

SELECT job_runs.*, jobs.id AS job_id, jobs.app, (SELECT id FROM apps WHERE number = jobs.app) AS app_id,
    jobs.definition, jobs.is_paused, jobs.next_at, jobs.created_at, jobs.updated_at
FROM job_runs JOIN jobs ON jobs.number = job_runs.job WHERE job_runs.claimable_at <= $1 AND jobs.is_code = 0
ORDER BY job_runs.claimable_at, job_runs.number LIMIT $2 FOR NO KEY UPDATE OF jobs, job_runs SKIP LOCKED;

SELECT job_runs.*, jobs.id AS job_id, jobs.app, (SELECT id FROM apps WHERE number = jobs.app) AS app_id,
    jobs.definition, jobs.is_paused, jobs.next_at, jobs.created_at, jobs.updated_at
FROM job_runs JOIN jobs ON jobs.number = job_runs.job WHERE job_runs.claimable_at <= $1 AND jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = $2) AND jobs.id = ANY ($3)
ORDER BY job_runs.claimable_at, job_runs.number LIMIT $4 FOR NO KEY UPDATE OF jobs, job_runs SKIP LOCKED;

SELECT job_runs.job FROM job_runs JOIN jobs ON jobs.number = job_runs.job JOIN apps ON apps.number = jobs.app
WHERE job_runs.id = $1 FOR KEY SHARE OF apps;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.app = $1 AND jobs.id = $2 FOR NO KEY UPDATE OF jobs;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.app = (SELECT number FROM apps WHERE id = $1) AND jobs.id = $2;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.app = (SELECT number FROM apps WHERE id = $1) AND jobs.id > $2 ORDER BY jobs.id LIMIT $3;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.due_at <= $1 AND jobs.is_code = 0
ORDER BY jobs.due_at LIMIT $2 FOR NO KEY UPDATE OF jobs SKIP LOCKED;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.due_at <= $1 AND jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = $2) AND jobs.id = ANY ($3)
ORDER BY jobs.due_at LIMIT $4 FOR NO KEY UPDATE OF jobs SKIP LOCKED;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.number = $1 FOR NO KEY UPDATE OF jobs;

SELECT kind, count(*) AS count FROM events
WHERE app = $1 AND number > $2 AND number <= $3 GROUP BY kind;

SELECT max(number) AS last FROM (
    SELECT number FROM events WHERE app = $1 AND number <= $2
    ORDER BY number LIMIT $3
) AS oldest;

SELECT message FROM topic_deliveries WHERE number = $1 AND worker = $2 FOR UPDATE;

SELECT min(claimable_at) AS turn FROM batches
WHERE notification = $1 AND (state < 3 OR state = 7)
HAVING min(state) = 2 AND max(state) = 2 AND min(claimable_at) > $2;

SELECT notification, CAST(sum(CASE WHEN delivered < 0 THEN 0 WHEN delivered > $1 THEN $2
    ELSE delivered END) AS bigint) AS count FROM batches
WHERE batches.notification = $3 GROUP BY notification;

SELECT notifications.*, apps.id AS app_id FROM notifications JOIN apps ON apps.number = notifications.app WHERE notifications.id = $1;

SELECT notifications.*, apps.id AS app_id FROM notifications JOIN apps ON apps.number = notifications.app WHERE resend_of = $1
ORDER BY coalesce(resend_through, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid);

SELECT number AS id, CAST(NULL AS bigint) AS app, CAST(attempts AS text) AS progress FROM topic_deliveries
WHERE worker IS NOT NULL AND +due_at > $1
    AND (worker = $2 OR substr(worker, 1, length($3) + 1) = $4 || '/') FOR UPDATE SKIP LOCKED;

SELECT number AS id, app AS app, CAST(NULL AS text) AS progress FROM endpoint_events
WHERE due_at > $1
    AND (worker = $2 OR substr(worker, 1, length($3) + 1) = $4 || '/') FOR UPDATE SKIP LOCKED;

SELECT number AS value FROM devices
WHERE app = (SELECT number FROM apps WHERE id = $1) AND topics @> ARRAY[$2] AND topics <> '{}' AND number > $3 AND number <= $4 ORDER BY value LIMIT $5;

SELECT number FROM activities WHERE app = $1 AND attributes_type = $2 AND state < 2 AND number IN (
    SELECT activity FROM activity_instants
    WHERE name = $3 AND time >= $4 AND time < $5
) AND number > $6 ORDER BY number LIMIT $7;

SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = $1) AND id = $2;

SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND attributes_type = $3 AND state < 2 AND number IN (
    SELECT activity FROM activity_instants
    WHERE name = $4 AND time >= $5 AND time < $6
) ORDER BY number LIMIT $7;

SELECT number FROM activities WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND state >= 2 ORDER BY number LIMIT $3;

SELECT number FROM apps WHERE id = $1;

SELECT number FROM apps WHERE id = $1 FOR KEY SHARE;

SELECT number FROM audit_log WHERE number < $1
ORDER BY number DESC LIMIT 1 OFFSET $2;

SELECT number FROM audit_log WHERE time < $1 ORDER BY time LIMIT  1;

SELECT number FROM devices WHERE app = $1 AND installation = $2;

SELECT number FROM devices WHERE app = $1 AND installation = $2
    AND environment = $3 AND container = $4 FOR UPDATE;

SELECT number FROM devices WHERE app = $1 AND installation = $2 FOR KEY SHARE;

SELECT number FROM devices WHERE app = $1 ORDER BY number DESC LIMIT 1;

SELECT number FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number OFFSET $4 LIMIT 1;

SELECT number FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 ORDER BY number LIMIT 1 OFFSET 9999;

SELECT number FROM topic_policies WHERE topic = $1 AND digest = $2;

SELECT number FROM topic_shares WHERE topic = $1 AND topic_shares.app = $2;

SELECT number, app FROM topic_shares WHERE topic = $1;

SELECT number, content_state, attributes, alert, start_alert FROM activities WHERE TRUE
ORDER BY number LIMIT $1 FOR UPDATE;

SELECT number, definition FROM jobs WHERE TRUE
ORDER BY number LIMIT $1 FOR UPDATE;

SELECT number, entries FROM activities WHERE ended_at IS NOT NULL AND ended_at < $1 ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED;

SELECT number, environment, token FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND (TRUE AND $6 = ANY (devices.topics))
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $7;

SELECT number, environment, token FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND NOT (environment = $6 OR (coalesce(seen_at >= $7, FALSE)) OR (coalesce(registered_at < $8, FALSE)) OR coalesce(platform = $9, FALSE) OR coalesce(time_zone = $10, FALSE) OR (coalesce(app_version_key >= $11, FALSE)) OR coalesce(starts_with(lower(replace(locale, '_', '-') COLLATE "C") || '-', $12), FALSE) OR (user_id IS NOT NULL AND user_id = ANY ($13)) OR coalesce(tags ? $14, FALSE) OR coalesce(tags ->> $15 = $16, FALSE) OR coalesce(strpos(tags ->> $17, $18) > 0, FALSE) OR $19 = ANY (devices.topics) OR (EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $20 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($21) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $22 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($23) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = $24 AND topic_shares.app = devices.app AND topics.name = ANY (devices.topics))))
    AND TRUE ORDER BY number LIMIT $25;

SELECT number, environment, token FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $6;

SELECT number, environment, token FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND user_id = ANY ($2) AND user_id IS NOT NULL OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $3) AND number > $4 AND number <= $5 AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($6)) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $7;

SELECT number, environment, token FROM (SELECT * FROM devices WHERE topics @> ARRAY[$1] AND topics <> '{}' OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $2) AND number > $3 AND number <= $4 AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $6;

SELECT number, environment, token FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number = ANY ($2) AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($3)) AND TRUE
    AND TRUE ORDER BY number LIMIT $4;

SELECT number, environment, token, locale FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND (TRUE AND $6 = ANY (devices.topics))
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $7;

SELECT number, environment, token, locale FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND NOT (environment = $6 OR (coalesce(seen_at >= $7, FALSE)) OR (coalesce(registered_at < $8, FALSE)) OR coalesce(platform = $9, FALSE) OR coalesce(time_zone = $10, FALSE) OR (coalesce(app_version_key >= $11, FALSE)) OR coalesce(starts_with(lower(replace(locale, '_', '-') COLLATE "C") || '-', $12), FALSE) OR (user_id IS NOT NULL AND user_id = ANY ($13)) OR coalesce(tags ? $14, FALSE) OR coalesce(tags ->> $15 = $16, FALSE) OR coalesce(strpos(tags ->> $17, $18) > 0, FALSE) OR $19 = ANY (devices.topics) OR (EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $20 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($21) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $22 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($23) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = $24 AND topic_shares.app = devices.app AND topics.name = ANY (devices.topics))))
    AND TRUE ORDER BY number LIMIT $25;

SELECT number, environment, token, locale FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $6;

SELECT number, environment, token, locale FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND user_id = ANY ($2) AND user_id IS NOT NULL OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $3) AND number > $4 AND number <= $5 AND status < 2 AND (time_zone IS NOT NULL AND time_zone = ANY ($6)) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $7;

SELECT number, environment, token, locale FROM (SELECT * FROM devices WHERE topics @> ARRAY[$1] AND topics <> '{}' OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $2) AND number > $3 AND number <= $4 AND status < 2 AND (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $6;

SELECT number, environment, token, locale FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number = ANY ($2) AND status < 2 AND (time_zone IS NOT NULL AND time_zone = ANY ($3)) AND TRUE
    AND TRUE ORDER BY number LIMIT $4;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND (TRUE AND $6 = ANY (devices.topics))
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $7;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND NOT (environment = $6 OR (coalesce(seen_at >= $7, FALSE)) OR (coalesce(registered_at < $8, FALSE)) OR coalesce(platform = $9, FALSE) OR coalesce(time_zone = $10, FALSE) OR (coalesce(app_version_key >= $11, FALSE)) OR coalesce(starts_with(lower(replace(locale, '_', '-') COLLATE "C") || '-', $12), FALSE) OR (user_id IS NOT NULL AND user_id = ANY ($13)) OR coalesce(tags ? $14, FALSE) OR coalesce(tags ->> $15 = $16, FALSE) OR coalesce(strpos(tags ->> $17, $18) > 0, FALSE) OR $19 = ANY (devices.topics) OR (EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $20 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($21) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $22 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($23) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = $24 AND topic_shares.app = devices.app AND topics.name = ANY (devices.topics))))
    AND TRUE ORDER BY number LIMIT $25;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $6;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND user_id = ANY ($2) AND user_id IS NOT NULL OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $3) AND number > $4 AND number <= $5 AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($6)) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $7;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM (SELECT * FROM devices WHERE topics @> ARRAY[$1] AND topics <> '{}' OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $2) AND number > $3 AND number <= $4 AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($5)) AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $6;

SELECT number, environment, token, locale, user_id, CAST(tags AS text) AS tags FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number = ANY ($2) AND status < 2 AND NOT (time_zone IS NOT NULL AND time_zone = ANY ($3)) AND TRUE
    AND TRUE ORDER BY number LIMIT $4;

SELECT number, installation FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND TRUE AND (TRUE AND $5 = ANY (devices.topics))
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $6;

SELECT number, installation FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND TRUE AND NOT (environment = $5 OR (coalesce(seen_at >= $6, FALSE)) OR (coalesce(registered_at < $7, FALSE)) OR coalesce(platform = $8, FALSE) OR coalesce(time_zone = $9, FALSE) OR (coalesce(app_version_key >= $10, FALSE)) OR coalesce(starts_with(lower(replace(locale, '_', '-') COLLATE "C") || '-', $11), FALSE) OR (user_id IS NOT NULL AND user_id = ANY ($12)) OR coalesce(tags ? $13, FALSE) OR coalesce(tags ->> $14 = $15, FALSE) OR coalesce(strpos(tags ->> $16, $17) > 0, FALSE) OR $18 = ANY (devices.topics) OR (EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $19 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($20) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $21 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($22) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = $23 AND topic_shares.app = devices.app AND topics.name = ANY (devices.topics))))
    AND TRUE ORDER BY number LIMIT $24;

SELECT number, installation FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $5;

SELECT number, installation FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND user_id = ANY ($2) AND user_id IS NOT NULL OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $3) AND number > $4 AND number <= $5 AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $6;

SELECT number, installation FROM (SELECT * FROM devices WHERE topics @> ARRAY[$1] AND topics <> '{}' OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $2) AND number > $3 AND number <= $4 AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) ORDER BY number LIMIT $5;

SELECT number, installation FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number = ANY ($2) AND status < 2 AND TRUE AND TRUE
    AND TRUE ORDER BY number LIMIT $3;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE app = $1 AND installation = $2
    AND environment = $3 AND container = $4 FOR UPDATE;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2 AND container = $3
    AND token = $4;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment IN (0, 1) AND token = $2
ORDER BY number LIMIT 1000;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND installation = $2;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND TRUE ORDER BY number LIMIT $3;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND environment = $3 AND container = $4 ORDER BY number LIMIT $5;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND status = $3 ORDER BY number LIMIT $4;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
    CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND user_id = $2
ORDER BY number LIMIT 1000;

SELECT number, kind, key, tried_at, progress FROM interruptions
WHERE count = $1 AND quarantined_at IS NULL
    AND kind = ANY ($2);

SELECT number, kind, key, tried_at, progress FROM interruptions
WHERE count = $1 AND quarantined_at IS NULL
    AND kind = ANY ($2) ORDER BY number FOR UPDATE;

SELECT number, state, reason, origin, installation, environment, token, token_issued_at, frequent_updates,
sent_version, former_version, recent_pushes, joined_at, started_at, batch, position FROM activity_participants WHERE activity = $1 AND installation = $2 ORDER BY number;

SELECT number, state, reason, origin, installation, environment, token, token_issued_at, frequent_updates,
sent_version, former_version, recent_pushes, joined_at, started_at, batch, position FROM activity_participants WHERE activity = $1 ORDER BY number;

SELECT number, state, reason, origin, installation, environment, token, token_issued_at, frequent_updates,
sent_version, former_version, recent_pushes, joined_at, started_at, batch, position FROM activity_participants WHERE number = ANY ($1) ORDER BY number;

SELECT number, state, reason, origin, installation, environment, token, token_issued_at, frequent_updates,
sent_version, former_version, recent_pushes, joined_at, started_at, batch, position FROM activity_participants WHERE number > $1 AND number <= $2 ORDER BY number LIMIT $3;

SELECT number, state_before, state_after FROM audit_log WHERE TRUE
ORDER BY number LIMIT $1 FOR UPDATE;

SELECT number, time, kind, data FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3;

SELECT number, token FROM activity_participants WHERE TRUE
ORDER BY number LIMIT $1 FOR UPDATE;

SELECT number, version FROM activities WHERE app = (SELECT number FROM apps WHERE id = $1) AND id = $2;

SELECT own.* FROM unnest($1) WITH ORDINALITY AS named (user_id, row_position) CROSS JOIN LATERAL (SELECT number, user_id, installation, environment, token FROM devices
WHERE app = (SELECT number FROM apps WHERE id = $2) AND user_id = named.user_id AND status < 2
ORDER BY number LIMIT $3) AS own LIMIT $4;

SELECT participants FROM activity_batches WHERE batch = $1;

SELECT pg_advisory_xact_lock('topic_deliveries'::regclass::oid::bigint);

SELECT platform_applications.*, apps.id AS app_id FROM platform_applications
JOIN apps ON apps.number = platform_applications.app
WHERE (platform, platform_applications.name) > ($1, $2)
    AND ($3 IS NULL OR apps.id = $4)
ORDER BY platform, platform_applications.name LIMIT $5;

SELECT platform_applications.*, apps.id AS app_id FROM platform_applications
JOIN apps ON apps.number = platform_applications.app WHERE platform_applications.platform = $1 AND platform_applications.name = $2;

SELECT platform_applications.*, apps.id AS app_id FROM platform_applications
JOIN apps ON apps.number = platform_applications.app WHERE platform_applications.platform = $1 AND platform_applications.name = $2 FOR UPDATE OF platform_applications;

SELECT platform_applications.*, apps.id AS app_id, devices.token, devices.status, devices.status_reason,
    devices.status_since, devices.user_data
FROM platform_applications
JOIN apps ON apps.number = platform_applications.app
LEFT JOIN devices ON devices.app = platform_applications.app
    AND devices.environment = platform_applications.environment
    AND devices.container = platform_applications.container
    AND devices.installation = $1
WHERE platform_applications.platform = $2 AND platform_applications.name = $3;

SELECT position, participant FROM activity_waiting
WHERE batch = $1 AND position < $2 ORDER BY position;

SELECT set_config('apus.lock_timeout', current_setting('lock_timeout'), true),
    set_config('lock_timeout', '100', true);

SELECT set_config('enable_seqscan', 'off', true);

SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true);

SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'on', true),
    set_config('max_parallel_workers_per_gather', '0', true);

SELECT settled_at, notification FROM settled_notifications WHERE settled_at < $1
ORDER BY settled_at, notification LIMIT $2 FOR UPDATE SKIP LOCKED;

SELECT settled_at, notification FROM settled_notifications WHERE settled_at < $1
ORDER BY settled_at, notification LIMIT 1;

SELECT share FROM topic_remains ORDER BY share LIMIT 100 FOR UPDATE SKIP LOCKED;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE ($1 IS NULL OR subscriptions.app = $2) AND subscriptions.id > $3
ORDER BY subscriptions.id LIMIT $4;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE share = $1 AND confirmation = $2;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE share = $1 AND confirmation = $2 FOR UPDATE OF subscriptions;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE share = $1 AND state > 0
ORDER BY subscriptions.id LIMIT $2;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE share = $1 AND subscriptions.id > $2
ORDER BY subscriptions.id LIMIT $3;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE share = $1 AND subscriptions.user_id = $2;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE share = $1 AND url = $2;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE subscriptions.app = $1 AND device = $2 AND share = $3;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE subscriptions.id = $1;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE subscriptions.id = $1 FOR UPDATE OF subscriptions;

SELECT time_zone, count(*) AS count FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND TRUE AND (TRUE AND $5 = ANY (devices.topics))
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) GROUP BY time_zone LIMIT $6;

SELECT time_zone, count(*) AS count FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND TRUE AND NOT (environment = $5 OR (coalesce(seen_at >= $6, FALSE)) OR (coalesce(registered_at < $7, FALSE)) OR coalesce(platform = $8, FALSE) OR coalesce(time_zone = $9, FALSE) OR (coalesce(app_version_key >= $10, FALSE)) OR coalesce(starts_with(lower(replace(locale, '_', '-') COLLATE "C") || '-', $11), FALSE) OR (user_id IS NOT NULL AND user_id = ANY ($12)) OR coalesce(tags ? $13, FALSE) OR coalesce(tags ->> $14 = $15, FALSE) OR coalesce(strpos(tags ->> $16, $17) > 0, FALSE) OR $18 = ANY (devices.topics) OR (EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $19 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($20) AND subscriptions.device = devices.number) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
    WHERE topic_shares.topic = $21 AND topic_shares.app = devices.app AND subscriptions.policy = ANY ($22) AND subscriptions.user_id = devices.user_id) OR EXISTS (
    SELECT 1 FROM topic_shares JOIN topics ON topics.number = topic_shares.topic
    WHERE topic_shares.topic = $23 AND topic_shares.app = devices.app AND topics.name = ANY (devices.topics))))
    AND TRUE GROUP BY time_zone LIMIT $24;

SELECT time_zone, count(*) AS count FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number > $2 AND number <= $3 ORDER BY number LIMIT $4) AS devices WHERE TRUE AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) GROUP BY time_zone LIMIT $5;

SELECT time_zone, count(*) AS count FROM (SELECT * FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND user_id = ANY ($2) AND user_id IS NOT NULL OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $3) AND number > $4 AND number <= $5 AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) GROUP BY time_zone LIMIT $6;

SELECT time_zone, count(*) AS count FROM (SELECT * FROM devices WHERE topics @> ARRAY[$1] AND topics <> '{}' OFFSET 0) AS devices
WHERE app = (SELECT number FROM apps WHERE id = $2) AND number > $3 AND number <= $4 AND status < 2 AND TRUE AND TRUE
    AND (container = '' OR NOT EXISTS (
    SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
        AND other.token = devices.token AND other.container < devices.container AND other.status < 2
)) GROUP BY time_zone LIMIT $5;

SELECT time_zone, count(*) AS count FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1) AND number = ANY ($2) AND status < 2 AND TRUE AND TRUE
    AND TRUE GROUP BY time_zone LIMIT $3;

SELECT topic_deliveries.*, topic, content, created_at FROM topic_deliveries
JOIN topic_messages ON topic_messages.id = topic_deliveries.message
WHERE subscription = $1 AND due_at <= $2 ORDER BY due_at, number LIMIT $3;

SELECT topic_shares.number, topics.name FROM topics
JOIN topic_shares ON topic_shares.topic = topics.number
WHERE topics.number = $1 AND topic_shares.app = (SELECT number FROM apps WHERE id = $2);

SELECT unsubscribed FROM topics WHERE number = $1;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE apps.id = $1 ORDER BY webhooks.created_at, webhooks.id;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE webhooks.app = $1 AND webhooks.event < $2
ORDER BY webhooks.id FOR UPDATE OF webhooks;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE webhooks.id = $1;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE webhooks.id = $1 AND webhooks.worker = $2
FOR UPDATE OF webhooks;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE webhooks.id = $1 FOR UPDATE OF webhooks;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE webhooks.state = 0 AND webhooks.next_attempt <= $1
    AND (webhooks.leased_until IS NULL OR webhooks.leased_until <= $2)
    AND EXISTS (SELECT 1 FROM events WHERE events.app = webhooks.app AND events.number > webhooks.event)
ORDER BY webhooks.next_attempt, webhooks.id LIMIT $3;

SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app WHERE webhooks.state = 0 AND webhooks.next_attempt <= $1
    AND (webhooks.leased_until IS NULL OR webhooks.leased_until <= $2)
    AND EXISTS (SELECT 1 FROM events WHERE events.app = webhooks.app AND events.number > webhooks.event)
ORDER BY webhooks.next_attempt, webhooks.id LIMIT $3 FOR UPDATE OF webhooks SKIP LOCKED;

UPDATE activities SET content_state = told.content_state, attributes = told.attributes, alert = told.alert, start_alert = told.start_alert FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS told (number, content_state, attributes, alert, start_alert, row_position)
WHERE activities.number = told.number;

UPDATE activities SET state = told.state, revision = told.revision, version = told.version, timestamp = told.timestamp, priority = told.priority, stale_date = told.stale_date, relevance_score = told.relevance_score, dismissal_date = told.dismissal_date, joined = told.joined, entries = told.entries, started_at = told.started_at, expires_at = told.expires_at, content_state = told.content_state, alert = told.alert, budget = told.budget FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) WITH ORDINALITY AS told (number, state, revision, version, timestamp, priority, stale_date, relevance_score, dismissal_date, joined, entries, started_at, expires_at, content_state, alert, budget, row_position)
WHERE activities.number = told.number;

UPDATE activities SET state = told.state, revision = told.revision, version = told.version, timestamp = told.timestamp, priority = told.priority, stale_date = told.stale_date, relevance_score = told.relevance_score, dismissal_date = told.dismissal_date, joined = told.joined, entries = told.entries, started_at = told.started_at, expires_at = told.expires_at, content_state = told.content_state, alert = told.alert, budget = told.budget, ended_at = told.ended_at, transition_due_at = told.transition_due_at, left_to_send = told.left_to_send, sent_through = told.sent_through FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) WITH ORDINALITY AS told (number, state, revision, version, timestamp, priority, stale_date, relevance_score, dismissal_date, joined, entries, started_at, expires_at, content_state, alert, budget, ended_at, transition_due_at, left_to_send, sent_through, row_position)
WHERE activities.number = told.number;

UPDATE activity_participants SET position = told.position, sent_version = told.sent_version, former_version = told.former_version, batch = told.batch, recent_pushes = told.recent_pushes FROM unnest($1, $2, $3, $4, $5, $6) WITH ORDINALITY AS told (number, position, sent_version, former_version, batch, recent_pushes, row_position)
WHERE activity_participants.number = told.number;

UPDATE activity_participants SET position = told.position, sent_version = told.sent_version, former_version = told.former_version, batch = told.batch, recent_pushes = told.recent_pushes, state = told.state, environment = told.environment, origin = told.origin, token = told.token, token_issued_at = told.token_issued_at, started_at = told.started_at, frequent_updates = told.frequent_updates, reason = told.reason FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) WITH ORDINALITY AS told (number, position, sent_version, former_version, batch, recent_pushes, state, environment, origin, token, token_issued_at, started_at, frequent_updates, reason, row_position)
WHERE activity_participants.number = told.number;

UPDATE activity_participants SET token = told.token FROM unnest($1, $2) WITH ORDINALITY AS told (number, token, row_position)
WHERE activity_participants.number = told.number;

UPDATE activity_rollouts SET claimable_at = $1 WHERE id IN (
    SELECT id FROM activity_rollouts
    WHERE claimable_at > $2
    AND (planner = $3 OR substr(planner, 1, length($4) + 1) = $5 || '/') FOR UPDATE SKIP LOCKED
);

UPDATE activity_rollouts SET state = $1, setbacks = $2,
    claimable_at = $3, planner = $4,
    progress = $5
WHERE id = $6;

UPDATE activity_timeline SET changes = told.changes FROM unnest($1, $2, $3) WITH ORDINALITY AS told (activity, sequence, changes, row_position)
WHERE activity_timeline.activity = told.activity AND activity_timeline.sequence = told.sequence;

UPDATE activity_transitions SET plan = told.plan FROM unnest($1, $2, $3) WITH ORDINALITY AS told (activity, key, plan, row_position)
WHERE activity_transitions.activity = told.activity AND activity_transitions.key = told.key;

UPDATE activity_transitions SET state = told.state, ended_at = told.ended_at FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS told (activity, key, state, ended_at, row_position)
WHERE activity_transitions.activity = told.activity AND activity_transitions.key = told.key;

UPDATE api_keys SET expires_at = $1, replaced_by = $2 WHERE id = $3;

UPDATE api_keys SET last_used_at = $1, last_used_address = $2
WHERE id = $3 AND (last_used_at IS NULL OR last_used_at < $4);

UPDATE api_keys SET revoked_at = $1 WHERE id = $2;

UPDATE api_keys SET signing_secret = $1
WHERE id = $2 AND signing_secret = $3;

UPDATE audit_log SET state_before = told.state_before, state_after = told.state_after FROM unnest($1, $2, $3) WITH ORDINALITY AS told (number, state_before, state_after, row_position)
WHERE audit_log.number = told.number;

UPDATE batch_contents SET payload = told.payload, targets = told.targets FROM unnest($1, $2, $3) WITH ORDINALITY AS told (batch, payload, targets, row_position)
WHERE batch_contents.batch = told.batch;

UPDATE batches SET claimable_at = $1 WHERE id IN (
    SELECT id FROM batches
    WHERE state = 1 AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds) AND claimable_at > $2
    AND (worker = $3 OR substr(worker, 1, length($4) + 1) = $5 || '/') FOR UPDATE SKIP LOCKED
);

UPDATE batches SET needs_relief = false
WHERE id = $1 AND next_target = $2
    AND state = $3 AND deferred IS NOT DISTINCT FROM $4;

UPDATE batches SET needs_relief = true WHERE id = $1 ;

UPDATE batches SET needs_relief = true WHERE id = $1 AND EXISTS (SELECT FROM activity_waiting WHERE batch = $2 AND position < $3);

UPDATE batches SET state = $1, claimable_at = $2, next_target = $3, deferred = $4, delivered = $5, worker = $6,
    setbacks = $7, failure = $8, halt = $9, held = $10, interrupted = $11
WHERE id = $12;

UPDATE campaigns SET claimable_at = $1 WHERE id = $2 AND planner = $3;

UPDATE campaigns SET claimable_at = $1 WHERE id IN (
    SELECT id FROM campaigns
    WHERE claimable_at > $2
    AND (planner = $3 OR substr(planner, 1, length($4) + 1) = $5 || '/') FOR UPDATE SKIP LOCKED
);

UPDATE campaigns SET definition = told.definition FROM unnest($1, $2) WITH ORDINALITY AS told (id, definition, row_position)
WHERE campaigns.id = told.id;

UPDATE campaigns SET state = $1, reason = $2,
    plan = $3, planner = $4, claimable_at = $5,
    setbacks = $6, paused_at = $7,
    runs_since = $8, runs_from = $9
WHERE id = $10;

UPDATE campaigns SET state = 3, planner = NULL, claimable_at = NULL, paused_at = NULL, runs_since = NULL,
    runs_from = NULL
WHERE id = $1 AND state < 3 AND EXISTS (SELECT FROM notifications WHERE notifications.id = campaigns.id AND open_batches = 0 AND NOT is_open)
RETURNING *;

UPDATE channels SET environment = $1, policy = $2,
    state = $3, created_at = $4,
    channel = $5
WHERE app = $6 AND name = $7;

UPDATE credentials SET sealed = $1
WHERE id = $2 AND sealed = $3;

UPDATE data_key SET is_complete = 1;

UPDATE delivery_identity SET sealed_key = $1
WHERE number = $2 AND sealed_key = $3;

UPDATE devices SET environment = new.environment, status = 0, status_reason = NULL,
    status_since = NULL FROM unnest($1, $2) WITH ORDINALITY AS new (environment, token, row_position)
WHERE devices.app = (SELECT number FROM apps WHERE id = $3) AND devices.environment = 1 - new.environment
    AND devices.token = new.token AND devices.registered_at <= $4
    AND devices.status < 2 AND devices.container = '' AND NOT EXISTS (
        SELECT 1 FROM devices AS other
        WHERE other.app = (SELECT number FROM apps WHERE id = $5) AND other.environment = new.environment
            AND other.token = new.token AND other.container = ''
    );

UPDATE devices SET status = 1, status_reason = told.reason,
    status_since = told.since FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS told (environment, token, reason, since, lowest_status, row_position)
WHERE devices.app = $6 AND devices.environment = told.environment AND devices.token = told.token AND devices.status = told.lowest_status
RETURNING told.row_position AS position, devices.installation, devices.environment, devices.container,
    devices.status, devices.status_reason, devices.status_since;

UPDATE devices SET status = 2, status_reason = told.reason,
    status_since = told.since FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS told (environment, token, reason, since, lowest_status, row_position)
WHERE devices.app = $6 AND devices.environment = told.environment AND devices.token = told.token AND devices.status >= told.lowest_status AND devices.status < 2 AND devices.registered_at <= told.since
RETURNING told.row_position AS position, devices.installation, devices.environment, devices.container,
    devices.status, devices.status_reason, devices.status_since;

UPDATE devices SET token = $1, registered_at = $2,
    seen_at = $3, status = $4, status_reason = $5,
    status_since = $6, user_data = $7
WHERE app = $8 AND installation = $9;

UPDATE devices SET token = told.token FROM unnest($1, $2, $3) WITH ORDINALITY AS told (app, number, token, row_position)
WHERE devices.app = told.app AND devices.number = told.number;

UPDATE devices SET user_id = NULL FROM unnest($1) WITH ORDINALITY AS named (user_id, row_position) CROSS JOIN LATERAL (
    SELECT number FROM devices WHERE app = $2 AND user_id = named.user_id
    ORDER BY registered_at DESC, number DESC LIMIT 1000 OFFSET $3
) AS excess
WHERE devices.app = $4 AND devices.number = excess.number;

UPDATE endpoint_events SET due_at = $1 WHERE number IN (
    SELECT number FROM endpoint_events
    WHERE due_at > $2
    AND (worker = $3 OR substr(worker, 1, length($4) + 1) = $5 || '/') FOR UPDATE SKIP LOCKED
);

UPDATE endpoint_events SET worker = $1, due_at = $2 WHERE number = $3;

UPDATE event_feeds SET horizon = greatest(horizon, $1) WHERE app = $2;

UPDATE idempotency_records SET body = told.body FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS told (app, api_key, key, body, row_position)
WHERE idempotency_records.app = told.app AND idempotency_records.api_key = told.api_key AND idempotency_records.key = told.key;

UPDATE idempotency_records SET status = $1, location = $2,
    body = $3
WHERE app = (SELECT number FROM apps WHERE id = $4) AND api_key = $5 AND key = $6;

UPDATE interruptions SET quarantined_at = $1, tried_at = NULL, reported_at = NULL,
    reason = $2
WHERE kind = $3 AND key = $4;

UPDATE interruptions SET reported_at = $1
WHERE number = $2 AND reported_at IS NULL AND quarantined_at IS NOT NULL RETURNING kind, key;

UPDATE interruptions SET tried_at = $1 WHERE number = $2;

UPDATE job_runs SET claimable_at = $1 WHERE id IN (
    SELECT id FROM job_runs
    WHERE claimable_at > $2
    AND (worker = $3 OR substr(worker, 1, length($4) + 1) = $5 || '/') FOR UPDATE SKIP LOCKED
);

UPDATE job_runs SET due_at = $1, occurrences = $2, state = $3,
    attempt = $4, setbacks = $5, processed = $6,
    place = $7, started_at = $8, ended_at = $9,
    claimable_at = $10, answer_status = $11, worker = $12,
    skip = $13, message = $14, campaign = $15
WHERE id = $16;

UPDATE jobs SET definition = $1, is_code = $2,
    is_paused = $3, next_at = $4, due_at = $5,
    updated_at = $6
WHERE number = $7;

UPDATE jobs SET definition = told.definition FROM unnest($1, $2) WITH ORDINALITY AS told (number, definition, row_position)
WHERE jobs.number = told.number;

UPDATE notifications SET is_open = false WHERE id = $1 AND is_open RETURNING id;

UPDATE notifications SET is_open = false WHERE id = ANY ($1) AND is_open RETURNING id;

UPDATE notifications SET open_batches = greatest(0, open_batches) - ended.batches FROM unnest($1, $2) WITH ORDINALITY AS ended (id, batches, row_position)
WHERE notifications.id = ended.id
RETURNING notifications.*, (SELECT apps.id FROM apps WHERE apps.number = notifications.app) AS app_id, NOT is_open AND open_batches = 0 AS is_settled;

UPDATE notifications SET target_count = target_count + $1,
    batch_count = batch_count + $2, open_batches = open_batches + $3
WHERE id = $4;

UPDATE platform_applications SET credential = $1,
    attributes = $2
WHERE platform_applications.platform = $3 AND platform_applications.name = $4;

UPDATE push_to_start_tokens SET token = told.token FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS told (app, attributes_type, installation, token, row_position)
WHERE push_to_start_tokens.app = told.app AND push_to_start_tokens.attributes_type = told.attributes_type AND push_to_start_tokens.installation = told.installation;

UPDATE stream_chunks SET entries = told.entries FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS told (app, stream, end_line, entries, row_position)
WHERE stream_chunks.app = told.app AND stream_chunks.stream = told.stream AND stream_chunks.end_line = told.end_line;

UPDATE streams SET accepted_lines = $1, accepted_at = $2
WHERE app = $3 AND id = $4 AND accepted_lines = $5;

UPDATE subscriptions SET device = NULL, endpoint = $1 WHERE app = $2 AND device = $3;

UPDATE subscriptions SET policy = $1, attributes = $2 WHERE id = $3;

UPDATE subscriptions SET sealed_user = $1
WHERE id = $2 AND sealed_user = $3;

UPDATE subscriptions SET state = $1 WHERE id = $2;

UPDATE topic_deliveries SET due_at = $1 WHERE number IN (
    SELECT number FROM topic_deliveries
    WHERE worker IS NOT NULL AND +due_at > $2
    AND (worker = $3 OR substr(worker, 1, length($4) + 1) = $5 || '/') FOR UPDATE SKIP LOCKED
);

UPDATE topic_deliveries SET worker = $1, due_at = $2 WHERE number = $3;

UPDATE topic_deliveries SET worker = NULL, attempts = attempts + 1, due_at = $1
WHERE number = $2;

UPDATE topic_deliveries SET worker = NULL, due_at = 0 WHERE number = $1;

UPDATE topic_messages SET content = told.content FROM unnest($1, $2) WITH ORDINALITY AS told (id, content, row_position)
WHERE topic_messages.id = told.id;

UPDATE topics SET attributes = $1, tags = $2 WHERE number = $3;

UPDATE topics SET unsubscribed = unsubscribed + 1 WHERE name = $1;

UPDATE webhooks SET leased_until = $1 WHERE id = $2;

UPDATE webhooks SET leased_until = $1 WHERE id IN (
    SELECT id FROM webhooks
    WHERE leased_until > $2
    AND (worker = $3 OR substr(worker, 1, length($4) + 1) = $5 || '/') FOR UPDATE SKIP LOCKED
);

UPDATE webhooks SET leased_until = $1, worker = NULL WHERE id = $2;

UPDATE webhooks SET leased_until = $1, worker = NULL WHERE id = $2 AND leased_until = $3;

UPDATE webhooks SET secret = $1
WHERE id = $2 AND secret = $3;

UPDATE webhooks SET url = $1, kinds = $2, state = $3,
    disabled_reason = $4, disabled_at = $5, event = $6,
    retry_to = $7, failures = $8,
    failing_since = $9, next_attempt = $10, lost = $11
WHERE id = $12;

UPDATE webhooks SET worker = $1, leased_until = $2 WHERE id = $3;

UPDATE webhooks SET worker = NULL, leased_until = NULL WHERE id = $1 AND worker = $2;

WITH RECURSIVE open (kind) AS (
    SELECT (
        SELECT kind FROM batches WHERE lane = $1 AND claimable_at IS NOT NULL
        ORDER BY kind LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT batches.kind FROM batches
        WHERE batches.lane = $1 AND batches.kind > open.kind AND batches.claimable_at IS NOT NULL
        ORDER BY batches.kind LIMIT 1
    ) FROM open WHERE open.kind IS NOT NULL
)
SELECT batch_kinds.number, batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM open
JOIN batch_kinds ON batch_kinds.number = open.kind
JOIN apps ON apps.number = batch_kinds.app;

WITH RECURSIVE open (kind) AS (
    SELECT (
        SELECT kind FROM batches WHERE lane = $1 AND claimable_at IS NOT NULL
        ORDER BY kind LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT batches.kind FROM batches
        WHERE batches.lane = $1 AND batches.kind > open.kind AND batches.claimable_at IS NOT NULL
        ORDER BY batches.kind LIMIT 1
    ) FROM open WHERE open.kind IS NOT NULL
)
SELECT min((
    SELECT batches.claimable_at FROM batches
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
WHERE due_at <= $1 AND NOT EXISTS (
    SELECT 1 FROM topic_deliveries
    WHERE subscription = due.subscription AND worker IS NOT NULL AND due_at > $2
)
ORDER BY due_at LIMIT $3;

WITH ends AS MATERIALIZED (
    SELECT apps.number AS app, greatest(
        coalesce(
            (
                SELECT CASE WHEN number > 0 THEN number - 1 ELSE -1 END FROM events
                WHERE events.app = apps.number AND time >= $1 ORDER BY number LIMIT 1
            ),
            (SELECT max(number) FROM events WHERE events.app = apps.number), 0
        ),
        coalesce(
            (
                SELECT number FROM events WHERE events.app = apps.number
                ORDER BY number DESC LIMIT 1 OFFSET $2
            ), 0
        )
    ) AS last
    FROM apps
)
SELECT app, last FROM ends
WHERE EXISTS (SELECT 1 FROM events WHERE events.app = ends.app AND events.number <= ends.last);

WITH feed AS MATERIALIZED (SELECT app FROM event_feeds WHERE app = $1 AND set_config('lock_timeout', current_setting('apus.lock_timeout'), true) IS NOT NULL FOR UPDATE)
INSERT INTO events (app, number, time, kind, data)
SELECT feed.app, nextval('event_numbers'), new.time, new.kind, new.data
FROM feed CROSS JOIN (
    SELECT entry.* FROM unnest($2, $3, $4) WITH ORDINALITY AS entry (time, kind, data, row_position) ORDER BY entry.row_position
) AS new;

WITH feed AS MATERIALIZED (SELECT app FROM event_feeds WHERE app = $1 FOR UPDATE)
INSERT INTO events (app, number, time, kind, data)
SELECT feed.app, nextval('event_numbers'), new.time, new.kind, new.data
FROM feed CROSS JOIN (
    SELECT entry.* FROM unnest($2, $3, $4) WITH ORDINALITY AS entry (time, kind, data, row_position) ORDER BY entry.row_position
) AS new;

WITH old AS MATERIALIZED (
    SELECT app, api_key, key FROM idempotency_records WHERE created_at < $1
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM idempotency_records WHERE (app, api_key, key) IN (SELECT app, api_key, key FROM old);

WITH settled AS (UPDATE batches SET state = 3, claimable_at = NULL, next_target = target_count,
    delivered = target_count, interrupted = 0 FROM unnest($1, $2, $3) WITH ORDINALITY AS one (id, worker, targets, row_position)
WHERE batches.id = one.id AND state + 0 = 1 AND batches.worker = one.worker
    AND target_count = one.targets AND next_target = 0 AND deferred IS NULL AND is_activity = 0
    AND EXISTS (
        SELECT 1 FROM notifications
        WHERE notifications.id = batches.notification AND batch_count = 1 AND NOT is_open
    )
    AND NOT EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = batches.notification)
RETURNING batches.id, batches.notification, batches.app)
UPDATE notifications SET open_batches = 0 FROM settled WHERE notifications.id = settled.notification
RETURNING settled.*, (SELECT apps.id FROM apps WHERE apps.number = settled.app) AS app_id;

WITH wanted AS (SELECT $1 AS app, told.platform, told.name, told.installation, $2 AS kind,
    (attributes::json ->> $3) AS topic, told.notification, $4 AS failure, $5 AS reason
FROM endpoint_publications AS told JOIN platform_applications USING (platform, name)
WHERE told.notification = $6 AND (attributes::json ->> $7) IS NOT NULL), room AS (SELECT (coalesce((SELECT max(number) FROM endpoint_events), 0)
    - coalesce((SELECT min(number) FROM endpoint_events), 0) < $8
OR (SELECT count(*) FROM (SELECT 1 FROM endpoint_events LIMIT $9) AS waiting) < $10) AS is_there), stored AS (
    INSERT INTO endpoint_events (app, platform, name, installation, kind, topic, time, due_at, notification,
    failure, reason)
SELECT app, platform, name, installation, kind, topic, $11, $12, notification, failure, reason
FROM wanted WHERE (SELECT is_there FROM room)
)
INSERT INTO endpoint_event_drops (process, count)
SELECT pg_backend_pid(), count(*) FROM wanted
WHERE NOT (SELECT is_there FROM room) HAVING count(*) > 0
ON CONFLICT (process) DO UPDATE SET count = endpoint_event_drops.count + excluded.count;

WITH wanted AS (SELECT app, platform, name, $1 AS installation, $2 AS kind, (attributes::json ->> $3) AS topic,
    $4 AS notification, $5 AS failure, $6 AS reason
FROM platform_applications
WHERE app = $7 AND environment = $8 AND container = $9
    AND (attributes::json ->> $10) IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM endpoint_publications AS told WHERE told.notification = $11
        AND told.platform = platform_applications.platform AND told.name = platform_applications.name
)), room AS (SELECT (coalesce((SELECT max(number) FROM endpoint_events), 0)
    - coalesce((SELECT min(number) FROM endpoint_events), 0) < $12
OR (SELECT count(*) FROM (SELECT 1 FROM endpoint_events LIMIT $13) AS waiting) < $14) AS is_there), stored AS (
    INSERT INTO endpoint_events (app, platform, name, installation, kind, topic, time, due_at, notification,
    failure, reason)
SELECT app, platform, name, installation, kind, topic, $15, $16, notification, failure, reason
FROM wanted WHERE (SELECT is_there FROM room)
)
INSERT INTO endpoint_event_drops (process, count)
SELECT pg_backend_pid(), count(*) FROM wanted
WHERE NOT (SELECT is_there FROM room) HAVING count(*) > 0
ON CONFLICT (process) DO UPDATE SET count = endpoint_event_drops.count + excluded.count;
