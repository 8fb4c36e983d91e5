const AT = '/middleware-redirects'
const HOPS = 7

export function redirects({ nextUrl: url }) {
  const path = url.pathname.slice(AT.length)
  if (path === '/former' && url.searchParams.has('abroad')) return Response.redirect('http://abroad.invalid/home')
  if (path === '/former') return redirected(url, '/home')
  if (url.searchParams.get('token') === 'one') {
    url.searchParams.delete('token')
    return redirected(url, '/home')
  }
  const [, hop] = /^\/hop-(\d)$/.exec(path) ?? []
  if (hop) return redirected(url, Number(hop) < HOPS ? `/hop-${Number(hop) + 1}` : '/home')
  if (path === '/left') return redirected(url, '/right')
  if (path === '/right') return redirected(url, '/left')
  if (path === '/to-handler') return Response.redirect(new URL('/api/middleware-redirects/ok', url))
  if (path === '/to-part') return Response.redirect(new URL(`${AT}/home#part`, url))
}

function redirected(url, path) {
  url.pathname = AT + path
  return Response.redirect(url)
}
