// All figures of a run, in display order.

export interface Metric {
  label: string;
  unit: 'µs' | 'ms' | '/s' | 'KB' | 'MB';
  /** Number of decimals shown. */
  decimals: number;
}

export const CONCURRENCIES = [1, 16, 64] as const;
export type Concurrency = (typeof CONCURRENCIES)[number];

const forEachConcurrency = <Name extends string>(name: Name, label: string, unit: Metric['unit'], decimals: number) =>
  Object.fromEntries(
    CONCURRENCIES.map((count) => [`${name}${count}`, { label: `${label}, ${count} at once`, unit, decimals }]),
  ) as Record<`${Name}${Concurrency}`, Metric>;

export const METRICS = {
  ...forEachConcurrency('cpu', 'small request: CPU', 'µs', 0),
  ...forEachConcurrency('cpuAll', 'small request: CPU with the database', 'µs', 0),
  ...forEachConcurrency('rate', 'small request: answers', '/s', 0),
  ...forEachConcurrency('p50_', 'small request: p50', 'ms', 2),
  ...forEachConcurrency('p99_', 'small request: p99', 'ms', 2),
  largeCpu: { label: '100 KB prompt: CPU', unit: 'µs', decimals: 0 },
  largeP50: { label: '100 KB prompt: p50', unit: 'ms', decimals: 2 },
  agentCpu113: { label: 'agent’s conversation of 113 KB: CPU', unit: 'ms', decimals: 2 },
  agentCpu1000: { label: 'agent’s conversation of 1 MB: CPU', unit: 'ms', decimals: 2 },
  agentTranslatedCpu113: { label: 'the same of 113 KB, translated: CPU', unit: 'ms', decimals: 2 },
  agentTranslatedCpu1000: { label: 'the same of 1 MB, translated: CPU', unit: 'ms', decimals: 2 },
  firstToken: { label: 'stream: first token, p50', unit: 'ms', decimals: 2 },
  firstTokenP99: { label: 'stream: first token, p99', unit: 'ms', decimals: 2 },
  chunkCpu: { label: 'stream: CPU per chunk', unit: 'µs', decimals: 1 },
  chunkCpuTranslated: { label: 'translated stream: CPU per chunk', unit: 'µs', decimals: 1 },
  slowChunkCpu: { label: '1,000 slow streams: CPU per chunk', unit: 'µs', decimals: 1 },
  slowLateP99: { label: '1,000 slow streams: late at the end, p99', unit: 'ms', decimals: 1 },
  badKeyCpu: { label: 'malformed key (401): CPU', unit: 'µs', decimals: 0 },
  overLimitCpu: { label: 'over a limit (429): CPU', unit: 'µs', decimals: 0 },
  streamMemory: { label: 'memory per open stream', unit: 'KB', decimals: 1 },
  ready: { label: 'start to ready', unit: 'ms', decimals: 0 },
  idleMemory: { label: 'idle memory', unit: 'MB', decimals: 1 },
  loadCpu: { label: 'the load’s own CPU, 64 at once', unit: 'µs', decimals: 0 },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

/** The figures of one target in one round; missing ones are omitted. */
export type Figures = Partial<Record<MetricName, number>>;

/**
 * The metric of the bare relay that this metric is compared with: the same one, unless the bare relay does something
 * simpler or different.
 */
export const COMPARED_WITH: Partial<Record<MetricName, MetricName>> = {
  cpuAll1: 'cpu1',
  cpuAll16: 'cpu16',
  cpuAll64: 'cpu64',
  agentTranslatedCpu113: 'agentCpu113',
  agentTranslatedCpu1000: 'agentCpu1000',
  chunkCpuTranslated: 'chunkCpu',
  badKeyCpu: 'cpu16',
  overLimitCpu: 'cpu16',
};
