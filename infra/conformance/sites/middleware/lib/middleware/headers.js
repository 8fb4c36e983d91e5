import { NextResponse } from 'next/server'

/** `?without=a,b` removes headers of the request, `?with=a:1,b:2` sets them. */
export function headers(request) {
  const { searchParams } = request.nextUrl
  const changed = new Headers(request.headers)
  changed.set('x-of-middleware', 'added')
  for (const name of (searchParams.get('without') ?? '').split(',').filter(Boolean)) changed.delete(name)
  for (const pair of (searchParams.get('with') ?? '').split(',').filter(Boolean)) changed.set(...pair.split(':'))
  return NextResponse.next({ request: { headers: changed } })
}
