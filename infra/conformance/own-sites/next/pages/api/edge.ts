import { after, NextRequest, NextResponse, userAgent } from 'next/server'

export const config = { runtime: 'edge' }

export default async function handler(request: NextRequest) {
  after(() => undefined)
  const to = request.nextUrl.searchParams.get('to')
  if (to) return NextResponse.redirect(new URL(to, request.url), 303)
  const response = NextResponse.json({
    isOwn: request instanceof NextRequest,
    cookie: request.cookies.get('a')?.value ?? null,
    body: await request.text(),
    browser: userAgent(request).browser.name ?? null,
  })
  response.cookies.set('seen', 'yes', { httpOnly: true })
  return response
}
