DELETE FROM channels WHERE app = (SELECT number FROM apps WHERE id = ?) AND name = ?
    AND state = ? AND channel IS NOT DISTINCT FROM ?;

DELETE FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND push_type = ? RETURNING *;

DELETE FROM credentials WHERE id = ?;

DELETE FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND credential = ?;

DELETE FROM devices WHERE app = ? AND environment = ?
    AND token = ? AND installation <> ?
RETURNING installation;

DELETE FROM devices WHERE app = ? AND installation = ?
    AND environment = ?;

DELETE FROM endpoint_event_drops  RETURNING count;

DELETE FROM endpoint_events WHERE number = ? AND worker = ?;

DELETE FROM interruptions
WHERE number <= (SELECT max(number) FROM interruptions) - ?;

DELETE FROM job_runs WHERE job = ? AND state >= 2 AND number <= (
    SELECT number FROM job_runs WHERE job = ? ORDER BY number DESC LIMIT 1 OFFSET ?
);

DELETE FROM jobs WHERE app = (SELECT number FROM apps WHERE id = ?) AND id = ?;

DELETE FROM platform_applications WHERE platform_applications.platform = ? AND platform_applications.name = ?;

DELETE FROM subscriptions WHERE id = ?;

DELETE FROM subscriptions WHERE id = ? AND NOT EXISTS (
    SELECT 1 FROM topic_shares WHERE topic_shares.number = subscriptions.share
);

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

INSERT INTO api_keys (id, name, scopes, app, secret_hash, created_at, expires_at, revoked_at,
    signing_secret)
VALUES (?, ?, ?, ?, ?, ?,
    ?, ?, ?)
ON CONFLICT DO NOTHING;

INSERT INTO apps (id, name, default_environment, created_at)
VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

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

INSERT INTO devices (number, app, status, status_reason, status_since, environment, token, registered_at,
    seen_at, created_at, installation, user_data)
VALUES (?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?,
    ?, ?);

INSERT INTO endpoint_publications (notification, platform, name, installation)
VALUES (?, ?, ?,
    ?);

INSERT INTO idempotency_records
    (app, api_key, key, request_hash, notification, status, location, body, created_at)
VALUES (?, ?, ?, ?,
    ?, ?, ?,
    ?, ?);

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

INSERT INTO platform_applications (platform, name, app, environment, credential, attributes, created_at)
VALUES (?, ?, ?, ?,
    ?, ?, ?);

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

SELECT * FROM apps WHERE id = ?;

SELECT * FROM apps WHERE id > ? ORDER BY id LIMIT ?;

SELECT * FROM endpoint_events WHERE due_at <= ?
ORDER BY due_at, number LIMIT ?;

SELECT * FROM idempotency_records WHERE app = (SELECT number FROM apps WHERE id = ?) AND api_key = ? AND key = ?;

SELECT * FROM job_runs
WHERE job = (SELECT number FROM jobs WHERE app = (SELECT number FROM apps WHERE id = ?) AND id = ?) AND number < ?
ORDER BY number DESC LIMIT ?;

SELECT * FROM job_runs WHERE id = ?;

SELECT * FROM job_runs WHERE job = ? AND state < 2 ORDER BY number;

SELECT * FROM job_runs WHERE job = ? ORDER BY number DESC LIMIT 1;

SELECT * FROM job_runs WHERE number IN (
    SELECT (SELECT max(number) FROM job_runs WHERE job = jobs.number) FROM jobs
    WHERE app = (SELECT number FROM apps WHERE id = ?) AND id > ? AND id <= ?
);

SELECT * FROM stream_chunks WHERE stream = (SELECT number FROM streams WHERE app = (SELECT number FROM apps WHERE id = ?)
AND id = ?) AND end_line > ?
ORDER BY end_line LIMIT ?;

SELECT * FROM topic_policies WHERE topic = ?;

SELECT * FROM topics WHERE name = ?;

SELECT * FROM topics WHERE name = ? AND EXISTS (SELECT 1 FROM topic_shares WHERE topic_shares.topic = topics.number AND coalesce(topic_shares.app, 0) = (SELECT number FROM apps WHERE id = ?));

SELECT * FROM topics WHERE name > ? AND EXISTS (SELECT 1 FROM topic_shares WHERE topic_shares.topic = topics.number AND coalesce(topic_shares.app, 0) = ?) ORDER BY name LIMIT ?;

SELECT * FROM topics WHERE name > ? ORDER BY name LIMIT ?;

SELECT * FROM webhook_deliveries WHERE webhook = ? ORDER BY number DESC LIMIT ?;

SELECT 1 FROM campaigns WHERE id = ?;

SELECT 1 FROM channels WHERE app = ? AND environment = ?
    AND channel = ?;

SELECT 1 FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND push_type = ?;

SELECT 1 FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND credential = ?;

SELECT 1 FROM endpoint_event_drops
UNION ALL SELECT 1 FROM endpoint_events WHERE due_at <= ? LIMIT 1;

