/** @jsxImportSource hono/jsx */
// The chart of usage where an account has very many keys: sums are added up once, and those without a place of their own
// stand under others.

import { expect, test } from 'bun:test';
import { UsageChart } from '../../src/site/account/usage-chart.tsx';
import { createAssets } from '../../src/site/assets.ts';
import { wordsOf } from '../../src/site/language.ts';
import type { PageContext } from '../../src/site/page.tsx';

const FIRST = 20_000;
const DAYS = 30;
const KEYS = 20;
const NOTHING = { input: 0, cachedInput: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
const NO_UNITS = { images: 0, seconds: 0, characters: 0, searches: 0 };

test('each sum is looked at a few times, however many columns and keys there are', () => {
  let looks = 0;
  const parts = Array.from({ length: DAYS * KEYS }, (_, index) => ({
    ...{ ...NOTHING, ...NO_UNITS, requests: KEYS - (index % KEYS), cost: 0n, name: `key_${index % KEYS}` },
    get at() {
      looks += 1;
      return FIRST + Math.floor(index / KEYS);
    },
  }));
  const context: PageContext = {
    language: 'en',
    words: wordsOf('en'),
    assets: createAssets(new Map()),
    ...{ siteName: 'Shop', publicUrl: 'http://127.0.0.1', path: '/account/usage', query: '', isSignedIn: true },
    ...{ supportContact: undefined, termsUrl: undefined, privacyUrl: undefined },
  };
  const html = String(
    <UsageChart
      context={context}
      parts={parts}
      measure="requests"
      by="key"
      period={{ first: FIRST, end: FIRST + DAYS }}
      nameOf={(id) => id}
      hrefOfDates={() => ''}
      hrefOfGroup={() => ''}
    />,
  );
  const rows = [...html.matchAll(/<th scope="row">.*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<td>(\d+)<\/td>/g)].map(([, figure]) => Number(figure)),
  );
  const others = ((KEYS - 4) * (KEYS - 3)) / 2;
  expect(rows).toEqual(Array.from({ length: DAYS }, () => [KEYS, KEYS - 1, KEYS - 2, KEYS - 3, others]));
  expect(looks / parts.length).toBeLessThanOrEqual(4);
});
