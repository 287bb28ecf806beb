// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, call } from './api.js';
import { el } from './dom.js';
import { count, number } from './format.js';
import { address, go } from './router.js';
import { payloadLimit, pushTypes, remedy, texts } from './strings.js';
import { choice, code, confirm, input, link, section, state, table } from './ui.js';

/** Above this number of devices, the number has to be typed before a campaign starts. */
const largeAudience = 1000;

const targetNames = { devices: 'Devices', users: 'Users', tokens: 'Tokens', audience: 'An audience (campaign)' };
const audienceNames = { all: 'All devices', topic: 'Subscribers of a topic', tag: 'Devices with a tag', json: 'Other (JSON)' };
const startNames = { now: 'Now', at: 'At a time', local: 'At a local time of each device' };
const levels = { '': 'Active', passive: 'Passive', 'time-sensitive': 'Time Sensitive' };

/** The form that sends a notification to devices, users or tokens, or a campaign to an audience. */
export const send = {
  name: 'send', title: 'Send', scopes: ['send', 'campaigns'],

  draw(_, context) {
    const result = el('div', { 'aria-live': 'polite' });
    const preview = el('div', {});
    const form = el('form', { class: 'card', novalidate: true }, ...fields(context));
    const error = form.querySelector('.error');
    const draft = new Draft(form, context);
    const update = () => {
      draft.showParts();
      preview.replaceChildren(...lockScreen(form, context.app), size(form));
    };
    form.addEventListener('input', () => {
      draft.changed();
      update();
    });
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      clearErrors(form);
      const active = document.activeElement;
      form.inert = true;
      const failure = await (draft.isCampaign ? draft.createCampaign() : draft.send(result)).catch((problem) => problem);
      form.inert = false;
      // An inert form loses the focus.
      if (failure) showErrors(form, error, failure);
      else if (active.isConnected) active.focus({ preventScroll: true });
    });
    update();
    return [el('div', { class: 'two' }, form, section('Preview', preview)), result];
  },
};

function fields({ parameters: { device, user }, allows }) {
  const kinds = Object.fromEntries(Object.entries(targetNames).filter(([kind]) =>
    allows(kind === 'audience' ? 'campaigns' : 'send')));
  const when = (name, ...content) => el('div', { class: 'fields', 'data-when': name }, ...content);
  const area = (label, name, attributes = {}) => el('label', {}, `${label} `, el('textarea', { name, rows: 3, spellcheck: 'false', ...attributes }));
  return [
    el('fieldset', {}, el('legend', {}, 'To'),
      choice('Send to', 'kind', kinds, user ? 'users' : Object.keys(kinds)[0]),
      el('div', { 'data-when': 'kind=devices kind=users kind=tokens' }, area('IDs or tokens, one in each line', 'targets', {})),
      when('kind=tokens', choice('Environment of the tokens', 'environment', { sandbox: 'Sandbox', production: 'Production' }, 'sandbox')),
      when('kind=audience', input('Name of the campaign', 'name', { maxlength: 200 }), choice('Audience', 'audience', audienceNames, 'all')),
      when('audience=topic', input('Topic', 'topic')),
      when('audience=tag', input('Tag', 'tag'), input('Value', 'value')),
      el('div', { 'data-when': 'audience=json' }, area('Audience as JSON', 'audienceJSON', { placeholder: '{"and":[{"platform":"iOS"},{"locale":"de"}]}' })),
      when('kind=audience', choice('Start', 'start', startNames, 'now'),
        el('div', { 'data-when': 'start=at' }, input('Time in your zone', 'at', { type: 'datetime-local' })),
        el('div', { 'data-when': 'start=local' }, input('Local time', 'local', { type: 'datetime-local' })),
        input('Devices per second at most', 'rate', { type: 'number', min: 1 }))),
    el('fieldset', {}, el('legend', {}, 'Message'),
      choice('Compose', 'compose', { alert: 'Notification', json: 'Payload as JSON' }, 'alert'),
      el('div', { class: 'fields', 'data-when': 'compose=alert' },
        input('Title', 'title', { dir: 'auto' }), input('Subtitle', 'subtitle', { dir: 'auto' })),
      el('div', { 'data-when': 'compose=alert' }, area('Text', 'body', { dir: 'auto', spellcheck: 'true' })),
      when('compose=alert', input('Badge', 'badge', { type: 'number', min: 0 }), input('Sound', 'sound', { placeholder: 'default' }),
        input('Thread ID', 'threadID'), choice('Interruption level', 'level', levels, '')),
      el('div', { 'data-when': 'compose=json' }, area('Payload', 'payload', { rows: 8, placeholder: '{"aps":{"alert":"Hello"}}' })),
      when('compose=json', choice('Push type', 'pushType', Object.fromEntries(pushTypes.map((type) => [type, type])), 'alert')),
      when('', input('Collapse ID', 'collapseID', { maxlength: 64 }))),
    el('p', { class: 'error', role: 'alert', tabindex: -1 }),
    el('p', { class: 'actions controls' }, el('button', { class: 'primary' }, 'Send')),
    device || user ? el('input', { type: 'hidden', name: 'preset', value: device ?? user }) : '',
  ];
}

