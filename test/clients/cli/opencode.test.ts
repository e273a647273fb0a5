// opencode, whose runs are slow: on a channel of its own format and on one that is translated. How its SDK gets along with
// every kind is tested with the SDK.

import { KINDS_FOR } from '../../support/client-gateway.ts';
import { opencode } from '../../support/clis.ts';
import { describeCli } from './describe-cli.ts';

const [own, ...translated] = KINDS_FOR.chat;

describeCli(opencode, [own, ...translated.slice(-1)]);
