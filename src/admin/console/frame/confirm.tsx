/** @jsxImportSource hono/jsx */
// A page that asks a second time: it says what will happen, and the way back is as near as the way on.

import type { Child } from 'hono/jsx';
import { consoleWords } from '../words/words.ts';
import { type ConsoleContext, ConsolePage, type Notice, type Section } from './frame.tsx';

interface ConfirmProps {
  context: ConsoleContext;
  section: Section;
  title: string;
  /** What will happen, a sentence each. */
  consequences: readonly string[];
  /** Where the form goes, and what it carries unseen. */
  action: string;
  fields?: Readonly<Record<string, string>>;
  button: string;
  back: string;
  notice?: Notice | undefined;
  /** More that is asked, within the form. */
  children?: Child;
}

export function ConfirmPage(props: ConfirmProps) {
  const { context, section, title, consequences, action, fields = {}, button, back, notice, children } = props;
  const { frame } = consoleWords(context.language);
  return (
    <ConsolePage context={context} section={section} title={title} notice={notice}>
      <div class="narrow confirm">
        <ul>
          {consequences.map((text) => (
            <li>{text}</li>
          ))}
        </ul>
        <form method="post" action={action}>
          <Hidden fields={{ ...fields, confirmed: 'yes' }} />
          {children}
          <div class="row">
            <button type="submit" class="danger">
              {button}
            </button>
            <a class="button quiet" href={back}>
              {frame.cancel}
            </a>
          </div>
        </form>
      </div>
    </ConsolePage>
  );
}

export function Hidden({ fields }: { fields: Readonly<Record<string, string>> }) {
  return (
    <>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}
