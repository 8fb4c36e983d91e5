import { NextRequest, NextResponse, URLPattern } from 'next/server'

const AT = '/middleware-general'
const POST = new URLPattern({ pathname: `${AT}/asked/:kind/:id{/}?` })

/** By the path below that of the suite. */
const RESPONSES = {
  '': (url) => rewritten(url, `${AT}/kept/first`),
  '/to-kept': (url) => rewritten(url, `${AT}/kept/hello`, { from: 'middleware' }),
  '/short': (url) => rewritten(url, `${AT}/shallow`),
  '/to-post': (url) => rewritten(url, `${AT}/posts/of-middleware`, { some: 'middleware' }),
  '/to-rule': (url) => rewritten(url, `${AT}/rule-3`, { some: 'middleware' }),
  '/served': (url) => rewritten(url, `${AT}/served-instead`),
  '/elsewhere': (url) => {
    url.pathname = `${AT}/there`
    return NextResponse.redirect(url, { headers: { 'x-sent-by': 'middleware' } })
  },
  '/agent': (url) => shown(() => agentOf(url)),
  '/own-agent': (url) => shown(() => agentOf(url, { headers: { 'user-agent': 'walker' } })),
  '/values': () =>
    shown(() => ({ base: process.env.NEXT_PUBLIC_WORD_OF_MIDDLEWARE, secret: process.env.WORD_OF_MIDDLEWARE })),
  '/names': () => shown(() => Object.keys(globalThis)),
  '/key': () =>
    shown(async () => (await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, false, ['encrypt'])).type),
  '/fetched-url': (url) => shown(async () => (await fetch(new URL(`/api${AT}/agent`, url))).status),
  '/aborted': () =>
    shown(async () => {
      const controller = new AbortController()
      controller.abort()
      return (await fetch('http://127.0.0.1:9/', { signal: controller.signal })).status
    }),
  '/relative/url': () => shown(() => new URL('/there').href),
  '/relative/next-request': () => shown(() => new NextRequest('/there').url),
  '/relative/request': () => shown(() => new Request('/there').url),
  '/relative/redirect': () => shown(() => Response.redirect('/there').status),
  '/relative/next-redirect': () => shown(() => NextResponse.redirect('/there').status),
  '/relative/next-rewrite': () => shown(() => NextResponse.rewrite('/there').status),
}

export async function general(request) {
  const { nextUrl } = request
  // The site may have a slash at the end of its paths.
  const path = nextUrl.pathname.replace(/\/$/, '')
  const own = path.startsWith(AT) ? RESPONSES[path.slice(AT.length)] : undefined
  if (own) return own(nextUrl)
  if (nextUrl.pathname.startsWith('/_next/static/chunks/'))
    return NextResponse.rewrite(new URL(`${AT}/plain/a`, nextUrl))
  if (path === `/api${AT}/words`) return rewritten(nextUrl, nextUrl.pathname, { added: 'middleware' })
  if (path === `${AT}/fails-as-data` && request.headers.get('sec-fetch-dest') === 'empty')
    throw new Error('the data of this page has no middleware')
  const found = POST.exec(request.url)?.pathname.groups
  const { pathname, search } = new URL(request.url)
  return NextResponse.next({
    headers: {
      'x-asked': JSON.stringify({
        path: pathname + search,
        basePath: nextUrl.basePath,
        pathname: nextUrl.pathname,
        word: nextUrl.searchParams.get('word'),
        found,
      }),
    },
  })
}

function rewritten(url, pathname, words = {}) {
  url.pathname = pathname
  for (const [name, value] of Object.entries(words)) url.searchParams.set(name, value)
  return NextResponse.rewrite(url)
}

async function agentOf(url, init) {
  return (await fetch(new URL(`/api${AT}/agent`, url), init)).json()
}

/** The value, or the error, in a header. */
async function shown(run) {
  try {
    return new NextResponse(null, { headers: { 'x-shown': JSON.stringify({ value: await run() }) } })
  } catch ({ name, message }) {
    return new NextResponse(null, { headers: { 'x-shown': JSON.stringify({ name, message }) } })
  }
}
