import { NextResponse } from 'next/server'

export function custom({ url }) {
  return NextResponse.rewrite(new URL('/', url), { headers: { 'x-matched': 'yes' } })
}
