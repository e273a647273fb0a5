/** @jsxImportSource hono/jsx */
// The door of the console: the token, once, for as long as the browser keeps the session.

import { TYPED_FIELD } from '../../../site/typed-before.ts';
import type { TokenCheck } from '../tools.ts';
import { consoleWords } from '../words/words.ts';
import { TextField } from './field.tsx';
import { type ConsoleContext, ConsolePage, type Notice } from './frame.tsx';

interface SignInProps {
  context: ConsoleContext;
  next: string;
  /** What a form carried that came too late. */
  typed?: string;
  notice?: Notice | undefined;
}

export function SignInPage({ context, next, typed, notice }: SignInProps) {
  const { signIn } = consoleWords(context.language);
  return (
    <ConsolePage context={context} title={signIn.title} lead={signIn.lead} notice={notice}>
      <form method="post" action="/sign-in" class="narrow">
        <input type="hidden" name="next" value={next} />
        {typed ? <input type="hidden" name={TYPED_FIELD} value={typed} /> : null}
        <TextField name="token" label={signIn.token} help={signIn.tokenHelp} type="password" isRequired />
        <button type="submit">{signIn.button}</button>
      </form>
    </ConsolePage>
  );
}

export function signInStatus(found: TokenCheck): number {
  return found === 'wrong' ? 401 : 429;
}
