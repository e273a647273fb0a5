/** @jsxImportSource hono/jsx */
// The sign-in page: with a key, with a name and password, or with a new account.

import { readCardCode } from '../../accounts/card-code.ts';
import { withGap } from '../format.ts';
import { type Notice, NoticeBox } from '../frame.tsx';
import { Page, type PageContext } from '../page.tsx';
import { Submit } from '../parts/button.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { faultMarks, Hidden, TextField } from '../parts/field.tsx';
import { SupportLink } from '../parts/support-link.tsx';
import { TYPED_FIELD } from '../typed-before.ts';
import { tabPath } from './frame.tsx';

export interface SignInProps {
  context: PageContext;
  next: string;
  notice?: Notice | undefined;
  /** The refused credential: its fields are marked, too. */
  wrong?: 'key' | 'password' | undefined;
  /** The login name that did not match its password. */
  name?: string | undefined;
  /** Input of a form that arrived after its session ended. */
  typed?: string | undefined;
  /** The code of a card that was sent and not taken: the script carries it on as it does that of a link. */
  card?: string | null;
}

export function SignInPage(props: SignInProps) {
  const { context, next, notice, card } = props;
  const { account } = context.words;
  const isForCard = next.startsWith(tabPath('redeem'));
  // A visitor with a card and without an account needs to register first.
  const isLikelyNew = isForCard && notice === undefined;
  const create = <NewAccount context={context} next={next} />;
  return (
    <Page context={context} title={account.signInTitle}>
      <h1>{account.signInTitle}</h1>
      <NoticeBox notice={notice} />
      {isForCard ? <CardNotice context={context} card={card} /> : null}
      <div class="two">
        {isLikelyNew ? create : null}
        <WaysIn {...props} />
        {isLikelyNew ? null : create}
      </div>
    </Page>
  );
}

/** Only a script can see whether the opened link has a code. */
function CardNotice({ context, card }: { context: PageContext; card: string | null | undefined }) {
  const { account } = context.words;
  return (
    <div class="notice" role="status">
      <p data-card-waits={card ? `#${readCardCode(card) ?? card.trim()}` : ''} hidden>
        {account.cardWaits}
      </p>
      <p data-without-card>{account.cardFirst}</p>
    </div>
  );
}

function WaysIn({ context, next, notice, wrong, name = '', typed }: SignInProps) {
  const { account } = context.words;
  const faultOf = (way: 'key' | 'password') => (wrong === way ? notice?.text : undefined);
  const carried = <Hidden fields={{ next, ...(typed ? { [TYPED_FIELD]: typed } : {}) }} />;
  return (
    <section>
      <h2>{account.withKey}</h2>
      <form method="post" action="/account/sign-in" data-keep-code>
        {carried}
        <TextField
          name="key"
          label={account.key}
          fault={faultOf('key')}
          hasFocus
          type="password"
          placeholder="sk-svc-…"
          required
        />
        <Submit text={account.signIn} />
      </form>
      <h2>{account.withPassword}</h2>
      <form method="post" action="/account/sign-in" data-keep-code>
        {carried}
        <TextField
          name="name"
          label={account.name}
          autocomplete="username"
          autocapitalize="none"
          value={name}
          required
          {...faultMarks('password-fault', faultOf('password'), false)}
        />
        <TextField
          name="password"
          label={account.password}
          fault={faultOf('password')}
          hasFocus
          type="password"
          autocomplete="current-password"
          required
        />
        <Submit look="quiet" text={account.signIn} />
      </form>
      <p class="faint">
        {withGap(account.lost)}
        <SupportLink context={context} />
      </p>
    </section>
  );
}

function NewAccount({ context, next }: Pick<SignInProps, 'context' | 'next'>) {
  const { account } = context.words;
  return (
    <section id="create">
      <h2>{account.noAccount}</h2>
      <p>{account.createText}</p>
      <form method="post" action="/account/create" data-once data-keep-code>
        <Hidden fields={{ next }} />
        <Submit text={account.create} />
      </form>
    </section>
  );
}

interface CreatedProps {
  context: PageContext;
  accountId: string;
  apiKey: string;
  next: string;
}

export function CreatedPage({ context, accountId, apiKey, next }: CreatedProps) {
  const { account } = context.words;
  return (
    <Page context={context} title={account.createdTitle} isShownOnce>
      <div class="narrow">
        <h1>{account.createdTitle}</h1>
        <p class="lead">{account.createdText}</p>
        <CodeBlock code={apiKey} language={context.language} isSecret />
        {/* Without its key, an account cannot be found again. */}
        <p>
          {account.overview.accountId} <span class="id">{accountId}</span>
          <br />
          <span class="faint">{account.createdId}</span>
        </p>
        <p>
          <a class="button" href={next} data-keep-code>
            {account.goOn}
          </a>
        </p>
      </div>
    </Page>
  );
}
