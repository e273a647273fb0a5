import { KINDS_FOR } from '../../support/client-gateway.ts';
import { claudeCode } from '../../support/clis.ts';
import { describeCli } from './describe-cli.ts';

describeCli(claudeCode, KINDS_FOR.messages);
