// Figures for a monitoring system, in the Prometheus text format. Whoever counts finds its series once by the values of
// its labels; to count is then an addition. No family grows without end: what is too many is counted as `other`.

import { assert } from '../../kit/assert.ts';

export interface Counter {
  add(amount?: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** The series of one name, by the values of its labels in their order. */
export interface Family<One, Labels extends readonly string[]> {
  of(...values: { [At in keyof Labels]: string }): One;
}

export interface About<Labels extends readonly string[]> {
  name: string;
  help: string;
  labels: Labels;
}

/** One figure that is read when somebody looks, with the values of its labels. */
export type Reading = readonly [value: number, ...labels: string[]];

export type Readings = readonly Reading[] | Promise<readonly Reading[]>;

export interface Metrics {
  counter<const Labels extends readonly string[]>(about: About<Labels>): Family<Counter, Labels>;
  histogram<const Labels extends readonly string[]>(
    about: About<Labels> & { bounds: readonly number[] },
  ): Family<Histogram, Labels>;
  /** What others keep already; a reading that fails is left out. */
  read<const Labels extends readonly string[]>(
    about: About<Labels> & { type: 'gauge' | 'counter' },
    readings: () => Readings,
  ): void;
  text(): Promise<string>;
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const MOST_SERIES = 5_000;
const OTHER = 'other';

interface Kept {
  lines(): string[] | Promise<string[]>;
}

export function createMetrics(mostSeries = MOST_SERIES): Metrics {
  const kept = new Map<string, Kept>();

  function keep({ name, help, labels }: About<readonly string[]>, type: string, lines: Kept['lines']): void {
    assert(NAME.test(name) && labels.every((label) => LABEL.test(label)), 'a metric has a name that may be one');
    assert(!kept.has(name), 'a metric is declared once');
    const head = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
    kept.set(name, { lines: async () => [...head, ...(await lines())] });
  }

  return {
    counter(about) {
      const series = createFamily(about.labels, mostSeries, createCounter);
      keep(about, 'counter', () => series.all().map(([labels, { value }]) => line(about.name, labels, value)));
      return series;
    },
    histogram({ bounds, ...about }) {
      const series = createFamily(about.labels, mostSeries, () => createHistogram(bounds));
      keep(about, 'histogram', () => series.all().flatMap(([labels, one]) => histogramLines(about.name, labels, one)));
      return series;
    },
    read(about, readings) {
      keep(about, about.type, async () => {
        const found = await Promise.resolve()
          .then(readings)
          .catch(() => []);
        return found.map(([value, ...values]) => line(about.name, labelText(about.labels, values), value));
      });
    },
    async text() {
      const parts = await Promise.all([...kept.values()].map(({ lines }) => lines()));
      return `${parts.flat().join('\n')}\n`;
    },
  };
}

const NAME = /^[a-z][a-z0-9_]*$/;
const LABEL = /^(?!le$|quantile$)[a-z][a-z0-9_]*$/;

interface Branch<One> {
  next: Map<string, Branch<One>>;
  one: One | undefined;
}

/** A tree by the values of the labels: a look-up joins no strings. */
function createFamily<One, const Labels extends readonly string[]>(labels: Labels, most: number, create: () => One) {
  const newBranch = (): Branch<One> => ({ next: new Map(), one: undefined });
  const root = newBranch();
  const series: [labels: string, one: One][] = [];
  let other: One | undefined;

  function add(...values: readonly string[]): One {
    const one = create();
    series.push([labelText(labels, values), one]);
    return one;
  }

  function others(): One {
    other ??= add(...labels.map(() => OTHER));
    return other;
  }

  return {
    all: () => series,
    of(...values: { [At in keyof Labels]: string }): One {
      let branch = root;
      for (let at = 0; at < values.length; at++) {
        const value = values[at] ?? '';
        let next = branch.next.get(value);
        if (!next) {
          if (series.length >= most) return others();
          next = newBranch();
          branch.next.set(value, next);
        }
        branch = next;
      }
      branch.one ??= add(...values);
      return branch.one;
    },
  };
}

function createCounter(): Counter & { value: number } {
  return {
    value: 0,
    add(amount = 1) {
      this.value += amount;
    },
  };
}

interface Counts extends Histogram {
  bounds: readonly number[];
  /** One more than there are bounds: the last one takes everything above. */
  counts: number[];
  sum: number;
}

function createHistogram(bounds: readonly number[]): Counts {
  return {
    bounds,
    counts: Array.from({ length: bounds.length + 1 }, () => 0),
    sum: 0,
    observe(value) {
      let at = 0;
      while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
      this.counts[at] = (this.counts[at] ?? 0) + 1;
      this.sum += value;
    },
  };
}

function histogramLines(name: string, labels: string, { bounds, counts, sum }: Counts): string[] {
  let below = 0;
  const buckets = counts.map((count, at) => {
    below += count;
    return line(`${name}_bucket`, `${labels}${labels ? ',' : ''}le="${figure(bounds[at] ?? Infinity)}"`, below);
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, below)];
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels ? `{${labels}}` : ''} ${figure(value)}`;
}

function labelText(names: readonly string[], values: readonly string[]): string {
  return names.map((name, at) => `${name}="${escapeValue(values[at] ?? '')}"`).join(',');
}

function figure(value: number): string {
  return value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
