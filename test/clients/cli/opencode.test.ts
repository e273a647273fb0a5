import { KINDS_FOR } from '../../support/client-gateway.ts';
import { opencode } from '../../support/clis.ts';
import { describeCli } from './describe-cli.ts';

describeCli(opencode, KINDS_FOR.chat);
