import Router from 'next/router'

const NAMES = [
  'routeChangeStart',
  'beforeHistoryChange',
  'routeChangeComplete',
  'routeChangeError',
  'hashChangeStart',
  'hashChangeComplete',
] as const

const write = (name: string, ...values: unknown[]) => {
  const before = JSON.parse(sessionStorage.getItem('events') ?? '[]') as unknown[]
  sessionStorage.setItem('events', JSON.stringify([...before, [name, ...values]]))
}

/** Writes the events of the router where they survive a new document; of an error its text. */
if (typeof window !== 'undefined')
  for (const name of NAMES)
    Router.events.on(name, (first: unknown, ...more: unknown[]) =>
      write(name, first instanceof Error ? [first.message, 'cancelled' in first && first.cancelled] : first, ...more),
    )
