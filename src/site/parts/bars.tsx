/** @jsxImportSource hono/jsx */
// Small bar charts in the rows of a table: rendered without a script, with a text for screen readers.

interface Bar {
  /** 0 to 1; null where there is nothing to show. */
  height: number | null;
  kind: 'operational' | 'degraded' | 'down';
}

const BAR = 18;
const GAP = 4;
const STEP = BAR + GAP;
const HEIGHT = 100;
/** The smallest visible bar. */
const MIN_HEIGHT = 3;

interface Run {
  look: string;
  tall: number;
  from: number;
  count: number;
}

/** Consecutive equal bars are one element, so that a page with many charts stays small. */
function runsOf(bars: readonly Bar[]): Run[] {
  const runs: Run[] = [];
  for (const [from, { height, kind }] of bars.entries()) {
    const tall = height === null ? 1 : Math.max(MIN_HEIGHT, Math.round(height * HEIGHT));
    const look = height === null ? 'none' : kind;
    const last = runs.at(-1);
    if (last?.look === look && last.tall === tall) last.count++;
    else runs.push({ look, tall, from, count: 1 });
  }
  return runs;
}

export function Bars({ bars, label }: { bars: readonly Bar[]; label: string }) {
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${Math.max(1, bars.length) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {/* One line as thick as its bars are tall, with gaps in it. */}
      {runsOf(bars).map(({ look, tall, from, count }) => (
        <path
          class={look}
          d={`M${from * STEP + 2} ${HEIGHT - tall / 2}h${count * STEP - GAP}`}
          stroke-width={tall}
          stroke-dasharray={`${BAR} ${GAP}`}
        />
      ))}
    </svg>
  );
}
