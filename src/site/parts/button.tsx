/** @jsxImportSource hono/jsx */
// Buttons that send a form, links that look like one, links by themselves, and links that are ids.

interface SubmitProps {
  text: string;
  look?: 'quiet' | 'quiet small' | 'danger';
  /** For who has it read aloud: what it is about. */
  about?: string | undefined;
}

export function Submit({ text, look, about }: SubmitProps) {
  return (
    <button type="submit" class={look}>
      {text}
      {about === undefined ? null : <span class="unseen">{about}</span>}
    </button>
  );
}

interface LinkButtonProps extends Omit<SubmitProps, 'look'> {
  href: string;
  look?: 'quiet' | 'quiet small';
}

export function LinkButton({ href, text, look, about }: LinkButtonProps) {
  return (
    <a class={look === undefined ? 'button' : `button ${look}`} href={href}>
      {text}
      {about === undefined ? null : <span class="unseen">{about}</span>}
    </a>
  );
}

/** To do it, or to go back. */
export function SubmitRow({ back, backText, ...submit }: SubmitProps & { back: string; backText: string }) {
  return (
    <div class="row">
      <Submit {...submit} />
      <LinkButton look="quiet" href={back} text={backText} />
    </div>
  );
}

/** A link on a separate line. */
export function LinkLine({ href, text, look, lang }: { href: string; text: string; look?: string; lang?: string }) {
  return (
    <p class={look} lang={lang}>
      <a href={href}>{text}</a>
    </p>
  );
}

export function IdLink({ href, text }: { href: string; text: string }) {
  return (
    <a class="id" href={href}>
      {text}
    </a>
  );
}
