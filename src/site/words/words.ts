// All texts of the site. Each topic has both languages in one file, so that they are changed together.

import * as account from './account.ts';
import * as changelog from './changelog.ts';
import * as docs from './docs.ts';
import * as endings from './endings.ts';
import * as faults from './faults.ts';
import * as frame from './frame.ts';
import * as home from './home.ts';
import * as keys from './keys.ts';
import * as models from './models.ts';
import * as play from './play.ts';
import * as pricing from './pricing.ts';
import * as refusals from './refusals.ts';
import * as security from './security.ts';
import * as setup from './setup.ts';
import * as statements from './statements.ts';
import * as status from './status.ts';
import type { Translated } from './translated.ts';
import * as usage from './usage.ts';
import * as usageView from './usage-view.ts';
import * as webhooks from './webhooks.ts';

export const en = {
  frame: frame.en,
  home: home.en,
  pricing: pricing.en,
  models: models.en,
  docs: docs.en,
  statements: statements.en,
  status: status.en,
  security: security.en,
  changelog: changelog.en,
  account: {
    ...account.en,
    keys: keys.en,
    play: play.en,
    setup: setup.en,
    webhooks: webhooks.en,
    ...usage.en,
    ...usageView.en,
    ...endings.en,
    ...refusals.en,
  },
  faults: faults.en.texts,
  fields: faults.en.fields,
};

export type Words = Translated<typeof en>;

export const zh: Words = {
  frame: frame.zh,
  home: home.zh,
  pricing: pricing.zh,
  models: models.zh,
  docs: docs.zh,
  statements: statements.zh,
  status: status.zh,
  security: security.zh,
  changelog: changelog.zh,
  account: {
    ...account.zh,
    keys: keys.zh,
    play: play.zh,
    setup: setup.zh,
    webhooks: webhooks.zh,
    ...usage.zh,
    ...usageView.zh,
    ...endings.zh,
    ...refusals.zh,
  },
  faults: faults.zh.texts,
  fields: faults.zh.fields,
};
