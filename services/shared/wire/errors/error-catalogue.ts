// The catalogue of error responses: plain data without imports, for services, documentation and tests. The titles of
// screens are in error-titles.ts, because the browser needs only those. Redirect and not-found are values, not errors.

interface ErrorEntry {
  status: number
  /**
   * Public sentence of every form; absent where the title of the status is enough. SECURITY: clients see the text, so
   * it contains no path, no environment, no source name.
   */
  text?: string
  /** For operators and site authors, in the documentation. */
  cause: string
  remedy: string
}

const ENTRIES = {
  'bad-request': {
    status: 400,
    text: 'The request is malformed.',
    cause:
      'The request line, a header or the body is malformed, or the body does not have the form that its address takes.',
    remedy: 'Correct the request. The message names the field and the rule where they are known.',
  },
  'malformed-path': {
    status: 400,
    text: 'The path holds a malformed percent sequence.',
    cause:
      'The path contains a percent sequence that is not UTF-8, or `%00`; or an encoded `..` that would leave the path of the other host of a rewrite.',
    remedy: 'Encode the path with `encodeURIComponent`.',
  },
  'non-canonical-path': {
    status: 400,
    text: 'The path is not in its canonical form.',
    cause:
      'The path of a request other than GET and HEAD has a repeated, missing or superfluous slash. GET and HEAD are redirected, in compatibility mode every method.',
    remedy: 'Send the request to the canonical path.',
  },
  'image-parameter': {
    status: 400,
    text: 'A parameter of the image is not allowed.',
    cause:
      'A parameter of an image address is missing, repeated, malformed or outside the lists of the `images` settings.',
    remedy: 'Correct the parameter that the message names, or allow its value in the `images` settings.',
  },
  'image-source-not-allowed': {
    status: 400,
    text: 'The source of the image is not allowed.',
    cause:
      'The source redirects to an address outside of `images.remotePatterns`, or its name resolves to a private address.',
    remedy: 'Allow the address in `remotePatterns`; for a private address set `images.dangerouslyAllowLocalIP`.',
  },
  'token-required': {
    status: 401,
    text: 'The stack token is missing or wrong.',
    cause:
      'A control endpoint of an inner port was called without the token of the stack, or `STACK_TOKEN` is not set.',
    remedy: 'Set `STACK_TOKEN` for the service, and send it as `Authorization: Bearer …`.',
  },
  unauthorized: {
    status: 401,
    cause: 'Code of a page, an action or an API handler called `unauthorized()`.',
    remedy: 'The user logs in. The site checks its own rule if a logged-in user sees this.',
  },
  'access-denied': {
    status: 403,
    cause: 'Code of a page, an action or an API handler called `forbidden()`.',
    remedy: 'The user logs in with an account that may do this. The site checks its own rule otherwise.',
  },
  forbidden: {
    status: 403,
    text: 'The request is not allowed from here.',
    cause: 'A page of another origin sent the request, or the request does not name the origin that it comes from.',
    remedy:
      'Add the public origin of the site to `PUBLIC_ORIGINS`; for an API handler that other origins may call, or in compatibility mode a page that takes their forms, export `config.crossOrigin`.',
  },
  'not-found': {
    status: 404,
    cause: 'No page, file or API handler has this address, or page code called `notFound()`.',
    remedy: 'Correct the link. Hashed files of other builds are kept for 7 days.',
  },
  'foreign-build': {
    status: 404,
    cause: 'A browser requested page data of a build that no renderer serves any more.',
    remedy:
      'None: the browser loads the page in full. Many of these after a deploy are tabs that were opened before it.',
  },
  'unknown-action': {
    status: 404,
    cause: 'The form or script calls an action that this build does not have: the action was renamed or removed.',
    remedy: 'The user reloads the page. Give actions a fixed id by `defineAction({ id })` before they are moved.',
  },
  'image-source-missing': {
    status: 404,
    text: 'The source of the image does not exist.',
    cause: 'The source of an image responded 404.',
    remedy: 'Correct `src`, or put the file in its place.',
  },
  'method-not-allowed': {
    status: 405,
    text: 'The address does not take this method.',
    cause:
      'The address exists and takes other methods, which `Allow` lists. A POST to a page needs an action; in compatibility mode with Next.js a page takes forms, and with getServerSideProps any body.',
    remedy: 'Use a method that `Allow` lists.',
  },
  'body-late': {
    status: 408,
    text: 'The body did not arrive in time.',
    cause: 'The body of the request paused for more than 10 s, or arrived at less than 1 KiB per second.',
    remedy: 'Send the request again over a better connection.',
  },
  'outcome-unknown': {
    status: 409,
    text: 'This submission may or may not have been carried out. Look whether its result is there before you send it again.',
    cause: 'The replica that ran the action ended, or the action reached its time limit, before its result was stored.',
    remedy: 'Look at the data. Declare an action `safeToRepeat` if running it twice does no harm.',
  },
  'image-source-gone': {
    status: 410,
    text: 'The source of the image does not exist.',
    cause: 'The source of an image responded 410.',
    remedy: 'Remove the image from the page.',
  },
  'body-too-large': {
    status: 413,
    text: 'The content is too large.',
    cause:
      'The body is above the limit of the action or API handler (1 MiB by default), or above the ceiling of the gateway.',
    remedy: 'Send less, or raise the limit of the action or API handler. `limit` and `received` are bytes.',
  },
  'image-source-too-large': {
    status: 413,
    text: 'The source of the image is too large.',
    cause: 'The source of an image has more bytes than `images.maximumResponseBody`, or too many pixels or frames.',
    remedy: 'Store a smaller source, or raise the limit.',
  },
  'unsupported-media-type': {
    status: 415,
    text: 'The body has a type that this address does not take.',
    cause: 'The body is compressed, or has a media type that the address does not take.',
    remedy: 'Send JSON or form data, not compressed.',
  },
  'image-source-undecodable': {
    status: 415,
    text: 'The source of the image cannot be decoded.',
    cause: 'The bytes of a source are no image of an allowed format, or the image is damaged.',
    remedy: 'Replace the source; for SVG set `images.dangerouslyAllowSVG`.',
  },
  'range-not-satisfiable': {
    status: 416,
    text: 'The file does not have this range.',
    cause: 'The client requested a range behind the end of a file.',
    remedy: 'Request the file without `Range`, or a range within the length that `Content-Range` names.',
  },
  'invalid-input': {
    status: 422,
    text: 'The form was not accepted. Go back to change it.',
    cause: 'The input of an action does not fit the schema of the action.',
    remedy: 'The user corrects the fields that the response names.',
  },
  'submission-changed': {
    status: 422,
    text: 'This submission was sent before with other contents.',
    cause: 'A script sent two different bodies with one `Idempotency-Key`.',
    remedy: 'Create a new key for each submission.',
  },
  'too-many-requests': {
    status: 429,
    text: 'Too many requests; try again later.',
    cause:
      'One client sent more forms and API requests in a minute than `RATE_LIMIT_POSTS` allows, or requested more images that were in no cache than `RATE_LIMIT_COLD_IMAGES` allows.',
    remedy:
      'The client waits for the seconds in `Retry-After`. If many users share one address, raise the limit; if they share one proxy, add it to `TRUSTED_PROXIES`.',
  },
  internal: {
    status: 500,
    cause: 'Code of the site or of the stack threw an error.',
    remedy: 'Search the logs for the digest: one line has the error and its stack.',
  },
  'upstream-refused': {
    status: 502,
    text: 'A part of the site did not respond.',
    cause:
      'A replica of a service closed the connection before its response and the request could not be sent again, or the head of its response is longer than 64 KiB; no replica was ever there; or the other host of a rewrite refused.',
    remedy:
      'Look whether the service runs and is ready: `/readyz` on its inner port, `upstream failed` in the log of the gateway. A host with an inner address must be in `REWRITE_INNER_HOSTS`.',
  },
  'image-source-failed': {
    status: 502,
    text: 'The source of the image could not be fetched.',
    cause: 'The source of an image did not respond, responded with an error, or redirects too often.',
    remedy: 'Look at the field `reason` in the log of the images service.',
  },
  overloaded: {
    status: 503,
    text: 'The site is busy; try again in a moment.',
    cause:
      'No replica of a service was ready within 3 s, as after a long restart, or the only one was silent for 6 s; or a limit was reached: requests of one client, arriving bodies, requests that wait for a replica. The field `refused` of the log line names the limit.',
    remedy:
      'Without `refused`, look why the service is not ready. Else add replicas of the service; if many clients share one proxy, add the proxy to `TRUSTED_PROXIES`.',
  },
  'middleware-failed': {
    status: 503,
    text: 'The site cannot decide about the request at the moment; try again.',
    cause:
      "The site's middleware threw an error, took longer than 10 s, or sent a response that cannot be carried out; or no renderer of the build was ready to run it. A request that middleware guards never passes without it.",
    remedy:
      'Find the error by the digest in the log of the renderer. Without a digest, the lines of the event `middleware` in the log of the gateway name the fault.',
  },
  'api-unavailable': {
    status: 503,
    text: 'A part of the site is unavailable at the moment; try again.',
    cause:
      'A page requested `/api/…` of its own site with `fetch` of `portico/server`, and the actions service refused, was overloaded or did not respond within the time of the data function. Code of the page did not catch the error.',
    remedy:
      'Look why the actions service is away. A page that can do without the data catches the error, and a `timeoutMs` of 2 s leaves time for that and for another attempt.',
  },
  'state-unavailable': {
    status: 503,
    text: 'The site cannot take submissions at the moment; nothing was done.',
    cause:
      'The state store was unavailable for 3 s, too few of its replicas confirmed, or it is full, so that an action could run twice.',
    remedy:
      "Restore the state store or its replicas; the service's log has the reason. Actions that may run twice can declare `idempotency: 'best-effort'`.",
  },
  'still-running': {
    status: 503,
    text: 'This submission is still being worked on.',
    cause: 'The first arrival of a submission still runs, and a second arrival has waited as long as it may.',
    remedy: 'Send the submission again with the same key: the stored result is sent.',
  },
  'images-overloaded': {
    status: 503,
    text: 'The image service is busy.',
    cause: 'The queue of the encoders is full, or an encoder ended while it worked.',
    remedy: 'Add replicas of the images service.',
  },
  'purge-failed': {
    status: 503,
    text: 'The store is unavailable; try the purge again.',
    cause: 'The cache store (images) or the state store (pages) did not take a purge, and no process was reached.',
    remedy: 'Restore the store, and send the purge again.',
  },
  'upstream-late': {
    status: 504,
    text: 'A part of the site took too long to respond.',
    cause: 'A replica, or the other host of a rewrite, took the request and did not begin its response in time.',
    remedy: 'Find the slow page or handler by the field `route` of the log line.',
  },
  'handler-late': {
    status: 504,
    cause: 'An action or an API handler reached its time limit.',
    remedy: 'Shorten the work, or raise `timeoutMs` of the action or API handler, which is 60 000 at most.',
  },
  'image-late': {
    status: 504,
    text: 'The image took too long to make.',
    cause:
      'The source of an image did not arrive within 5 s, no encoder was free within 8 s, or the encoding had not ended within 11 s.',
    remedy: 'Use a faster or smaller source. The fields `reason` and `ms` of the log line show where the time went.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>

export type ErrorCode = keyof typeof ENTRIES

export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, ErrorEntry>> = ENTRIES
