import type { NextPageContext } from 'next'

export default function Trouble({ status }: { status?: number }) {
  return <p>Trouble of kind {String(status)}</p>
}

Trouble.getInitialProps = ({ res, err, asPath }: NextPageContext) => {
  if (asPath?.startsWith('/error-in-error')) throw new Error('no ink')
  if (typeof window === 'undefined') console.error(`trouble is looked into: ${err?.message}`)
  return { status: res?.statusCode }
}