SELECT 1 FROM subscriptions WHERE share = ? LIMIT 1 OFFSET ?;

SELECT 1 FROM topic_deliveries WHERE subscription = ? LIMIT 1;

SELECT 1 FROM topic_remains UNION ALL
SELECT 1 FROM subscriptions WHERE state = 0 AND created_at < ? LIMIT 1;

SELECT DISTINCT batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM batches
JOIN batch_kinds ON batch_kinds.number = batches.kind
JOIN apps ON apps.number = batches.app
WHERE batches.notification = ? AND batches.state < 3;

SELECT accepted_lines FROM streams WHERE app = (SELECT number FROM apps WHERE id = ?) AND id = ?;

SELECT accepted_lines FROM streams WHERE app = ? AND id = ?;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id = ?;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id > ? ORDER BY api_keys.id LIMIT ?;

SELECT apps.id AS id FROM topic_shares CROSS JOIN apps ON apps.number = topic_shares.app
WHERE topic_shares.topic = ? ORDER BY apps.id;

SELECT apps.number AS app, coalesce(feeds.horizon, 0) AS horizon FROM apps LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number WHERE apps.id = ?;

SELECT certificate, sealed_key FROM delivery_identity;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE app = ? AND channels.name = ?;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = ? AND channels.name = ?;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = ? AND environment = ? ORDER BY channels.name;

SELECT coalesce((SELECT max(number) FROM events WHERE events.app = apps.number), coalesce(feeds.horizon, 0)) AS last
FROM apps LEFT JOIN event_feeds AS feeds ON feeds.app = apps.number WHERE apps.id = ?;

SELECT count(*) AS count FROM jobs WHERE app = ?;

SELECT count(*) AS count FROM topic_policies WHERE topic = ?;

SELECT count(*) AS count, max(number) AS last
FROM (SELECT number FROM events WHERE app = ? AND number > ? ORDER BY number LIMIT ?) AS scanned;

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

SELECT id FROM activities WHERE app = ? AND channel_name = ? AND state < 2 LIMIT 1;

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

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.app = (SELECT number FROM apps WHERE id = ?) AND jobs.id > ?
ORDER BY jobs.id LIMIT ?;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.app = ? AND jobs.id = ?;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.due_at <= ? AND jobs.is_code = 0
ORDER BY jobs.due_at LIMIT ?;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.due_at <= ? AND jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = ?) AND jobs.id IN (SELECT value FROM json_each(?))
ORDER BY jobs.due_at LIMIT ?;

SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs WHERE jobs.number = ?;

SELECT kind, count(*) AS count FROM events
WHERE app = ? AND number > ? AND number <= ? GROUP BY kind;

SELECT max(numbered_through, ?, coalesce(
    (
        SELECT number FROM devices WHERE number BETWEEN ? AND ?
        ORDER BY number DESC LIMIT 1
    ), 0
)) AS number FROM apps WHERE number = ?;

SELECT message FROM topic_deliveries
WHERE number = ? AND worker = ?;

SELECT number FROM activities WHERE app = ? AND attributes_type = ? AND state < 2 AND number IN (
    SELECT activity FROM activity_instants WHERE name = ?
        AND time >= ? AND time < ?
) AND number > ? ORDER BY number LIMIT ?;

SELECT number FROM apps WHERE id = ?;

SELECT number FROM devices WHERE app = ? AND installation = ?;

SELECT number FROM topic_policies WHERE topic = ? AND digest = ?;

SELECT number FROM topic_shares WHERE topic = ? AND coalesce(topic_shares.app, 0) = ?;

SELECT number, app FROM topic_shares WHERE topic = ?;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, locale, time_zone, user_id, user_data, CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE app = ? AND environment = ?
    AND token = ?;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, locale, time_zone, user_id, user_data, CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE app = ? AND installation = ?
    AND environment = ?;

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, locale, time_zone, user_id, user_data, CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE installation = ? AND (app, environment) =
    (SELECT app, environment FROM platform_applications WHERE platform_applications.platform = ? AND platform_applications.name = ?);

SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
    status_since, platform, app_version, locale, time_zone, user_id, user_data, CAST(tags AS text) AS tags,
    (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) AS topics
FROM devices WHERE number > ? AND number <= ?
    AND environment = ?
ORDER BY number LIMIT ?;

SELECT number, time, kind, data FROM events WHERE app = ? AND number > ? ORDER BY number LIMIT ?;

SELECT platform_applications.*, apps.id AS app_id FROM platform_applications
CROSS JOIN apps ON apps.number = platform_applications.app
WHERE (platform, platform_applications.name) > (?, ?)
    AND (? IS NULL OR apps.id = ?)
ORDER BY platform, platform_applications.name LIMIT ?;

SELECT platform_applications.*, apps.id AS app_id FROM platform_applications
CROSS JOIN apps ON apps.number = platform_applications.app WHERE platform_applications.platform = ? AND platform_applications.name = ?;

