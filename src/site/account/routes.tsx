/** @jsxImportSource hono/jsx */
// The pages of the account, and what their forms do.

import type { Env, Hono } from 'hono';
import type { Assets } from '../assets.ts';
import type { SiteTools } from '../tools.ts';
import { addEntrance } from './entrance.tsx';
import { addKeyPages } from './key-pages.tsx';
import { addMoneyPages } from './money-pages.tsx';
import { addPlayground } from './playground.tsx';
import { createVisits } from './visit.tsx';

export function addAccountPages<Bindings extends Env>(app: Hono<Bindings>, tools: SiteTools, assets: Assets): void {
  const visits = createVisits(app, tools, assets);
  addEntrance(visits, tools);
  addMoneyPages(visits, tools);
  addKeyPages(visits, tools);
  addPlayground(visits, tools);
}
