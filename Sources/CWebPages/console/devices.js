// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, call, get, withQuery } from './api.js';
import { el } from './dom.js';
import { address, go } from './router.js';
import { remedy, stateNames } from './strings.js';
import { at, button, choice, code, confirm, empty, facts, filter, json, link, pager, section, short, state, table } from './ui.js';

export const devices = {
  name: 'devices', title: 'Devices', scopes: ['devices', 'read'],

  load({ app, parameters: { status, cursor } }) {
    return get(withQuery(appPath(app, 'devices'), { limit: '50', status, cursor }));
  },

  draw({ devices: list, nextCursor }, { app, parameters: { status } }) {
    const result = el('div', { 'aria-live': 'polite' });
    const states = { '': 'All', active: stateNames.active, suspect: stateNames.suspect, invalid: stateNames.invalid };
    return [
      search(app, result), result,
      section('All devices, by first registration',
        filter('Filter the devices', choice('Status', 'status', states, status ?? '')),
        list.length > 0 ? rows(list) : empty(nextCursor ? 'This part of the list has no such device. Continue on the next page.'
          : 'No device is registered. An app registers at its start with ApusKit, or through the API.',
        nextCursor ? null : 'apus devices import BUNDLE_ID devices.csv'),
        pager(nextCursor)),
    ];
  },
};

const rows = (list) => table('Devices', ['Device', 'Status', 'User', 'Platform', 'App version', 'Environment', 'Last seen'],
  list.map((item) => [link(item.device, 'device', { id: item.device }), state(item.status.state), item.userID,
    item.platform, item.appVersion, item.environment, at(item.seenAt)]));

/** Finds devices by device ID, user ID or token. The token is in no address. */
export async function find(app, wanted) {
  const requests = [
    get(appPath(app, 'devices', wanted)).then((device) => [device]),
    call('POST', appPath(app, 'devices:search'), { body: { userID: wanted } }).then((list) => list.devices),
  ];
  if (/^([0-9a-f]{2}){8,}$/i.test(wanted)) {
    requests.push(call('POST', appPath(app, 'devices:search'), { body: { token: wanted } }).then((list) => list.devices));
  }
  const results = await Promise.allSettled(requests);
  const failed = results.find(({ status, reason }) => status === 'rejected' && ![400, 404].includes(reason.status));
  if (failed) throw failed.reason;
  const found = results.flatMap(({ status, value }) => (status === 'fulfilled' ? value : []));
  return [...new Map(found.map((item) => [item.device, item])).values()];
}

function search(app, result) {
  const form = el('form', { class: 'controls filter', role: 'search', 'aria-label': 'Find a device' },
    el('label', {}, 'Device ID, user ID or token ', el('input', { type: 'search', name: 'wanted', required: true, autocomplete: 'off', spellcheck: 'false' })),
    el('button', { class: 'primary' }, 'Find'), el('p', { class: 'error', role: 'alert' }));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const error = form.querySelector('.error');
    error.textContent = '';
    try {
      const found = await find(app, form.elements.wanted.value.trim());
      if (found.length === 1) return go(address('device', { id: found[0].device }));
      result.replaceChildren(found.length > 0 ? rows(found) : el('p', {}, 'No device has this ID, user or token.'));
    } catch (problem) {
      error.textContent = problem.message;
    }
    return undefined;
  });
  return form;
}

export const device = {
  name: 'device', title: 'Device', scopes: ['devices', 'read'], isListed: false, list: 'devices',

  load: ({ app, parameters: { id } }) => get(appPath(app, 'devices', id)),

  draw(item, context) {
    const { status } = item;
    return [
      el('h2', { dir: 'auto' }, item.device),
      status.state !== 'active' && el('p', { class: 'warning' },
        `${stateNames[status.state]}: ${status.reason} since `, at(status.since), `. ${remedy(status.reason)}`),
      facts({
        Status: state(status.state), User: item.userID && el('span', { dir: 'auto' }, item.userID), Environment: item.environment,
        Platform: item.platform, 'System version': item.systemVersion, 'App version': item.appVersion, Locale: item.locale,
        'Time zone': item.timeZone, Token: short(item.token), 'First registered': at(item.createdAt),
        'Last registered': at(item.registeredAt), 'Last seen': at(item.seenAt),
      }),
      section('Topics', item.topics.length > 0 ? el('p', { dir: 'auto' }, item.topics.join(', ')) : el('p', { class: 'quiet' }, 'None')),
      Object.keys(item.tags).length > 0 && section('Tags', json(item.tags, 'Tags')),
      el('p', { class: 'controls' },
        context.allows('send') && link('Send a notification', 'send', { device: item.device }),
        link('Why does it receive nothing?', 'why', { wanted: item.device }),
        context.allows('devices') && button('Delete', () => remove(item, context), { class: 'danger' })),
      el('p', { class: 'quiet' }, 'The console shows the end of the token only. ', code(`apus devices list ${context.app} --json`),
        ' prints the tokens.'),
    ];
  },
};

async function remove(item, { app }) {
  const isDone = await confirm({
    title: 'Delete the device?', verb: 'Delete',
    text: `Apus sends nothing to “${item.device}” until its app registers again.`,
  }, () => call('DELETE', appPath(app, 'devices', item.device)));
  if (isDone) go(address('devices'));
}
