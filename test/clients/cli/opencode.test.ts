// opencode, whose runs take ten seconds of CPU time: on a channel that is translated. Its own format is run by the tests of
// docs/clients.md, and its SDK on every kind of channel by the tests of the SDK.

import { KINDS_FOR, type Kinds } from '../../support/client-gateway.ts';
import { opencode } from '../../support/clis.ts';
import { describeCli } from './describe-cli.ts';

const translated = KINDS_FOR.chat.slice(-1) as unknown as Kinds;

describeCli(opencode, translated);
