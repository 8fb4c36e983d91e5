// The nonce of the document's content security policy (G6), for page code.

/** Each side's way to the nonce; the server's entry sets its own. */
export const nonceHost: { read: () => string | undefined } = {
  // Browsers hide the attribute's value from selectors and markup, and show it to scripts.
  read: () => document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce || undefined,
}

/**
 * The nonce of the document, for an inline script or a library that adds scripts or styles. Reading the nonce makes the
 * document one that caches must not keep, so it works in pages with `getServerSideProps` only; elsewhere it throws an
 * error with the name of the page. In the browser it returns the nonce of the document that was loaded, undefined if that
 * document has none.
 *
 * @example
 * ```tsx
 * // components/consent.tsx
 * import { useNonce } from 'portico'
 *
 * export function Consent() {
 *   const script = 'window.consent = document.cookie.includes("consent=yes")'
 *   return <script nonce={useNonce()} dangerouslySetInnerHTML={{ __html: script }} />
 * }
 * ```
 */
export function useNonce(): string | undefined {
  return nonceHost.read()
}