/** What is sent, and the key that keeps a second click from sending it twice. */
class Draft {
  #form;
  #context;
  #key = crypto.randomUUID();

  constructor(form, context) {
    this.#form = form;
    this.#context = context;
    const preset = this.#value('preset');
    if (preset) form.elements.targets.value = preset;
  }

  #value(name) { return this.#form.elements[name]?.value.trim() ?? ''; }

  get isCampaign() { return this.#value('kind') === 'audience'; }

  /** Another content is another request. */
  changed() { this.#key = crypto.randomUUID(); }

  /** Shows the inputs that the choices need. */
  showParts() {
    for (const part of this.#form.querySelectorAll('[data-when]')) {
      const conditions = part.dataset.when.split(' ').filter(Boolean).map((condition) => condition.split('='));
      const isWanted = ([name, value]) => this.#value(name) === value && (name === 'kind' || this.#isShown(name));
      part.hidden = conditions.length > 0 && !conditions.some(isWanted);
    }
    this.#form.querySelector('.actions button').textContent = this.isCampaign ? 'Review and start' : 'Send';
  }

  #isShown(name) { return !this.#form.elements[name].closest('[data-when]')?.hidden || name === 'compose'; }

  #message() {
    if (this.#value('compose') === 'json') return { payload: parse(this.#value('payload'), 'payload'), pushType: this.#value('pushType') };
    return { notification: content(this.#form) };
  }

  async send(result) {
    const kind = this.#value('kind');
    // Spaces and commas may be part of an ID.
    const lines = this.#form.elements.targets.value.split(kind === 'tokens' ? /[\s,]+/ : '\n').map((line) => line.trim());
    const targets = { [kind]: lines.filter(Boolean) };
    if (targets[kind].length === 0) throw problem('targets', 'Enter at least one ID or token.');
    if (kind === 'tokens') targets.environment = this.#value('environment');
    const collapseID = this.#value('collapseID') || undefined;
    const sent = await call('POST', `${appPath(this.#context.app, 'notifications')}?wait=true`, {
      body: { targets, ...this.#message(), collapseID }, key: this.#key,
    });
    this.changed();
    result.replaceChildren(outcome(sent));
    result.scrollIntoView({ block: 'nearest' });
  }

  async createCampaign() {
    const { app } = this.#context;
    const audience = this.#audience();
    const { pushType, ...variant } = this.#message();
    if (variant.notification && Object.values(variant.notification).every((value) => value === undefined)) {
      throw problem('title', 'Enter a title or a text.');
    }
    const body = {
      name: this.#value('name') || undefined, audience, start: this.#start(),
      message: { pushType, collapseID: this.#value('collapseID') || undefined, default: variant },
      ratePerSecond: this.#value('rate') ? Number(this.#value('rate')) : undefined,
    };
    const estimate = await call('POST', appPath(app, 'campaigns:estimate'), { body: { audience } });
    if (estimate.count === 0 && !body.start) throw problem('audience', 'No device of the app is in this audience.');
    let created = null;
    await confirm({
      title: 'Start the campaign?', verb: 'Start the campaign',
      text: `${titleOf(variant)} will be sent to ${count(estimate.count, 'device')}, ${startText(body.start)}.`,
      expected: estimate.count > largeAudience ? estimate.count : null,
    }, async () => {
      created = await call('POST', appPath(app, 'campaigns'), { body, key: this.#key }).catch((error) => {
        // The inputs that are wrong are in the form.
        if (error.status !== 400 && error.status !== 422) throw error;
        return error;
      });
    });
    if (created instanceof Error) throw created;
    if (created) go(address('campaign', { id: created.id }));
  }

  #audience() {
    const kinds = {
      all: () => ({ all: true }),
      topic: () => ({ topic: this.#value('topic') }),
      tag: () => ({ tag: { name: this.#value('tag'), equals: this.#value('value') } }),
      json: () => parse(this.#value('audienceJSON'), 'audienceJSON'),
    };
    return kinds[this.#value('audience')]();
  }

  #start() {
    const kind = this.#value('start');
    if (kind === 'now') return undefined;
    const time = this.#value(kind);
    if (!time) throw problem(kind, 'Enter a time.');
    return kind === 'at' ? { at: new Date(time).toISOString() } : { local: { time: time.length === 16 ? `${time}:00` : time } };
  }
}

/** The words by which a user recognizes the message. */
function titleOf({ notification, payload }) {
  const alert = notification ?? payload?.aps?.alert ?? {};
  return `“${typeof alert === 'string' ? alert : alert.title ?? alert.body ?? 'A message without text'}”`;
}

function startText(start) {
  if (!start) return 'now';
  return start.at ? `at ${new Date(start.at).toLocaleString()}` : `at ${start.local.time} in the time zone of each device`;
}

/** The notification in the form; empty inputs are left out. */
function content({ elements }) {
  const text = (name) => elements[name].value.trim() || undefined;
  const badge = text('badge');
  return {
    title: text('title'), subtitle: text('subtitle'), body: text('body'), badge: badge === undefined ? undefined : Number(badge),
    sound: text('sound'), threadID: text('threadID'), interruptionLevel: text('level'),
  };
}

function parse(text, field) {
  try {
    return JSON.parse(text);
  } catch {
    throw problem(field, 'This is not JSON.');
  }
}

const problem = (field, message) => Object.assign(new Error(message), { errors: [], field });

function clearErrors(form) {
  form.querySelector('.error').textContent = '';
  for (const element of form.querySelectorAll('[aria-invalid]')) {
    element.removeAttribute('aria-invalid');
    element.removeAttribute('aria-describedby');
  }
  for (const note of form.querySelectorAll('.note')) note.remove();
}

/** The inputs of the members that errors of the API name. */
const inputs = { interruptionLevel: 'level', tokens: 'targets', devices: 'targets', users: 'targets', at: 'at', ratePerSecond: 'rate' };

/** Shows each error beside its input, and all of them at the end of the form. */
function showErrors(form, element, { message, errors = [], field = null }) {
  element.textContent = [message, ...errors.map(({ field: path, expected, actual }) => `${path}: expected ${expected}, got ${actual}.`)].join(' ');
  const faults = field ? [[field, message]] : errors.map(({ field: path, expected }) => {
    const member = path.replace(/\[\d+\]/g, '').split('.').at(-1);
    return [inputs[member] ?? member, `Expected ${expected}.`];
  });
  for (const [name, text] of faults) {
    const target = form.elements[name];
    if (!target?.closest || target.closest('[hidden]') || target.hasAttribute('aria-invalid')) continue;
    const id = `note-${name}`;
    target.setAttribute('aria-invalid', 'true');
    target.setAttribute('aria-describedby', id);
    target.closest('label').append(el('span', { class: 'error note', id }, text));
  }
  (form.querySelector('[aria-invalid]') ?? element).focus();
}

/** What a phone shows approximately. */
function lockScreen({ elements }, app) {
  const banner = elements.compose.value === 'json' ? alertOf(elements.payload.value) : {
    title: elements.title.value, subtitle: elements.subtitle.value, body: elements.body.value };
  return [el('div', { class: 'screen', role: 'group', 'aria-label': 'Lock screen, approximately' },
    el('p', { class: 'hour', 'aria-hidden': 'true' }, '9:41'),
    el('div', { class: 'banner' },
      el('p', { class: 'app' }, app.split('.').at(-1), el('span', {}, 'now')),
      el('p', { class: 'title', dir: 'auto' }, banner.title ?? ''), el('p', { class: 'title', dir: 'auto' }, banner.subtitle ?? ''),
      el('p', { class: 'body', dir: 'auto' }, banner.body ?? '')))];
}

function alertOf(text) {
  try {
    const alert = JSON.parse(text)?.aps?.alert;
    return typeof alert === 'string' ? { body: alert } : { title: alert?.title, subtitle: alert?.subtitle, body: alert?.body };
  } catch {
    return {};
  }
}

/** The size of the payload, by the members that Apus writes. */
function size(form) {
  const isJSON = form.elements.compose.value === 'json';
  const { title, subtitle, body, badge, sound, threadID, interruptionLevel } = content(form);
  const payload = { aps: { alert: { title, subtitle, body }, badge, sound, 'thread-id': threadID, 'interruption-level': interruptionLevel } };
  const bytes = new TextEncoder().encode(isJSON ? form.elements.payload.value : JSON.stringify(payload)).length;
  const limit = payloadLimit(isJSON ? form.elements.pushType.value : 'alert');
  return el('p', { class: bytes > limit ? 'error' : 'quiet' }, `About ${number(bytes)} of ${number(limit)} bytes`);
}

function outcome(sent) {
  const outcomes = sent.outcomes ?? [];
  return section('Result',
    el('p', {}, 'Notification ', link(sent.id, 'notification', { id: sent.id }), ': ', state(sent.state)),
    sent.skipped && el('p', { class: 'warning' }, `${count(sent.skipped.count, 'target')} skipped: not registered, or invalid. `,
      code([...(sent.skipped.devices ?? []), ...(sent.skipped.users ?? [])].join(', '))),
    outcomes.length > 0 && table('Outcomes', ['Target', 'Outcome', 'Reason', 'What to do'], outcomes.map((item) => [
      item.device ?? item.user ?? code(`…${item.token.slice(-12)}`), state(item.state), item.reason ?? item.code,
      item.state === 'delivered' ? texts.accepted : remedy(item.reason ?? item.code)])));
}
