DELETE FROM channels WHERE app = (SELECT number FROM apps WHERE id = $1) AND name = $2
    AND state = $3 AND channel IS NOT DISTINCT FROM $4;

DELETE FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND push_type = $3 RETURNING *;

DELETE FROM credentials WHERE id = $1;

DELETE FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND credential = $3;

DELETE FROM devices WHERE app = $1 AND environment = $2
    AND token = $3 AND installation <> $4
RETURNING installation;

DELETE FROM devices WHERE app = $1 AND installation = $2
    AND environment = $3;

DELETE FROM endpoint_event_drops WHERE process IN (SELECT process FROM endpoint_event_drops FOR UPDATE SKIP LOCKED) RETURNING count;

DELETE FROM endpoint_events WHERE number = $1 AND worker = $2;

DELETE FROM interruptions
WHERE number <= (SELECT max(number) FROM interruptions) - $1;

DELETE FROM job_runs WHERE job = $1 AND state >= 2 AND number <= (
    SELECT number FROM job_runs WHERE job = $2 ORDER BY number DESC LIMIT 1 OFFSET $3
);

DELETE FROM jobs WHERE app = (SELECT number FROM apps WHERE id = $1) AND id = $2;

DELETE FROM platform_applications WHERE platform_applications.platform = $1 AND platform_applications.name = $2;

DELETE FROM subscriptions WHERE id = $1;

DELETE FROM subscriptions WHERE id = $1 AND NOT EXISTS (
    SELECT 1 FROM topic_shares WHERE topic_shares.number = subscriptions.share
);

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

INSERT INTO api_keys (id, name, scopes, app, secret_hash, created_at, expires_at, revoked_at,
    signing_secret)
VALUES ($1, $2, $3, $4, $5, $6,
    $7, $8, $9)
ON CONFLICT DO NOTHING;

INSERT INTO apps (id, name, default_environment, created_at)
VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

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

INSERT INTO devices (number, app, status, status_reason, status_since, environment, token, registered_at,
    seen_at, created_at, installation, user_data)
VALUES (nextval('device_numbers'), $1, $2, $3, $4, $5,
    $6, $7, $8, $9,
    $10, $11);

INSERT INTO endpoint_publications (notification, platform, name, installation)
VALUES ($1, $2, $3,
    $4);

INSERT INTO event_feeds (app, horizon) SELECT number, 0 FROM apps WHERE id = $1
ON CONFLICT DO NOTHING;

INSERT INTO idempotency_records
    (app, api_key, key, request_hash, notification, status, location, body, created_at)
VALUES ($1, $2, $3, $4,
    $5, $6, $7,
    $8, $9);

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

INSERT INTO platform_applications (platform, name, app, environment, credential, attributes, created_at)
VALUES ($1, $2, $3, $4,
    $5, $6, $7);

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

SELECT * FROM apps WHERE id = $1;

SELECT * FROM apps WHERE id > $1 ORDER BY id LIMIT $2;

SELECT * FROM endpoint_events WHERE due_at <= $1
ORDER BY due_at, number LIMIT $2 FOR UPDATE SKIP LOCKED;

SELECT * FROM idempotency_records WHERE app = (SELECT number FROM apps WHERE id = $1) AND api_key = $2 AND key = $3;

SELECT * FROM job_runs
WHERE job = (SELECT number FROM jobs WHERE app = (SELECT number FROM apps WHERE id = $1) AND id = $2) AND number < $3
ORDER BY number DESC LIMIT $4;

SELECT * FROM job_runs WHERE id = $1;

SELECT * FROM job_runs WHERE job = $1 AND state < 2 ORDER BY number;

SELECT * FROM job_runs WHERE job = $1 ORDER BY number DESC LIMIT 1;

SELECT * FROM job_runs WHERE number IN (
    SELECT (SELECT max(number) FROM job_runs WHERE job = jobs.number) FROM jobs
    WHERE app = (SELECT number FROM apps WHERE id = $1) AND id > $2 AND id <= $3
);

SELECT * FROM stream_chunks WHERE app = (SELECT number FROM apps WHERE id = $1)
AND stream = $2 AND end_line > $3
ORDER BY end_line LIMIT $4;

SELECT * FROM topic_policies WHERE topic = $1;

SELECT * FROM topics WHERE name = $1;

SELECT * FROM topics WHERE name = $1 AND EXISTS (SELECT 1 FROM topic_shares WHERE topic_shares.topic = topics.number AND topic_shares.app = (SELECT number FROM apps WHERE id = $2));

SELECT * FROM topics WHERE name = $1 FOR KEY SHARE;

SELECT * FROM topics WHERE name = $1 FOR NO KEY UPDATE;

SELECT * FROM topics WHERE name = $1 FOR UPDATE;

SELECT * FROM topics WHERE name > $1 AND EXISTS (SELECT 1 FROM topic_shares WHERE topic_shares.topic = topics.number AND topic_shares.app = $2) ORDER BY name LIMIT $3;

SELECT * FROM topics WHERE name > $1 ORDER BY name LIMIT $2;

