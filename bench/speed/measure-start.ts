// Measures the startup of one target: time to ready, idle memory, and the memory of a thousand open streams. Each time in a
// fresh process, because memory left by earlier work would hide what the streams need.

import type { Crew } from './crew.ts';
import type { Figures } from './metrics.ts';
import { residentKb } from './processes.ts';
import type { Target } from './target.ts';

const STREAMS = 1_000;
const SETTLE_MS = 700;
const WARM_UP_MS = 300;

export async function measureStart(crew: Crew, target: Target): Promise<Figures> {
  const running = await target.start();
  try {
    const memory = () => residentKb(running.watch().own);
    await Bun.sleep(SETTLE_MS);
    const idleKb = memory();
    await crew.load(target, running, { script: 'json', connections: 16, forMs: WARM_UP_MS });
    await crew.load(target, running, { script: 'burst', connections: 16, forMs: WARM_UP_MS });
    await Bun.sleep(SETTLE_MS);
    const warmKb = memory();
    let openKb = 0;
    await crew.holdStreams(target, running, STREAMS, async () => {
      await Bun.sleep(SETTLE_MS);
      openKb = memory();
    });
    return { ready: running.readyMs, idleMemory: idleKb / 1024, streamMemory: (openKb - warmKb) / STREAMS };
  } finally {
    await running.stop();
  }
}
