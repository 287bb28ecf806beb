// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, call, get, withQuery } from './api.js';
import { el, report } from './dom.js';
import { at, button, choice, code, confirm, empty, input, pager, section, state, table, text } from './ui.js';

const scopes = ['send', 'devices', 'activities', 'client', 'campaigns', 'read', 'admin'];

/** API keys of the server, and credentials of the app. */
export const keys = {
  name: 'keys', title: 'Keys and credentials', scopes: ['admin'],

  async load({ app, parameters: { cursor }, session }) {
    const [{ credentials }, list] = await Promise.all([
      get(appPath(app, 'credentials')), session.app ? null : get(withQuery('/v1/keys', { limit: '50', cursor }))]);
    return { credentials, list };
  },

  draw({ credentials, list }, context) {
    return [
      section('Credentials of the app', credentials.length > 0
        ? table('Credentials', ['Type', 'Key ID', 'Team ID', 'Environments', 'Storage', 'Added'], credentials.map((item) => [
          item.type, text(item.keyID), text(item.teamID), item.environments.join(', '), item.storage, at(item.createdAt)]))
        : empty('The app has no credential, so Apus cannot send. Add the key of your team.',
          `apus apps credential add ${context.app} --p8 AuthKey_KEY.p8 --key-id KEY --team-id TEAM`)),
      list ? section('API keys', table('API keys', ['Name', 'ID', 'Scopes', 'App', 'Created', 'Last used', 'State', 'Actions'],
        list.keys.map((item) => [text(item.name), code(item.id), item.scopes.join(', '), item.app ?? 'All', at(item.createdAt),
          at(item.lastUsedAt), state(validity(item)), validity(item) === 'active' ? revoke(item, context) : '–'])),
      pager(list.nextCursor))
        : el('p', { class: 'quiet' }, 'Your key is bound to this app. A key for all apps can list and create API keys.'),
      list && creation(context),
    ];
  },
};

function validity({ revokedAt, expiresAt }) {
  if (revokedAt) return 'disabled';
  return expiresAt && new Date(expiresAt) <= new Date() ? 'expired' : 'active';
}

const revoke = (item, context) => button('Revoke', () => report(confirm({
  title: 'Revoke the key?', verb: 'Revoke',
  text: item.id === context.session.id ? `“${item.name}” is the key of this session. The console will sign out.`
    : `Every request with “${item.name}” is rejected within a second. A revoked key cannot be restored.`,
}, () => call('DELETE', `/v1/keys/${item.id}`)).then((isDone) => isDone && context.refresh())),
{ class: 'danger', 'data-key': `revoke-${item.id}` });

function creation(context) {
  // The key that was created stays when the list is drawn again.
  context.created ??= el('div', { 'aria-live': 'polite' });
  const form = el('form', { class: 'card' },
    input('Name', 'name', { required: true, maxlength: 200 }),
    choice('App', 'app', { [context.app]: `${context.app} only`, '': 'All apps' }, context.app),
    el('fieldset', {}, el('legend', {}, 'Scopes'), el('div', { class: 'fields' }, ...scopes.map((scope) => el('label', { class: 'check' },
      el('input', { type: 'checkbox', name: 'scopes', value: scope }), scope)))),
    el('p', { class: 'error', role: 'alert' }), el('p', { class: 'controls' }, el('button', { class: 'primary' }, 'Create')));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fields = new FormData(form);
    const error = form.querySelector('.error');
    error.textContent = '';
    form.inert = true;
    try {
      const created = await call('POST', '/v1/keys', {
        body: { name: fields.get('name'), scopes: fields.getAll('scopes'), app: fields.get('app') || undefined },
      });
      form.reset();
      context.created.replaceChildren(el('p', { class: 'warning' }, 'Copy the key now. It is not shown again: ', code(created.key)));
    } catch (problem) {
      error.textContent = [problem.message, ...problem.errors.map(({ field, expected }) => `${field}: expected ${expected}.`)].join(' ');
    } finally {
      form.inert = false;
    }
  });
  return section('Create an API key', form, context.created);
}