SELECT share FROM topic_remains ORDER BY share LIMIT 100;

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
WHERE subscriptions.id > ? AND (? IS NULL OR topic_shares.app = ?)
ORDER BY subscriptions.id LIMIT ?;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions CROSS JOIN topic_shares ON topic_shares.number = subscriptions.share
CROSS JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = topic_shares.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE topic_shares.app = ? AND device = ?
ORDER BY subscriptions.id LIMIT 10000;

SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
    topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
FROM subscriptions CROSS JOIN topic_shares ON topic_shares.number = subscriptions.share
CROSS JOIN topics ON topics.number = topic_shares.topic
LEFT JOIN apps ON apps.number = topic_shares.app
LEFT JOIN devices ON devices.app = topic_shares.app AND devices.number = subscriptions.device
LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
WHERE topic_shares.app = ? AND device = ? AND share = ?;

SELECT topic_deliveries.*, topic, content, created_at
FROM topic_deliveries
CROSS JOIN topic_messages ON topic_messages.id = topic_deliveries.message
WHERE subscription = ? AND due_at <= ? ORDER BY due_at, number LIMIT ?;

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

UPDATE api_keys SET last_used_at = ?
WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?);

UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?;

UPDATE api_keys SET signing_secret = ?
WHERE id = ? AND signing_secret = ?;

UPDATE channels SET environment = ?, policy = ?,
    state = ?, created_at = ?,
    channel = ?
WHERE app = ? AND name = ?;

UPDATE credentials SET sealed = ?
WHERE id = ? AND sealed = ?;

UPDATE delivery_identity SET sealed_key = ?
WHERE number = ? AND sealed_key = ?;

UPDATE devices SET token = ?, registered_at = ?,
    seen_at = ?, status = ?, status_reason = ?,
    status_since = ?, user_data = ?
WHERE app = ? AND installation = ?;

UPDATE endpoint_events SET worker = ?, due_at = ? WHERE number = ?;

UPDATE idempotency_records SET status = ?, location = ?,
    body = ?
WHERE app = (SELECT number FROM apps WHERE id = ?) AND api_key = ? AND key = ?;

UPDATE job_runs SET due_at = ?, occurrences = ?, state = ?,
    attempt = ?, setbacks = ?, processed = ?,
    place = ?, started_at = ?, ended_at = ?,
    claimable_at = ?, answer_status = ?, worker = ?,
    skip = ?, message = ?, campaign = ?
WHERE id = ?;

UPDATE jobs SET definition = ?, is_code = ?,
    is_paused = ?, next_at = ?, due_at = ?,
    updated_at = ?
WHERE number = ?;

UPDATE platform_applications SET credential = ?,
    attributes = ?
WHERE platform_applications.platform = ? AND platform_applications.name = ?;

UPDATE streams SET accepted_lines = ?, accepted_at = ?
WHERE app = ? AND id = ? AND accepted_lines = ?;

UPDATE subscriptions SET policy = ?, attributes = ? WHERE id = ?;

UPDATE subscriptions SET sealed_user = ?
WHERE id = ? AND sealed_user = ?;

UPDATE subscriptions SET state = ? WHERE id = ?;

UPDATE topic_deliveries SET worker = ?, due_at = ? WHERE number = ?;

UPDATE topic_deliveries SET worker = NULL, attempts = attempts + 1, due_at = ?
WHERE number = ?;

UPDATE topic_deliveries SET worker = NULL, due_at = 0 WHERE number = ?;

UPDATE topics SET attributes = ?, tags = ? WHERE number = ?;

UPDATE topics SET unsubscribed = unsubscribed + 1 WHERE name = ?;

UPDATE webhooks SET leased_until = ? WHERE id = ?;

UPDATE webhooks SET secret = ?
WHERE id = ? AND secret = ?;

UPDATE webhooks SET url = ?, kinds = ?, state = ?,
    disabled_reason = ?, disabled_at = ?, event = ?,
    retry_to = ?, failures = ?,
    failing_since = ?, next_attempt = ?, lost = ?
WHERE id = ?;

UPDATE webhooks SET worker = ?, leased_until = ? WHERE id = ?;

UPDATE webhooks SET worker = NULL, leased_until = NULL WHERE id = ? AND worker = ?;

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
WHERE app = ? AND environment = ? AND (attributes ->> ?) IS NOT NULL AND NOT EXISTS (
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
WHERE app = ? AND environment = ? AND (attributes ->> ?) IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM endpoint_publications AS told WHERE told.notification = ?
        AND told.platform = platform_applications.platform AND told.name = platform_applications.name
)) INSERT INTO endpoint_events (app, platform, name, installation, kind, topic, time, due_at, notification,
    failure, reason)
SELECT app, platform, name, installation, kind, topic, ?, ?, notification, failure, reason
FROM wanted WHERE (coalesce((SELECT max(number) FROM endpoint_events), 0)
    - coalesce((SELECT min(number) FROM endpoint_events), 0) < ?
OR (SELECT count(*) FROM (SELECT 1 FROM endpoint_events LIMIT ?) AS waiting) < ?);
