// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { APIError, appPath, call, get } from './api.js';
import { el, report } from './dom.js';
import { count } from './format.js';
import { circuits } from './overview.js';
import { at, button, code, confirm, section, state, table, text } from './ui.js';

export const health = {
  name: 'health', title: 'Health', scopes: ['read'], interval: 5000,

  async load({ app }) {
    const [delivery, quarantine, ready] = await Promise.all([
      get(appPath(app, 'delivery')), get('/v1/quarantine?limit=100'), get('/readyz').catch((error) => {
        if (error instanceof APIError && error.status >= 500) return { status: error.message };
        throw error;
      })]);
    return { delivery, items: quarantine.items, isCut: Boolean(quarantine.nextCursor), ready };
  },

  draw({ delivery, items, isCut, ready }, context) {
    return [
      ready.status === 'ready' ? el('p', {}, 'The store can be read and written. ',
        delivery.isDelivering ? 'This process delivers.' : 'This process does not deliver; other processes may.')
        : el('p', { class: 'warning' }, `The store is not ready: ${ready.status}`),
      ...circuits(delivery.openCircuits),
      section('Circuits of this process', delivery.circuits.length > 0
        ? table('Circuits', ['Environment', 'Credential', 'State', 'Cause', 'Reason', 'Since', 'Next attempt'],
          delivery.circuits.map((one) => [one.environment, code(one.credential), state(one.state), one.cause, one.reason,
            at(one.since), at(one.nextProbeAt)]))
        : el('p', { class: 'quiet' }, 'This process has not sent a push for the app yet.')),
      section('Queues', delivery.queues.length > 0
        ? table('Queues', ['Lane', '#Batches', 'Oldest', '#Age in seconds'], delivery.queues.map((queue) => [
          queue.lane, queue.batches, at(queue.oldestAt), queue.oldestSeconds]))
        : el('p', { class: 'quiet' }, 'No batch waits.')),
      section('Quarantine', el('p', { class: 'quiet' },
        'Apus sets work aside that interrupted its process three times, or that it cannot read. Everything else continues.'),
      items.length > 0 ? table('Quarantined work', ['#Number', 'Type', 'Item', 'App', 'Reason', 'Time', 'Actions'],
        items.map((item) => [item.number, item.type, text(item.item), text(item.app), item.reason, at(item.time), actions(item, context)]))
        : el('p', { class: 'quiet' }, 'Nothing is quarantined.'),
      isCut && el('p', { class: 'quiet' }, 'These are the latest 100. All of them: apus quarantine list')),
    ];
  },
};

function actions(item, context) {
  if (!context.allows('admin')) return '–';
  const path = `/v1/quarantine/${item.number}`;
  const ask = (title, verb, sentence, action) => report(confirm({ title, verb, text: sentence }, action)
    .then((isDone) => isDone && context.refresh()));
  return el('span', { class: 'controls' },
    button('Repeat', () => ask('Repeat the work?', 'Repeat', `${item.type} ${item.item} may interrupt a process again, at most ${count(3, 'time')}.`,
      () => call('POST', `${path}:repeat`)), { 'data-key': `repeat-${item.number}` }),
    button('Remove', () => ask('Remove the item from the list?', 'Remove', `${item.type} ${item.item} will not be processed.`,
      () => call('DELETE', path)), { 'data-key': `remove-${item.number}`, class: 'danger' }));
}