SELECT * FROM webhook_deliveries WHERE webhook = $1 ORDER BY number DESC LIMIT $2;

SELECT 1 FROM campaigns WHERE id = $1;

SELECT 1 FROM channels WHERE app = $1 AND environment = $2
    AND channel = $3;

SELECT 1 FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND push_type = $3;

SELECT 1 FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = $1) AND environment = $2
    AND credential = $3;

SELECT 1 FROM endpoint_event_drops
UNION ALL SELECT 1 FROM endpoint_events WHERE due_at <= $1 LIMIT 1;

SELECT 1 FROM subscriptions WHERE id = $1 FOR NO KEY UPDATE;

SELECT 1 FROM subscriptions WHERE share = $1 LIMIT 1 OFFSET $2;

SELECT 1 FROM topic_deliveries WHERE subscription = $1 LIMIT 1;

SELECT 1 FROM topic_messages WHERE id = $1 FOR UPDATE;

SELECT 1 FROM topic_remains UNION ALL
SELECT 1 FROM subscriptions WHERE state = 0 AND created_at < $1 LIMIT 1;

SELECT 1 FROM topic_shares WHERE number = $1 FOR NO KEY UPDATE;

SELECT 1 FROM topics JOIN topic_policies ON topic_policies.topic = topics.number
WHERE topics.name = $1 AND topic_policies.digest = $2;

SELECT DISTINCT batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM batches
JOIN batch_kinds ON batch_kinds.number = batches.kind
JOIN apps ON apps.number = batches.app
WHERE batches.notification = $1 AND batches.state < 3;

SELECT accepted_lines FROM streams WHERE app = $1 AND id = $2;

SELECT accepted_lines FROM streams WHERE app = (SELECT number FROM apps WHERE id = $1) AND id = $2;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id = $1;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id > $1 ORDER BY api_keys.id LIMIT $2;

SELECT apps.id AS id FROM topic_shares JOIN apps ON apps.number = topic_shares.app
WHERE topic_shares.topic = $1 ORDER BY apps.id;

SELECT apps.number AS app, coalesce(feeds.horizon, 0) AS horizon FROM apps LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number WHERE apps.id = $1;

SELECT certificate, sealed_key FROM delivery_identity;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE app = $1 AND channels.name = $2 FOR UPDATE OF channels;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = $1 AND channels.name = $2;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = $1 AND environment = $2 ORDER BY channels.name;

SELECT coalesce((SELECT max(number) FROM events WHERE events.app = apps.number), coalesce(feeds.horizon, 0)) AS last
FROM apps LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number WHERE apps.id = $1;

SELECT count(*) AS count FROM jobs WHERE app = $1;

SELECT count(*) AS count FROM topic_policies WHERE topic = $1;

SELECT count(*) AS count, max(number) AS last
FROM (SELECT number FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3) AS scanned;

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

SELECT id FROM activities WHERE app = $1 AND channel_name = $2 AND state < 2 LIMIT 1;

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

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.app = (SELECT number FROM apps WHERE id = $1) AND jobs.id > $2
ORDER BY jobs.id LIMIT $3;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.due_at <= $1 AND jobs.is_code = 0
ORDER BY jobs.due_at LIMIT $2 FOR NO KEY UPDATE OF jobs SKIP LOCKED;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.due_at <= $1 AND jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = $2) AND jobs.id = ANY ($3)
ORDER BY jobs.due_at LIMIT $4 FOR NO KEY UPDATE OF jobs SKIP LOCKED;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.number = $1 FOR NO KEY UPDATE OF jobs;

SELECT kind, count(*) AS count FROM events
WHERE app = $1 AND number > $2 AND number <= $3 GROUP BY kind;

SELECT message FROM topic_deliveries
WHERE number = $1 AND worker = $2 FOR UPDATE;

SELECT number FROM activities WHERE app = $1 AND attributes_type = $2 AND state < 2 AND number IN (
    SELECT activity FROM activity_instants WHERE name = $3
        AND time >= $4 AND time < $5
) AND number > $6 ORDER BY number LIMIT $7;

SELECT number FROM apps WHERE id = $1;

SELECT number FROM apps WHERE id = $1 FOR KEY SHARE;

SELECT number FROM devices WHERE app = $1 AND installation = $2;

SELECT number FROM devices WHERE app = $1 AND installation = $2 FOR KEY SHARE;

SELECT number FROM topic_policies WHERE topic = $1 AND digest = $2;

SELECT number FROM topic_shares WHERE topic = $1 AND topic_shares.app = $2;

SELECT number, app FROM topic_shares WHERE topic = $1;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, locale, time_zone, user_id, user_data, CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE app = $1 AND environment = $2
    AND token = $3;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, locale, time_zone, user_id, user_data, CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE app = $1 AND installation = $2
    AND environment = $3 FOR UPDATE;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, locale, time_zone, user_id, user_data, CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE app = $1 AND number > $2
    AND environment = $3
ORDER BY number LIMIT $4;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, locale, time_zone, user_id, user_data, CAST(tags AS text) AS tags,
    CAST(array_to_json(topics) AS text) AS topics
