// The Dockerfile, step by step.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Step {
  word: string;
  rest: string;
}

export function readDockerfile(): Step[] {
  return readFileSync(join(import.meta.dir, '..', '..', 'Dockerfile'), 'utf8')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line) => ({ word: line.slice(0, line.indexOf(' ')), rest: line.slice(line.indexOf(' ') + 1) }));
}

/** What of the project gets into the build, by path. */
export function copiedByDockerfile(): string[] {
  return readDockerfile()
    .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from'))
    .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
}
