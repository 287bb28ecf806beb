// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, call, get } from './api.js';
import { el, report } from './dom.js';
import { count, number } from './format.js';
import { at, button, empty, facts, link, section, short, state, table, text } from './ui.js';

export const webhooks = {
  name: 'webhooks', title: 'Webhooks', scopes: ['admin'], interval: 10_000,

  load: ({ app }) => get(appPath(app, 'webhooks')),

  draw({ webhooks: list }, { app }) {
    if (list.length === 0) {
      return [empty('There is no webhook. A webhook posts the events of the app to your server.',
        `curl -X POST "$APUS_URL/v1/apps/${app}/webhooks" -H "Authorization: Bearer $APUS_API_KEY" \\\n`
        + '  -H "Content-Type: application/json" -d \'{"url":"https://example.com/hook"}\'')];
    }
    return [table('Webhooks', ['URL', 'State', 'Events', '#Failures in a row', 'Next attempt'], list.map((item) => [
      link(item.url, 'webhook', { id: item.id }), state(item.state), item.eventTypes?.join(', ') ?? 'All',
      item.consecutiveFailures, at(item.nextAttemptAt)]))];
  },
};

export const webhook = {
  name: 'webhook', title: 'Webhook', scopes: ['admin'], isListed: false, list: 'webhooks', interval: 5000,

  async load({ app, parameters: { id } }) {
    const path = appPath(app, 'webhooks', id);
    const [item, { deliveries }] = await Promise.all([get(path), get(`${path}/deliveries`)]);
    return { item, deliveries };
  },

  draw({ item, deliveries }, context) {
    const path = appPath(context.app, 'webhooks', item.id);
    const run = (method, url, body) => report(call(method, url, { body })).then(() => context.refresh());
    const result = el('p', { 'aria-live': 'polite' });
    const test = async () => {
      const response = await report(call('POST', `${path}:test`));
      if (response) result.textContent = `Test: ${words(response)}`;
    };
    return [
      el('h2', { dir: 'auto' }, item.url),
      facts({
        State: state(item.state), Reason: item.disabledReason, 'Disabled since': item.disabledSince && at(item.disabledSince),
        Events: item.eventTypes?.join(', ') ?? 'All', 'Failures in a row': number(item.consecutiveFailures),
        'Failing since': item.failingSince && at(item.failingSince), 'Next attempt': item.nextAttemptAt && at(item.nextAttemptAt),
        'Dropped events': number(item.droppedEvents), Created: at(item.createdAt), ID: short(item.id),
      }),
      el('p', { class: 'controls' },
        button('Send a test event', test),
        item.state === 'active' && button('Pause', () => run('PATCH', path, { state: 'paused' })),
        item.state === 'paused' && button('Activate', () => run('PATCH', path, { state: 'active' }), { class: 'primary' }),
        item.state === 'disabled' && button('Enable', () => run('POST', `${path}:enable`), { class: 'primary' })),
      result,
      section('Last requests', deliveries.length > 0
        ? table('Last requests', ['Time', '#Events', '#Attempt', 'Response'], deliveries.map((one) => [
          at(one.time), one.count, one.attempt, text(words(one.response))]))
        : el('p', { class: 'quiet' }, 'Apus has not posted anything yet.')),
    ];
  },
};

const words = ({ success, status, error, bodyExcerpt, durationMilliseconds }) =>
  [success ? 'Accepted' : 'Failed', status, error, `in ${count(durationMilliseconds, 'millisecond')}`, bodyExcerpt].filter(Boolean).join(' ');
