// The files of the deployment, as far as they can be judged without Docker and systemd: what they name is there.
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Answer } from '../support/answer.ts';
import { copiedByDockerfile, readDockerfile } from './dockerfile.ts';

const ROOT = join(import.meta.dir, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Every variable that the docs name. */
const VARIABLES = new Set([...read('docs/configuration.md').matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name));

describe('the Dockerfile', () => {
  const steps = readDockerfile();
  const of = (word: string) => steps.filter((step) => step.word === word).map(({ rest }) => rest);

  test('copies what is there, and .dockerignore lets it through', () => {
    const sources = copiedByDockerfile();
    expect(sources).toContainValues(['package.json', 'package-lock.json', 'scripts', 'docs', 'src']);
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    for (const path of sources) {
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
      expect(allowed).toContain(`!${path}`);
    }
  });

  test('pins its bases, runs as a number that is not root, on a volume, with a health check of its own', () => {
    for (const base of of('FROM')) expect(base).toMatch(/^[a-z]+:[\w.-]+( AS build)?$/);
    expect(of('USER')).toEqual(['10001:10001']);
    expect(of('VOLUME')).toEqual(['/data']);
    expect(of('HEALTHCHECK')[0]).toContain('CMD ["ai-gateway", "health"]');
    expect([...of('ENTRYPOINT'), ...of('CMD')]).toEqual(['["ai-gateway"]', '["serve"]']);
    const words = steps.map(({ word }) => word);
    // What must be root comes before the user.
    expect(words.lastIndexOf('RUN')).toBeLessThan(words.indexOf('USER'));
  });

  test('sets variables that the program knows', () => {
    const names = of('ENV').flatMap((rest) => rest.split(' ').map((pair) => pair.split('=')[0]));
    expect(names.filter((name) => !VARIABLES.has(name))).toEqual([]);
  });
});

describe('compose.yaml', () => {
  const text = read('compose.yaml');
  const { services, volumes }: Answer = parse(text);

  test('sets variables that the program knows, and demands every secret', () => {
    const { environment } = services.gateway;
    expect(Object.keys(environment).filter((name) => !VARIABLES.has(name))).toEqual([]);
    for (const name of ['SECRETS_PEPPER', 'ADMIN_TOKEN']) expect(environment[name]).toStartWith(`\${${name}:?`);
    expect(environment.DATABASE_URL).toContain(`\${POSTGRES_PASSWORD:?`);
    expect(services.postgres.environment.POSTGRES_PASSWORD).toStartWith(`\${POSTGRES_PASSWORD:?`);
  });

  test('hands over every setting but those that the image and this arrangement fix', () => {
    const ours = ['TORTURE_KILL', 'PROCESS_INDEX', 'PROCESS_FOLLOWS'];
    const fixed = ['PORT', 'HOST', 'ADMIN_PORT', 'DATA_DIR', 'GATEWAY_CONFIG', ...ours];
    const names = [...read('src/server/settings/settings.ts').matchAll(/variable\('([A-Z_]+)'\)/g)].map(
      ([, name = '']) => name,
    );
    const missing = names.filter((name) => !fixed.includes(name) && !(name in services.gateway.environment));
    expect(missing).toEqual([]);
  });

  test('agrees with itself: database, user, volumes; the operator’s port is not published', () => {
    const { gateway, postgres } = services;
    const url = new URL(gateway.environment.DATABASE_URL.replace(/\$\{[^}]*\}/, 'secret'));
    expect([url.hostname, url.port, url.username, url.pathname]).toEqual(['postgres', '5432', 'gateway', '/gateway']);
    expect([postgres.environment.POSTGRES_USER, postgres.environment.POSTGRES_DB]).toEqual(['gateway', 'gateway']);
    const used = [...gateway.volumes, ...postgres.volumes].map((mount: string) => mount.split(':')[0]);
    expect(used.toSorted()).toEqual(Object.keys(volumes).toSorted());
    expect(gateway.ports).toEqual(['127.0.0.1:8787:8787']);
    expect(postgres.ports).toBeUndefined();
    expect(gateway.stop_grace_period).toBe('150s');
  });
});

describe('the unit for systemd', () => {
  const unit = read('ops/ai-gateway.service');
  const values = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);

  test('runs the executable as a user of its own, and gives it time to drain', () => {
    expect(values('ExecStart')).toEqual(['/usr/local/bin/ai-gateway serve']);
    expect(values('User')).toEqual(['ai-gateway']);
    expect(Number(values('TimeoutStopSec')[0])).toBeGreaterThanOrEqual(120 + 15);
    expect(values('Environment')).toEqual(['DATA_DIR=/var/lib/ai-gateway']);
    expect(values('StateDirectory')).toEqual(['ai-gateway']);
  });

  test('gives away what it does not need, but not what JavaScript needs', () => {
    for (const name of ['NoNewPrivileges', 'ProtectHome', 'PrivateTmp', 'PrivateDevices', 'RestrictNamespaces']) {
      expect([name, values(name)]).toEqual([name, ['yes']]);
    }
    expect(values('ProtectSystem')).toEqual(['strict']);
    expect(values('CapabilityBoundingSet')).toEqual(['']);
    expect(values('MemoryDenyWriteExecute')).toEqual([]);
  });
});
