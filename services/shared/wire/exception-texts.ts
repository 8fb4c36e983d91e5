// What visitors read when a page throws, on the server and in the browser; every page in a browser has both at hand.

/** E4. */
export const SERVER_EXCEPTION_TEXT =
  'Application error: a server-side exception has occurred (see the server logs for more information).'
/** E3. */
export const CLIENT_EXCEPTION_TEXT =
  'Application error: a client-side exception has occurred (see the browser console for more information).'
