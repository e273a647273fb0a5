// The status page, for people and for curl: what goes on now stands first, and of each model whether it works, which is not
// the same as whether each of its channels does.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../src/kit/clock.ts';
import { wordsOf } from '../../src/site/language.ts';
import { summaryOf, summaryText } from '../../src/site/pages/status.tsx';
import { DayBars, type StateName } from '../../src/site/parts/state.tsx';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { errorScript } from '../support/openai-chat.ts';
import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts';
import { createSiteClient } from './site-client.ts';

/** So long the figures of a moment are told. */
const KEPT_MS = 5_000;

let gateway: TestGateway;
let clock: ShiftedClock;
beforeEach(async () => {
  clock = createShiftedClock();
  gateway = await startTestGateway({
    clock,
    document: (standard) => ({
      ...standard,
      models: [
        ...standard.models,
        {
          id: 'helped',
          price: { input: 10, output: 40 },
          max_output_tokens: 1_000,
          routes: [
            { channel: 'up', model: 'scripted-2026-01', priority: 1 },
            { channel: 'demo', model: 'demo', priority: 2 },
          ],
        },
      ],
    }),
  });
});
afterEach(() => gateway.stop());

async function incident(id: string, title: string, endedAt: number | null, text = 'Text.'): Promise<void> {
  const said = { titleEn: title, titleZh: title, textEn: text, textZh: text };
  const row = { incidentId: id, startedAt: 0, endedAt, ...said, createdAt: 0 };
  await gateway.gateway.store.commit('putIncident', { incident: row });
}

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { status, account, pricing } = wordsOf(language);
  const asText = async () => (await gateway.call('/status', { headers: { 'accept-language': language } })).text();
  const asPage = async () => (await createSiteClient(gateway, language).get('/status')).text();

  const link = (id: string) => `<a class="id" href="#model-${id}">${id}</a>`;

  /** Which of these come in this order, in the page and in its text. */
  async function expectInOrder(page: readonly string[], text: readonly string[]): Promise<void> {
    clock.skip(KEPT_MS);
    for (const [shown, parts] of [
      [await asPage(), page],
      [await asText(), text],
    ] as const) {
      const places = parts.map((part) => shown.indexOf(part));
      expect([parts, places]).toEqual([parts, places.filter((place) => place >= 0).toSorted((a, b) => a - b)]);
    }
  }

  test('a model is as well as its best channel, and its channels are told below', async () => {
    const { key } = await gateway.register();
    gateway.upstream.otherwise(errorScript(404, { message: 'gone' }));
    expect((await gateway.chat(key, { model: 'helped' })).headers.get('x-svc-channel')).toBe('demo');
    const rows = [
      `| helped | ${status.channels(2)} | ${status.operational} |`,
      `| helped | up | ${status.down} | 0`,
      `| helped | demo | ${status.operational} | 100`,
    ];
    await expectInOrder(
      [status.noProblem, status.channels(2), `state down">${status.down}`],
      [status.noProblem, ...rows],
    );

    await gateway.chat(key, { model: 'up-paid' });
    const one = status.downModels(1) + account.colon;
    await expectInOrder([one, link('up-paid')], [`${one}up-paid${status.stop}`]);
    await gateway.chat(key, { model: 'up-free' });
    const two = status.downModels(2) + account.colon;
    const named = ['up-free', 'up-paid'];
    await expectInOrder(
      [two, ...named.map(link), ...named.map((id) => `<tr id="model-${id}">`)],
      [`${two}${named.join(pricing.comma)}${status.stop}`, '| helped |'],
    );
    expect((await asPage()).match(/<tr id="model-helped">/g)).toHaveLength(1);
  });

  test('both kinds of problem are told, a few models by name, and of what is not known nothing is claimed', () => {
    const told = (...states: StateName[]) => {
      const models = states.map((state, index) => ({ id: `m${index}`, state, channels: [] }));
      return summaryOf(language, { models, incidents: [] }).map((line) => summaryText(language, line));
    };
    const english = language === 'en';
    expect(told('down', 'degraded', 'unknown')).toEqual(
      english
        ? ['1 model is down: m0.', '1 model is degraded: m1.']
        : ['有 1 個模型中斷：m0。', '有 1 個模型不穩定：m1。'],
    );
    expect(told('down', 'down', 'unknown', 'down', 'down', 'down')).toEqual([
      english ? '5 models are down: m0, m1, m3 and 2 more.' : '有 5 個模型中斷：m0、m1、m3，以及另外 2 個。',
    ]);
    expect(told('operational', 'unknown')).toEqual([status.noProblem]);
    expect(told('operational')).toEqual([status.allWork]);
  });

  test('a bar says of its own day that there was no traffic, and below stands what each kind means', async () => {
    const html = await asPage();
    const titles = [...html.matchAll(/<title>(\d{4}-\d\d-\d\d[^<]*)<\/title>/g)].map(([, title = '']) => title);
    expect(titles.length).toBeGreaterThan(0);
    for (const title of titles) {
      const [, from = '', to = '', told] = /^(\S{10}) – (\S{10})(.*)$/.exec(title) ?? [];
      expect([told, (Date.parse(to) - Date.parse(from)) / DAY_MS]).toEqual([account.colon + status.noTraffic, 89]);
    }
    const [, legend = ''] = /<p class="faint legend">(.*?)<\/p>/.exec(html) ?? [];
    expect(legend).toStartWith(status.legend);
    const bars = [...legend.matchAll(/<rect class="(\w+)"[^>]* height="(\d+)"[^>]*><\/rect><\/svg>([^<]+)</g)];
    expect(bars.map(([, state, , words]) => [state, words])).toEqual([
      ['operational', status.operational],
      ['degraded', status.degraded],
      ['down', status.down],
      ['unknown', status.noTraffic],
    ]);
    const [good = 0, worse = 0, worst = 0] = bars.map(([, , height]) => Number(height));
    expect([worse > good, worst > worse]).toEqual([true, true]);
  });

  test('days in a row that were alike are drawn as one, each in its place', () => {
    const states: StateName[] = ['unknown', 'operational', 'operational', 'down', 'operational'];
    const days = states.map((state, index) => ({ day: `2026-01-0${index + 1}`, state }));
    const html = String(DayBars({ language, days }));
    const drawn = /<path class="(\w+)" d="([^"]+)" stroke-width="(\d+)" [^>]*><title>([^<]+)<\/title><\/path>/g;
    expect([...html.matchAll(drawn)].map(([, ...run]) => run)).toEqual([
      ['unknown', 'M0 21.5h3', '5', `2026-01-01${account.colon}${status.noTraffic}`],
      ['operational', 'M4 16.5h7', '15', `2026-01-02 – 2026-01-03${account.colon}${status.operational}`],
      ['down', 'M12 12h3', '24', `2026-01-04${account.colon}${status.down}`],
      ['operational', 'M16 16.5h3', '15', `2026-01-05${account.colon}${status.operational}`],
    ]);
  });

  test('what goes on now stands above the models, what is over below', async () => {
    await expectInOrder(
      [status.nothingKnown, '<table', status.noIncidents],
      [status.nothingKnown, '| helped', status.noIncidents],
    );
    await incident('inc_1', 'It is over', 1);
    await incident('inc_2', 'It goes on', null);
    const parts = [
      status.incidentGoesOn,
      status.ongoingIncidents,
      'It goes on',
      'auto:free',
      status.incidents,
      'It is over',
    ];
    await expectInOrder(parts.map((part) => `>${part}<`).with(3, '<table'), parts.with(4, `## ${status.incidents}\n`));
    expect((await asText()).split('It goes on')).toHaveLength(2);
  });

  test('the models have a heading of their own below what goes on, and an incident without a text leaves no gap', async () => {
    const heading = [`<h2>${status.models}</h2>`, `## ${status.models}\n\n| `];
    const count = async () => [
      (await asPage()).split(heading[0] ?? '').length,
      (await asText()).split(heading[1] ?? '').length,
    ];
    expect(await count()).toEqual([1, 1]);
    await incident('inc_1', 'It goes on', null, '');
    await expectInOrder(['It goes on', ...heading.slice(0, 1), '<table'], ['It goes on', ...heading.slice(1)]);
    expect(await asPage()).not.toContain('as-written');
    expect(await asText()).not.toContain('\n\n\n');
  });
});