FROM devices WHERE installation = $1 AND (app, environment) =
    (SELECT app, environment FROM platform_applications WHERE platform_applications.platform = $2 AND platform_applications.name = $3);

SELECT number, time, kind, data FROM events WHERE app = $1 AND number > $2 ORDER BY number LIMIT $3;

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

SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true);

SELECT share FROM topic_remains ORDER BY share LIMIT 100 FOR UPDATE SKIP LOCKED;

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
WHERE subscriptions.app = $1 AND device = $2
ORDER BY subscriptions.id LIMIT 10000;

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

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE subscriptions.id > $1 AND ($2 IS NULL OR subscriptions.app = $3)
ORDER BY subscriptions.id LIMIT $4;

SELECT topic_deliveries.*, topic, content, created_at
FROM topic_deliveries
JOIN topic_messages ON topic_messages.id = topic_deliveries.message
WHERE subscription = $1 AND due_at <= $2 ORDER BY due_at, number LIMIT $3;

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

UPDATE api_keys SET last_used_at = $1
WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $3);

UPDATE api_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2;

UPDATE api_keys SET signing_secret = $1
WHERE id = $2 AND signing_secret = $3;

UPDATE channels SET environment = $1, policy = $2,
    state = $3, created_at = $4,
    channel = $5
WHERE app = $6 AND name = $7;

UPDATE credentials SET sealed = $1
WHERE id = $2 AND sealed = $3;

UPDATE delivery_identity SET sealed_key = $1
WHERE number = $2 AND sealed_key = $3;

UPDATE devices SET token = $1, registered_at = $2,
    seen_at = $3, status = $4, status_reason = $5,
    status_since = $6, user_data = $7
WHERE app = $8 AND installation = $9;

UPDATE endpoint_events SET worker = $1, due_at = $2 WHERE number = $3;

UPDATE idempotency_records SET status = $1, location = $2,
    body = $3
WHERE app = (SELECT number FROM apps WHERE id = $4) AND api_key = $5 AND key = $6;

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

UPDATE platform_applications SET credential = $1,
    attributes = $2
WHERE platform_applications.platform = $3 AND platform_applications.name = $4;

UPDATE streams SET accepted_lines = $1, accepted_at = $2
WHERE app = $3 AND id = $4 AND accepted_lines = $5;

UPDATE subscriptions SET policy = $1, attributes = $2 WHERE id = $3;

UPDATE subscriptions SET sealed_user = $1
WHERE id = $2 AND sealed_user = $3;

UPDATE subscriptions SET state = $1 WHERE id = $2;

UPDATE topic_deliveries SET worker = $1, due_at = $2 WHERE number = $3;

UPDATE topic_deliveries SET worker = NULL, attempts = attempts + 1, due_at = $1
WHERE number = $2;

UPDATE topic_deliveries SET worker = NULL, due_at = 0 WHERE number = $1;

UPDATE topics SET attributes = $1, tags = $2 WHERE number = $3;

UPDATE topics SET unsubscribed = unsubscribed + 1 WHERE name = $1;

UPDATE webhooks SET leased_until = $1 WHERE id = $2;

UPDATE webhooks SET secret = $1
WHERE id = $2 AND secret = $3;

UPDATE webhooks SET url = $1, kinds = $2, state = $3,
    disabled_reason = $4, disabled_at = $5, event = $6,
    retry_to = $7, failures = $8,
    failing_since = $9, next_attempt = $10, lost = $11
WHERE id = $12;

UPDATE webhooks SET worker = $1, leased_until = $2 WHERE id = $3;

UPDATE webhooks SET worker = NULL, leased_until = NULL WHERE id = $1 AND worker = $2;

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

WITH old AS MATERIALIZED (
    SELECT app, api_key, key FROM idempotency_records WHERE created_at < $1
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM idempotency_records WHERE (app, api_key, key) IN (SELECT app, api_key, key FROM old);

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
WHERE app = $7 AND environment = $8 AND (attributes::json ->> $9) IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM endpoint_publications AS told WHERE told.notification = $10
        AND told.platform = platform_applications.platform AND told.name = platform_applications.name
)), room AS (SELECT (coalesce((SELECT max(number) FROM endpoint_events), 0)
    - coalesce((SELECT min(number) FROM endpoint_events), 0) < $11
OR (SELECT count(*) FROM (SELECT 1 FROM endpoint_events LIMIT $12) AS waiting) < $13) AS is_there), stored AS (
    INSERT INTO endpoint_events (app, platform, name, installation, kind, topic, time, due_at, notification,
    failure, reason)
SELECT app, platform, name, installation, kind, topic, $14, $15, notification, failure, reason
FROM wanted WHERE (SELECT is_there FROM room)
)
INSERT INTO endpoint_event_drops (process, count)
SELECT pg_backend_pid(), count(*) FROM wanted
WHERE NOT (SELECT is_there FROM room) HAVING count(*) > 0
ON CONFLICT (process) DO UPDATE SET count = endpoint_event_drops.count + excluded.count;
