// Metrics in the Prometheus text format. A caller looks up its series once by label values and then only adds to it.
// Every family is bounded: further series are counted as `other`.

import { assert } from '../../kit/assert.ts';

interface About<Labels extends readonly string[]> {
  name: string;
  help: string;
  labels: Labels;
}

/** A value that is read on scrape, with its label values. */
export type Reading = readonly [value: number, ...labels: string[]];

type Readings = readonly Reading[] | Promise<readonly Reading[]>;

export type Metrics = ReturnType<typeof createMetrics>;

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const MAX_SERIES = 5_000;
const OTHER = 'other';

type Lines = () => string[] | Promise<string[]>;

export function createMetrics(maxSeries = MAX_SERIES) {
  const kept = new Map<string, Lines>();

  function keep({ name, help, labels }: About<readonly string[]>, type: string, lines: Lines): void {
    assert(NAME.test(name) && labels.every((label) => LABEL.test(label)), 'names of metrics and labels are valid');
    assert(!kept.has(name), 'a metric is declared only once');
    const head = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
    kept.set(name, async () => [...head, ...(await lines())]);
  }

  /** Values that already exist elsewhere; a failed reading is left out. */
  function read(about: About<readonly string[]> & { type: 'gauge' | 'counter' }, readings: () => Readings): void {
    keep(about, about.type, async () => {
      const found = await Promise.resolve()
        .then(readings)
        .catch(() => []);
      return found.map(([value, ...values]) => line(about.name, labelText(about.labels, values), value));
    });
  }

  return {
    counter<const Labels extends readonly string[]>(about: About<Labels>) {
      const series = createFamily(about.labels, maxSeries, createCounter);
      keep(about, 'counter', () => series.all().map(([labels, { value }]) => line(about.name, labels, value)));
      return series;
    },
    histogram<const Labels extends readonly string[]>({ bounds, ...about }: About<Labels> & Pick<Counts, 'bounds'>) {
      const series = createFamily(about.labels, maxSeries, () => createHistogram(bounds));
      keep(about, 'histogram', () =>
        series.all().flatMap(([labels, histogram]) => histogramLines(about.name, labels, histogram)),
      );
      return series;
    },
    read,
    /** The same for one value without labels. */
    gauge(name: string, help: string, value: () => number | Promise<number>): void {
      read({ type: 'gauge', name, help, labels: [] }, async () => [[await value()]]);
    },
    async text(): Promise<string> {
      const parts = await Promise.all([...kept.values()].map((lines) => lines()));
      return `${parts.flat().join('\n')}\n`;
    },
  };
}

const NAME = /^[a-z][a-z0-9_]*$/;
const LABEL = /^(?!le$|quantile$)[a-z][a-z0-9_]*$/;

interface Branch<Series> {
  next: Map<string, Branch<Series>>;
  series: Series | undefined;
}

/** The series of one metric, by label values in order: a tree, so that a lookup does not join strings. */
function createFamily<Series, const Labels extends readonly string[]>(
  labels: Labels,
  most: number,
  create: () => Series,
) {
  const newBranch = (): Branch<Series> => ({ next: new Map(), series: undefined });
  const root = newBranch();
  const series: [labels: string, series: Series][] = [];
  let other: Series | undefined;

  function add(...values: readonly string[]): Series {
    const created = create();
    series.push([labelText(labels, values), created]);
    return created;
  }

  function others(): Series {
    other ??= add(...labels.map(() => OTHER));
    return other;
  }

  return {
    all: () => series,
    of(...values: { [At in keyof Labels]: string }): Series {
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
      branch.series ??= add(...values);
      return branch.series;
    },
  };
}

export type Counter = ReturnType<typeof createCounter>;

function createCounter() {
  return {
    value: 0,
    add(amount = 1): void {
      this.value += amount;
    },
  };
}

type Counts = ReturnType<typeof createHistogram>;

function createHistogram(bounds: readonly number[]) {
  return {
    bounds,
    /** Series more than the bounds: the last counts everything above. */
    counts: Array.from({ length: bounds.length + 1 }, () => 0),
    sum: 0,
    observe(value: number): void {
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
