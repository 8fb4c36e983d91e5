import { NextResponse } from 'next/server'

const AT = '/middleware-rewrites'

/** By the path below that of the suite; every other path is rewritten to itself. */
const TARGETS = {
  '/to-still-post': '/stills/one',
  '/posts/rewritten': '/about',
  '/to-before': '/before',
  '/to-after': '/after',
  '/renamed': '/about',
  '/to-parts': '/parts/any',
}

export function rewrites(request) {
  const { nextUrl: url, headers, cookies } = request
  const path = url.pathname.slice(AT.length)
  const to = (pathname, init) => {
    url.pathname = AT + pathname
    return NextResponse.rewrite(url, init)
  }
  if (path.startsWith('/article/') || path.startsWith('/gone/')) return NextResponse.next()
  const [, port] = /^\/outside\/(\d+)$/.exec(path) ?? []
  if (port) return NextResponse.rewrite(`http://127.0.0.1:${port}`)
  const inside = url.searchParams.get('inside')
  if (path === '/about' && inside) return to('/ab/a')
  const outside = url.searchParams.get('outside')
  if (path === '/about' && outside) return NextResponse.rewrite(`http://127.0.0.1:${outside}`)
  if (TARGETS[path]) return to(TARGETS[path])
  if (path.startsWith('/to-post/')) return to(path.replace('/to-post/', '/posts/'))
  // Where the choice differs for a prefetch, no client may keep it.
  const uncached = { headers: { 'x-middleware-cache': 'no-cache' } }
  if (path === '/choices/1') return to(headers.get('purpose') === 'prefetch' ? '/choices/1' : '/choices/2', uncached)
  if (path === '/unseen' || url.searchParams.get('path') === 'unseen') {
    url.searchParams.set('from', 'middleware')
    return to(cookies.has('other-about') ? '/about-other' : '/about', uncached)
  }
  return NextResponse.rewrite(url)
}
