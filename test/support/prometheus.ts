// Reads `/metrics` twice: with a parser that others made, and line by line by the rules of the text format.

import parsePrometheus from 'parse-prometheus-text-format';

export interface Scrape {
  text: string;
  /** By name, without the `_bucket`, `_sum` and `_count` of histograms. */
  names: ReadonlySet<string>;
  /** 0 if there is no such series; the labels must be exactly these. */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
  /** The sum over all series that have these labels, and perhaps others. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
}

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;

export function readScrape(text: string): Scrape {
  const families = new Set(parsePrometheus(text).map(({ name }) => name));
  const { samples, declared } = readLines(text);
  for (const name of families)
    if (!declared.has(name)) throw new Error(`the parser found ${name}, which is not declared`);
  const has = (sample: Sample, labels: Readonly<Record<string, string>>) =>
    Object.entries(labels).every(([name, value]) => sample.labels[name] === value);
  return {
    text,
    names: new Set(declared.keys()),
    value: (name, labels = {}) =>
      samples.find(
        (one) => one.name === name && has(one, labels) && Object.keys(one.labels).length === Object.keys(labels).length,
      )?.value ?? 0,
    sum: (name, labels = {}) =>
      samples.filter((one) => one.name === name && has(one, labels)).reduce((sum, { value }) => sum + value, 0),
  };
}

/** Throws at the first thing that the format does not allow. */
function readLines(text: string): { samples: Sample[]; declared: Map<string, string> } {
  const declared = new Map<string, string>();
  const samples: Sample[] = [];
  const seen = new Set<string>();
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  let helped: string | undefined;
  let family = '';
  for (const line of text.split('\n').slice(0, -1)) {
    const fail = (why: string) => new Error(`${why}: ${line}`);
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      if (declared.has(name)) throw fail('declared twice');
      helped = name;
      continue;
    }
    if (kind === 'TYPE') {
      if (helped !== name || !/^(counter|gauge|histogram)$/.test(rest)) throw fail('not after its help, or no type');
      declared.set(name, rest);
      family = name;
      continue;
    }
    const sample = readSample(line);
    const type = declared.get(family);
    const isOwn =
      type === 'histogram'
        ? ['_bucket', '_sum', '_count'].some((end) => sample.name === family + end)
        : sample.name === family;
    if (!isOwn) throw fail('a sample outside its family');
    if (type === 'counter' && (sample.value < 0 || !sample.name.endsWith('_total'))) throw fail('no counter');
    const id = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).toSorted())}`;
    if (seen.has(id)) throw fail('a series that is there twice');
    seen.add(id);
    samples.push(sample);
  }
  checkHistograms(samples, declared);
  return { samples, declared };
}

function readSample(line: string): Sample {
  const [, name = '', labelText = '', figure = ''] = LINE.exec(line) ?? [];
  const value = figure === '+Inf' ? Infinity : Number(figure);
  if (name === '' || Number.isNaN(value)) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  for (let at = 0; at < labelText.length; at = LABEL.lastIndex) {
    LABEL.lastIndex = at;
    const [, label = '', text = ''] = LABEL.exec(labelText) ?? [];
    if (label === '' || label in labels) throw new Error(`bad labels: ${line}`);
    labels[label] = text.replace(/\\(.)/g, (_, one) => (one === 'n' ? '\n' : one));
  }
  return { name, labels, value };
}

/** Buckets only grow, and the last one is the count. */
function checkHistograms(samples: readonly Sample[], declared: ReadonlyMap<string, string>): void {
  for (const [name, type] of declared) {
    if (type !== 'histogram') continue;
    const groups = Map.groupBy(
      samples.filter((one) => one.name === `${name}_bucket`),
      ({ labels: { le: _, ...rest } }) => JSON.stringify(rest),
    );
    for (const [labels, buckets] of groups) {
      const bounds = buckets.map((one) => (one.labels.le === '+Inf' ? Infinity : Number(one.labels.le)));
      const isRising = (values: number[]) => values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0));
      const count = samples.find((one) => one.name === `${name}_count` && JSON.stringify(one.labels) === labels);
      const isWhole = bounds.at(-1) === Infinity && buckets.at(-1)?.value === count?.value;
      if (!isRising(bounds) || !isRising(buckets.map(({ value }) => value)) || !isWhole) {
        throw new Error(`no histogram: ${name} ${labels}`);
      }
    }
  }
}
