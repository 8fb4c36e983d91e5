import { NextResponse } from 'next/server'

export const config = { matcher: ['/', '/asked/:path*'] }

export function middleware({ nextUrl: { pathname, locale } }) {
  return NextResponse.next({ headers: { 'x-asked': JSON.stringify({ pathname, locale }) } })
}
