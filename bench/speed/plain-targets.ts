// The targets besides our gateway: direct, the bare relay, nginx, Portkey, and what the caller names.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from './stage.ts';
import { Missing, type Running, startProgram, type Target } from './target.ts';

const CHAT = '/v1/chat/completions';
const PORTKEY = join(import.meta.dir, '..', 'rivals', 'portkey');

const asItIs = { path: CHAT, headers: {}, keys: ['unused'], modelOf: (script: string) => script };

export function direct(upstreamPort: number, upstreamPid: number): Target {
  const own = [upstreamPid];
  const running: Running = { port: upstreamPort, readyMs: 0, watch: () => ({ own, all: own }), stop: async () => {} };
  return {
    ...asItIs,
    name: 'direct',
    label: 'direct',
    description: 'the load calls the upstream directly; the CPU is the upstream’s own',
    path: `/direct${CHAT}`,
    start: async () => running,
  };
}

/** `flags`: flags for Bun. */
export function bareRelay(stage: Stage, upstreamPort: number, flags: readonly string[] = []): Target {
  const script = join(import.meta.dir, 'bare-relay.ts');
  const upstream = `http://127.0.0.1:${upstreamPort}/bare`;
  return {
    ...asItIs,
    name: 'bare',
    label: 'bare relay',
    description: `Bun ${Bun.version}, Bun.serve and fetch: passes bytes, does nothing else`,
    takesMessages: true,
    start: () =>
      startProgram(stage, {
        name: 'bare',
        command: (port) => [process.execPath, ...flags, '--no-env-file', script, String(port), upstream],
        readyPath: '/',
      }),
  };
}

export function nginx(stage: Stage, upstreamPort: number): Target | Missing {
  const binary = Bun.which('nginx');
  if (binary === null) return new Missing('nginx', 'it is not installed');
  const folder = join(stage.folder, 'nginx');
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const file = join(folder, 'nginx.conf');
  const version = Bun.spawnSync([binary, '-v']).stderr.toString().trim().replace('nginx version: ', '');
  return {
    ...asItIs,
    name: 'nginx',
    label: 'nginx',
    description: `${version}, one worker, plain proxy with keep-alive`,
    start: () =>
      startProgram(stage, {
        name: 'nginx',
        command(port) {
          writeFileSync(file, nginxConfig(folder, port, upstreamPort));
          return [binary, '-p', folder, '-e', join(folder, 'logs', 'error.txt'), '-c', file];
        },
        readyPath: '/ready',
      }),
  };
}

/** One worker, because the others have one process. Bytes pass unbuffered, and no file is written for a request. */
function nginxConfig(folder: string, port: number, upstreamPort: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((n) => `${n}_temp_path ${folder}/${n};`);
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 8192; }
http {
  access_log off;
  ${temporary.join(' ')}
  keepalive_requests 1000000000;
  client_body_buffer_size 1m;
  upstream scripted { server 127.0.0.1:${upstreamPort}; keepalive 1024; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /ready { return 200; }
    location / {
      proxy_pass http://scripted/nginx$request_uri;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}

export function portkey(stage: Stage, upstreamPort: number): Target | Missing {
  const node = Bun.which('node');
  if (node === null) return new Missing('Portkey', 'there is no node to run it');
  const program = join(PORTKEY, 'node_modules', '@portkey-ai', 'gateway');
  if (!existsSync(join(program, 'package.json'))) {
    console.error('Installing Portkey for the bench…');
    const { success, stderr } = Bun.spawnSync(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: PORTKEY,
    });
    if (!success) return new Missing('Portkey', `npm could not install it: ${stderr.toString().trim().split('\n')[0]}`);
  }
  const { version } = JSON.parse(readFileSync(join(program, 'package.json'), 'utf8')) as { version: string };
  const nodeVersion = Bun.spawnSync([node, '--version']).stdout.toString().trim();
  return {
    ...asItIs,
    name: 'portkey',
    label: 'Portkey',
    description: `@portkey-ai/gateway ${version} on Node ${nodeVersion}; bills nothing`,
    headers: { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/portkey/v1` },
    start: () =>
      startProgram(stage, {
        name: 'portkey',
        command: (port) => [node, join(program, 'build', 'start-server.js'), '--headless', `--port=${port}`],
        readyPath: '/',
      }),
  };
}

/**
 * A gateway that the caller starts: `NAME=COMMAND`, in which `{port}` is where it must listen and `{upstream}` the base URL of
 * an upstream in OpenAI's format, with the models of SCRIPTS. Its key is in RIVAL_KEY.
 */
export function rival(stage: Stage, upstreamPort: number, given: string): Target {
  const [, name = '', line = ''] = /^(\w+)=(.+)$/.exec(given) ?? [];
  if (name === '') throw new Error(`--rival needs NAME=COMMAND, not ${given}`);
  const upstream = `http://127.0.0.1:${upstreamPort}/${name}/v1`;
  const command = (port: number) => line.replaceAll('{port}', String(port)).replaceAll('{upstream}', upstream);
  return {
    ...asItIs,
    name,
    label: name,
    description: `as started by: ${line}`,
    keys: [process.env.RIVAL_KEY ?? 'unused'],
    rewrites: true,
    start: () =>
      startProgram(stage, {
        name,
        command: (port) => ['sh', '-c', `exec ${command(port)}`],
        readyPath: process.env.RIVAL_READY ?? '/',
      }),
  };
}
