import { NextResponse } from 'next/server'

export function responses(request, event) {
  const { pathname, searchParams } = request.nextUrl
  switch (pathname.replace('/middleware-responses', '')) {
    case '/two-cookies':
      return new Response(null, {
        headers: [
          ['set-cookie', 'rose=red'],
          ['set-cookie', 'lily=white'],
        ],
      })
    case '/in-parts': {
      const { readable, writable } = new TransformStream()
      const writer = writable.getWriter()
      const write = async () => {
        for (const part of ['one ', 'two ', 'three']) await writer.write(new TextEncoder().encode(part))
        await writer.close()
      }
      event.waitUntil(write())
      return new Response(readable)
    }
    case '/text':
      return new Response(JSON.stringify({ of: 'middleware' }))
    case '/closed':
      return new Response(null, { status: 401, headers: { 'www-authenticate': 'Basic realm="garden"' } })
  }
  const next = NextResponse.next()
  next.headers.set('x-first', 'yes')
  if (searchParams.has('second')) next.headers.set('x-second', 'yes')
  if (searchParams.has('cookie')) {
    next.headers.append('x-appended', 'yes')
    next.headers.append('set-cookie', 'lily=white')
  }
  return next
}
