// Texts that users read when a page throws, on the server or in the browser. The browser bundle contains both.

/** E4. */
export const SERVER_EXCEPTION_TEXT =
  'Application error: a server-side exception has occurred (see the server logs for more information).'
/** E3. */
export const CLIENT_EXCEPTION_TEXT =
  'Application error: a client-side exception has occurred (see the browser console for more information).'
