import { NextResponse } from 'next/server'

export const config = { matcher: ['/', '/asked/:path*', '/middleware-rewrites/:path*'] }

const AT = '/middleware-rewrites'

export function middleware(request) {
  const { pathname, locale } = request.nextUrl
  if (pathname.startsWith(AT)) return rewrites(request)
  return NextResponse.next({ headers: { 'x-asked': JSON.stringify({ pathname, locale }) } })
}

/** By the path below that of the suite; every other path is rewritten to itself. */
const TARGETS = {
  '/renamed': '/about',
  '/to-colon': '/with:colon',
  '/colon:here': '/without-colon',
}

function rewrites({ nextUrl: url, cookies }) {
  const path = url.pathname.slice(AT.length)
  if (path === '/outside') return NextResponse.rewrite('http://127.0.0.1:21961')
  const to = (pathname) => {
    url.pathname = AT + pathname
    return NextResponse.rewrite(url)
  }
  if (TARGETS[path]) return to(TARGETS[path])
  if (path === '/test') {
    const group = cookies.get('group')?.value ?? (Math.random() < 0.5 ? 'a' : 'b')
    const response = to(`/groups/${group}`)
    response.cookies.set('group', group, { maxAge: 10, expires: new Date(Date.now() + 10_000) })
    return response
  }
  if (path === '/kept-query') {
    for (const name of [...url.searchParams.keys()]) if (name !== 'kept') url.searchParams.delete(name)
    return NextResponse.rewrite(url)
  }
  if (path === '/land') {
    url.locale = url.searchParams.get('in') ?? url.locale
    return to(`/lands/${url.searchParams.get('name') ?? 'own'}`)
  }
  if (path === '/tongue') url.searchParams.set('tongue', url.locale)
  return NextResponse.rewrite(url)
}
