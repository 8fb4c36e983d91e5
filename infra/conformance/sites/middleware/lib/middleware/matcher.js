import { NextResponse } from 'next/server'

export function matcher() {
  return NextResponse.next({ headers: { 'x-matched': 'yes' } })
}
