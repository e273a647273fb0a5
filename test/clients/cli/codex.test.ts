import { KINDS_FOR } from '../../support/client-gateway.ts';
import { codex } from '../../support/clis.ts';
import { describeCli } from './describe-cli.ts';

describeCli(codex, KINDS_FOR.responses);
